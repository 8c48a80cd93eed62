import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileDigest, VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../src/publication/frozen-versions.ts';
import { PUBLISHER_FILE } from '../../src/publication/read-publisher.ts';

/** A paid capsule that is planted in a publication, in two versions, and words that stand in its texts and nowhere else. */
export const PLANTED = 'planted-paid-capsule';

export const PLANTED_PRICE = { amount: '0.05', currency: 'USD' } as const;

/** A heading of the part that is sold: free, so that searches find it. */
export const SOLD_HEADING = 'The glimmerost of a replay';

/** Words that are in the planted texts alone: in running text, code, tables and links, in both versions. */
export const CANARY_WORDS = ['zyxquorvant', 'plimbodrex', 'quastrilune', 'vorthemnik', 'drelquasp'] as const;

/** Words of the same lengths that take their place in another text that is to be sold. */
const OTHER_WORDS = ['wobnixkarel', 'gruntaflib', 'mexlodrapin', 'hulbertwax', 'snorkivel'] as const;

export const CANARY_SENTENCE = `Whoever pays learns that the ${CANARY_WORDS[0]} of a ${CANARY_WORDS[1]} settles before its ${CANARY_WORDS[2]}.`;
export const PREVIEW_SENTENCE = 'An answer that one buyer paid for must not reach the next one.';

const PADDING = Array.from(
  { length: 24 },
  (_, index) => `Point ${index + 1} of this list is about answers that are stored, and says so in plain words.`,
).join('\n');

function body(version: string): string {
  return `${PREVIEW_SENTENCE}[^planted]

<!-- paid -->

${CANARY_SENTENCE} That is the point of version ${version}.[^planted]

## ${SOLD_HEADING}

Its ${CANARY_WORDS[3]} counts.

${PADDING}

\`\`\`json
{ "${CANARY_WORDS[4]}": "${CANARY_WORDS[0]}" }
\`\`\`

| Step | What |
|---|---|
| 1 | ${CANARY_WORDS[3]} and ${CANARY_WORDS[4]} |

[A note on ${CANARY_WORDS[2]}](https://www.rfc-editor.org/rfc/rfc9111#${CANARY_WORDS[1]}) says more.
`;
}

function plantedFile(version: string, { withOtherWords = false, derivedFrom = 'http-freshness', cites = 'x402-v2' }: PlantOptions): string {
  const text = `---
title: What a payment endpoint must never do with a stored answer
summary: A stored answer of a payment endpoint must not be reused for another buyer, which eleven checks find out before a deployment goes live.
type: practice
tags: [payments, http-caching, agents]
version: ${version}
evidence: documented
license: CC-BY-4.0
created: 2026-11-21
updated: ${version === '1.0.0' ? '2026-11-21' : '2026-11-22'}
access: paid
price_usd: 0.05
derived_from: [${derivedFrom}]
cites: [${cites}]
sources:
  - key: planted
    title: HTTP Caching (RFC 9111)
    url: https://www.rfc-editor.org/rfc/rfc9111
    publisher: IETF
    kind: standard
---

${body(version)}`;
  return withOtherWords ? CANARY_WORDS.reduce((changed, word, at) => changed.replaceAll(word, OTHER_WORDS[at] ?? ''), text) : text;
}

export interface PlantOptions {
  /** Another text of the same length in the place of the canaries. */
  readonly withOtherWords?: boolean;
  readonly withPayments: boolean;
  readonly derivedFrom?: string;
  readonly cites?: string;
}

export async function plantPaidCapsule(root: string, options: PlantOptions): Promise<void> {
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  const [older, newer] = [plantedFile('1.0.0', options), plantedFile('1.1.0', options)];
  const digests = await readFile(join(root, VERSIONS_DIGESTS), 'utf8').catch(() => '');
  await write(`content/capsules/${PLANTED}.md`, newer);
  await write(`${VERSIONS_FOLDER}/${PLANTED}/1.0.0.md`, older);
  await write(VERSIONS_DIGESTS, `${digests}${fileDigest(older)}  ${PLANTED}/1.0.0.md\n`);
  if (!options.withPayments) return;
  const publisher = await readFile(join(root, PUBLISHER_FILE), 'utf8');
  const settings = `payments: { pay_to: "0x${'1'.repeat(40)}", network: "eip155:84532", facilitator: "https://facilitator.example" }\n`;
  await write(PUBLISHER_FILE, publisher.includes('\npayments:') ? publisher : `${publisher.trimEnd()}\n${settings}`);
}

/** Words of a text alone, in lower case, whatever markup is between them. */
function wordsOf(text: string): string {
  const plain = text.replaceAll(/<[^>]*>|&#?\w+;|\\[nrt]/g, ' ').toLowerCase();
  return ` ${(plain.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
}

const SENTENCE_WORDS_MIN = 6;

/**
 * Finds in which of some texts a sentence, an item or a cell of a text that is sold stands.
 *
 * @param markdown Text that is sold, with its preview.
 * @param free What is free of it, such as its summary.
 */
export function leaksOf(markdown: string, free: string, texts: Iterable<readonly [path: string, text: string]>): string[] {
  const [, rest = markdown] = markdown.split('\n<!-- paid -->\n');
  const preview = wordsOf(markdown.slice(0, markdown.length - rest.length) + free);
  const sentences = rest
    .replaceAll(/^#+ .*$|\]\([^)]*\)|\[\^[^\]]*\]/gm, ' ')
    .split(/[.!?:;](?=\s)|\n\n|\n(?=[-|\d#])|\|/)
    .map(wordsOf)
    .filter((sentence) => sentence.trim().split(' ').length >= SENTENCE_WORDS_MIN && !preview.includes(sentence));
  if (sentences.length < SENTENCE_WORDS_MIN) throw new Error('too little is searched');
  return [...texts].flatMap(([path, text]) => {
    const words = wordsOf(text);
    return sentences.filter((sentence) => words.includes(sentence)).map((sentence) => `${path}:${sentence}`);
  });
}

export function canariesIn(text: string): string[] {
  const lower = text.toLowerCase();
  return [...CANARY_WORDS, 'whoever pays learns'].filter((canary) => lower.includes(canary));
}
