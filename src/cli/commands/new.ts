import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument } from '@commander-js/extra-typings';
import { isNode, isSeq, parseDocument, stringify } from 'yaml';
import { today } from '../../build/deployment.ts';
import { UserError } from '../../build/user-error.ts';
import { InvalidContentError } from '../../publication/content-problem.ts';
import { PLACEHOLDER } from '../../publication/find-gaps.ts';
import { isReservedHost } from '../../publication/offers/check-offers.ts';
import { readContent } from '../../publication/read-content.ts';
import { RESERVED_BUY_IDS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { defineCommand, examples, readId } from '../define-command.ts';

const CONTENT_KINDS = ['capsule', 'offer'] as const;
type ContentKind = (typeof CONTENT_KINDS)[number];

export const command = defineCommand()
  .description('Write a capsule or an offer to content/, as a fill-in draft that already passes all checks.')
  .addArgument(new Argument('<kind>').choices(CONTENT_KINDS))
  .addArgument(new Argument('<id>', 'such as http-caching').argParser(readId))
  .addHelpText('after', examples('npm run new capsule http-caching', 'npm run new offer link-audit'))
  .action(async (kind, id) => {
    if (kind === 'offer' && RESERVED_BUY_IDS.includes(id)) throw new UserError(`"${id}" is a reserved name; choose another id`);
    const { content, problems } = await readContent(process.cwd(), { today: today() });
    if (content === undefined) throw new InvalidContentError(problems);
    const owner = kind === 'offer' ? content.offers.find(({ frontMatter }) => frontMatter.aliases.includes(id)) : undefined;
    if (owner) throw new UserError(`"${id}" is an alias of the offer "${owner.id}"; choose another id`);
    const paths = await createContent({ root: process.cwd(), kind, id, publisher: content.publisher, today: today() });
    console.log(`Wrote ${paths.join(' and ')}. Fill it in, then run: npm run content:check`);
  });

export interface NewContentOptions {
  readonly root: string;
  readonly kind: ContentKind;
  readonly id: string;
  readonly publisher: Pick<Publisher, 'license' | 'base_url' | 'checkout_host'>;
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

/**
 * Writes a fill-in draft that already passes all checks. A new offer becomes the last in the order of publisher.yaml, if that lists one.
 *
 * @returns Paths of the written files, from the project's root.
 * @throws {UserError} If the file exists.
 */
export async function createContent(options: NewContentOptions): Promise<string[]> {
  const path = `content/${options.kind}s/${options.id}.md`;
  const text = options.kind === 'capsule' ? capsuleTemplate(options) : offerTemplate(options);
  await mkdir(join(options.root, `content/${options.kind}s`), { recursive: true });
  await writeFile(join(options.root, path), text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new UserError(`${path} exists; choose another id`) : error;
  });
  const listed = options.kind === 'offer' && (await listOffer(options));
  return listed === false ? [path] : [path, listed];
}

/**
 * Adds an offer to the end of the order in publisher.yaml, without changing any other byte of the file.
 *
 * @returns The path of the file; `false` if it lists no order, where new offers come last anyway.
 */
async function listOffer({ root, id }: NewContentOptions): Promise<string | false> {
  const path = 'content/publisher.yaml';
  const text = await readFile(join(root, path), 'utf8');
  const order = parseDocument(text).getIn(['offers', 'order'], true);
  const last = isSeq(order) ? order.items.at(-1) : undefined;
  if (!isSeq(order) || !isNode(last) || !last.range) return false;
  const [start, end] = last.range;
  const lineEnd = text.indexOf('\n', end);
  const at = order.flow || lineEnd === -1 ? end : lineEnd;
  const before = order.flow ? ', ' : `\n${text.slice(text.lastIndexOf('\n', start) + 1, start)}`;
  await writeFile(join(root, path), text.slice(0, at) + before + yamlText(id) + text.slice(at));
  return path;
}

/** A text as YAML, quoted if it would parse as another type. */
function yamlText(text: string): string {
  return stringify(text).trimEnd();
}

function titleOf(id: string): string {
  const words = id.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const CAPSULE_PROMPTS = [
  `${PLACEHOLDER}: Begin with the claim of this capsule in two or three sentences, so that a reader who stops here has the answer. Say what the thing is, whom it concerns and what follows from it. Refer to the source at the place that it supports, as here.[^source]`,
  `## How it works\n\n${PLACEHOLDER}: Explain the mechanism in the order in which it happens. Define each term when it first appears. Give numbers with their units, and name the section of the standard or the page of the document that they come from, so that a reader can check them. Show one short example where it helps, in a fenced block that names its language. Link to other capsules where their subject comes up, and list them under derived_from or cites above.`,
  `## What to do\n\n${PLACEHOLDER}: Say what a publisher or the author of an agent should do because of this, in concrete steps. Put the most useful step first. Where a choice has to be made, name the choice and the reason for each side.`,
  `## What goes wrong\n\n${PLACEHOLDER}: Name the usual mistakes and how they show. Say how to notice each one early, and how to fix it without losing anything. Close with what is not known or not settled yet, and with the date or the draft that the reader should check again.`,
];

function capsuleTemplate({ id, publisher, today }: NewContentOptions): string {
  return `---
title: ${yamlText(titleOf(id).padEnd(8, '.'))}
summary: "${PLACEHOLDER}: state the claim of this capsule in one sentence that can be quoted alone, between 60 and 280 characters."
type: concept
tags: [agents, web-standards]
language: en
version: 1.0.0
evidence: documented
license: ${publisher.license}
created: ${today}
updated: ${today}
draft: true
sources:
  - key: source
    title: "${PLACEHOLDER}: title of the source"
    url: https://www.rfc-editor.org/rfc/rfc9110
    publisher: "${PLACEHOLDER}: who published it"
    kind: standard
---

${CAPSULE_PROMPTS.join('\n\n')}
`;
}

/** Price of an offer where publisher.yaml has no `checkout_host` yet. */
const QUOTE_PROMPT = `# For a fixed price, put "checkout_host: https://buy.stripe.com" (your payment provider) into content/publisher.yaml,
# and in place of the next line: price_usd: 100, and checkout: the address of the payment link.
price: on request`;

function offerTemplate({ id, publisher, today }: NewContentOptions): string {
  const nextYear = Number(today.slice(0, 4)) + 1;
  const host = publisher.checkout_host;
  const demo = host !== undefined && isReservedHost(host);
  return `---
name: ${yamlText(titleOf(id).padEnd(3, '.'))}
summary: "${PLACEHOLDER}: say in one sentence what the buyer gets for the price, between 40 and 240 characters."
category: services
${host === undefined ? QUOTE_PROMPT : `price_usd: 100\ncadence: one_time\ncheckout: ${demo ? '/demo' : ''}/${id}\ndemo: ${demo}`}
draft: true
features:
  - "${PLACEHOLDER}: first thing that the buyer gets"
  - "${PLACEHOLDER}: second thing that the buyer gets"
refund: "${PLACEHOLDER}: say when and how money is given back."
delivery: "${PLACEHOLDER}: say what is delivered, in what form and how soon."
valid_until: ${nextYear}-12-31
updated: ${today}
---

${PLACEHOLDER}: Describe what the buyer gets, what the buyer has to bring, and what the offer does not include. Keep it short and exact, because
agents compare offers by these words.

1. ${PLACEHOLDER}: Say what happens first after the payment.
2. ${PLACEHOLDER}: Say what happens then, and how long it takes.
3. ${PLACEHOLDER}: Say how the buyer gets the result.
`;
}
