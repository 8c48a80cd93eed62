import { SCRIPT_PAYLOADS } from './script-payloads.ts';

export interface Piece {
  /** Kind of place, such as `capsule.title` or `text: a link's title`. */
  readonly place: string;
  readonly payload: string;
  readonly hostile: string;
  readonly plain: string;
  isRefused: boolean;
}

export interface HostileFile {
  readonly path: string;
  readonly parts: readonly (string | Piece)[];
}

const CAPSULES = 12;
const OFFERS = 6;
const PAGES = 6;
/** Each payload stands in one of so many of the places of a text, so that a browser has read all pages in half a minute. */
const SPREAD = 3;
const DAY = '2026-11-20';
const SENTENCE = 'A cache keeps an answer for the time that its server allows and asks again when that time has passed. ';

const CONTEXTS: readonly (readonly [place: string, write: (payload: string) => string])[] = [
  ['a paragraph', (payload) => `Before ${payload} after.`],
  ['a paragraph of its own', (payload) => payload],
  ['a heading', (payload) => `## ${payload}`],
  ['a list', (payload) => `- ${payload}\n- [x] ${payload}`],
  ['a quote', (payload) => `> ${payload}`],
  ['bold and struck words', (payload) => `**${payload}** and ~~${payload}~~`],
  ['a code span', (payload) => `\`\`\` ${payload} \`\`\``],
  ['a code block', (payload) => `\`\`\`\`html\n${payload}\n\`\`\`\``],
  ["a code block's language", (payload) => `\`\`\`\`${payload}\ntext\n\`\`\`\``],
  ["a code block's other words", (payload) => `\`\`\`\`html ${payload}\ntext\n\`\`\`\``],
  ['a table', (payload) => `| ${cell(payload)} | b |\n| --- | --- |\n| ${cell(payload)} | d |`],
  ["a link's text", (payload) => `[${payload}](https://example.com/)`],
  ["a link's title", (payload) => `[text](https://example.com/ "${payload.replaceAll('"', '\\"')}")`],
  ["a link's title in single quotes", (payload) => `[text](https://example.com/ '${payload}')`],
  ["a link's address", (payload) => `[text](<${payload}>)`],
  ['the end of an address', (payload) => `[text](https://example.com/${payload.replaceAll(' ', '')})`],
  ['an address of this site', (payload) => `[text](</about?${payload}#${payload}>)`],
  ['a mail address', (payload) => `[text](<mailto:a@b.example?subject=${payload}>)`],
  ['an automatic link', (payload) => `<${payload}>`],
  ['a definition', (payload) => `[text][${word(payload)}]\n\n[${word(payload)}]: <${payload}> "${payload.replaceAll('"', '\\"')}"`],
  ["a definition's name", (payload) => `[${payload}]\n\n[${payload}]: https://example.com/`],
  ['a reference to a source', (payload) => `Text.[^${payload}]`],
  ['character references', (payload) => [...payload].map((character) => `&#${character.codePointAt(0)};`).join('')],
  ['escaped characters', (payload) => payload.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')],
];

/**
 * Everything that the check of content may be given, in every field and place.
 *
 * @param houseRules Rules of `editorial` that are errors; the others are at their defaults.
 */
export function hostileFiles(houseRules: readonly string[] = []): HostileFile[] {
  const texts = SCRIPT_PAYLOADS.flatMap((payload, index) =>
    CONTEXTS.filter((_, place) => (index + place) % SPREAD === 0).map(([place, write]) =>
      piece(`text: ${place}`, payload, write(payload), ''),
    ),
  );
  const share = (part: number, parts: number): (string | Piece)[] =>
    texts.filter((_, index) => index % parts === part).flatMap((text) => [text, '']);
  const bodies = CAPSULES + 2 * (OFFERS + PAGES);
  const body = (position: number): (string | Piece)[] => share(position, bodies);
  const twice = (position: number): (string | Piece)[] => [...body(CAPSULES + 2 * position), ...body(CAPSULES + 2 * position + 1)];
  return [
    publisherFile(houseRules),
    ...counted(CAPSULES).map((index) => capsuleFile(index, body(index))),
    ...counted(OFFERS).map((index) => offerFile(index, twice(index))),
    ...counted(PAGES).map((index) => pageFile(index, twice(OFFERS + index))),
  ];
}

export const textOf = ({ parts }: HostileFile): string => `${parts.map(shown).join('\n')}\n`;

export function pieceAt({ parts }: HostileFile, line: number): Piece | undefined {
  let end = 0;
  for (const part of parts) {
    end += shown(part).split('\n').length;
    if (line <= end) return typeof part === 'string' ? undefined : part;
  }
  return undefined;
}

function shown(part: string | Piece): string {
  return typeof part === 'string' ? part : part.isRefused ? part.plain : part.hostile;
}

function publisherFile(houseRules: readonly string[]): HostileFile {
  const next = payloads(3);
  return {
    path: 'content/publisher.yaml',
    parts: [
      field('publisher', 'name', `A ${next()}`, 'Lantern'),
      field('publisher', 'tagline', `A tagline ${next()}`, 'Small facts and where they come from'),
      field('publisher', 'description', `${SENTENCE} ${next()}`, SENTENCE),
      field('publisher', 'base_url', `https://lantern.example/${next()}`, 'https://lantern.example'),
      field('publisher', 'issuer', `did:web:${next()}`, 'did:web:lantern.example'),
      field('publisher', 'checkout_host', `https://pay.example${next()}`, 'https://pay.example'),
      field('publisher', 'contact_email', `"${next()}"@lantern.example`, 'desk@lantern.example'),
      field('publisher', 'license', next(), 'CC-BY-4.0'),
      'currency: USD',
      'sample: true',
      `updated: ${DAY}`,
      'offers:',
      `  order: [${counted(OFFERS).map(offerId).join(', ')}]`,
      `  recommended_first: ${offerId(0)}`,
      `  recommended_quick: ${offerId(1)}`,
      `  fast_paid_starts: [${offerId(1)}, ${offerId(2)}]`,
      `editorial: { ${houseRules.map((rule) => `${rule}: error`).join(', ')} }`,
    ],
  };
}

function capsuleFile(index: number, body: (string | Piece)[]): HostileFile {
  const next = payloads(index * 6);
  const sources = [0, 1, 2].flatMap((number) => [
    `  - key: s${number}`,
    field('capsule.sources', '    title', `Source ${next()}`, 'A standard'),
    field(
      'capsule.sources',
      '    url',
      `https://source.example/${number % 2 === 0 ? encodeURI(next()) : next()}`,
      'https://source.example/',
    ),
    field('capsule.sources', '    publisher', `By ${next()}`, 'A publisher'),
    '    kind: standard',
  ]);
  return {
    path: `content/capsules/${capsuleId(index)}.md`,
    parts: [
      '---',
      field('capsule', 'title', `${index} about ${next()}`, `A capsule of the number ${index}`),
      field('capsule', 'summary', `${SENTENCE} ${next()} ${next()}`, SENTENCE),
      field('capsule', 'type', next(), 'concept'),
      'tags:',
      '  - http',
      field('capsule.tags', '  - ', next(), 'caching'),
      field('capsule', 'language', next(), 'en'),
      field('capsule', 'version', next(), '1.0.0'),
      field('capsule', 'evidence', next(), 'specified'),
      field('capsule', 'license', next(), 'CC-BY-4.0'),
      `created: ${DAY}`,
      field('capsule', 'updated', next(), DAY),
      'written_by:',
      '  type: Person',
      field('capsule.written_by', '  name', `By ${next()}`, 'An author'),
      ...(index > 0 && index % 4 === 0
        ? [
            'supersedes:',
            `  - capsule: ${capsuleId(index - 1)}`,
            field('capsule.supersedes', '    reason', `Newer: ${next()}`, 'It is newer than that.'),
          ]
        : index > 1
          ? [`cites: [${capsuleId(index - 2)}]`, `derived_from: [${capsuleId(index - 1)}]`]
          : []),
      ...(index % 5 === 2
        ? [
            'retracted:',
            `  date: ${DAY}`,
            field('capsule.retracted', '  reason', `It was wrong because ${next()}`, 'It was wrong in every point.'),
          ]
        : []),
      'sources:',
      ...sources,
      '---',
      `${SENTENCE.repeat(11)}[^s0][^s1][^s2]`,
      '',
      ...body,
    ],
  };
}

function offerFile(index: number, body: (string | Piece)[]): HostileFile {
  const next = payloads(index * 13 + 1);
  return {
    path: `content/offers/${offerId(index)}.md`,
    parts: [
      '---',
      field('offer', 'name', `Offer ${next()}`.slice(0, 80), `An offer of the number ${index}`),
      field('offer', 'summary', `${SENTENCE} ${next()}`, SENTENCE),
      field('offer', 'category', next(), 'review'),
      'price_usd: 10',
      field('offer', 'cadence', next(), 'one_time'),
      `aliases: [alias-${index}]`,
      field('offer', 'route', `/buy/${next()}`, `/buy/${offerId(index)}`),
      field('offer', 'checkout', index % 3 === 0 ? `/demo/${next()}` : `/demo/${encodeURIComponent(next())}`, `/demo/${index}`),
      'demo: true',
      'features:',
      ...counted(8).map(() => field('offer.features', '  - ', `You get ${next()}`, 'You get a table of all claims')),
      field('offer', 'refund', `Full refund ${next()}`, 'Full refund within a month.'),
      field('offer', 'delivery', `By e-mail ${next()}`, 'By e-mail within a week.'),
      "valid_until: '2099-12-31'",
      `updated: ${DAY}`,
      '---',
      SENTENCE.repeat(4),
      '',
      ...body,
    ],
  };
}

function pageFile(index: number, body: (string | Piece)[]): HostileFile {
  const next = payloads(index * 2 + 2);
  const name = ['about', 'contact', 'terms', 'checkout'][index] ?? `page-${index}`;
  return {
    path: `content/pages/${name}.md`,
    parts: [
      '---',
      field('page', 'title', `Page ${next()}`.slice(0, 90), `A page of the number ${index}`),
      field('page', 'description', `${SENTENCE} ${next()}`.slice(0, 200), SENTENCE),
      `updated: ${DAY}`,
      '---',
      SENTENCE.repeat(4),
      '',
      ...body,
    ],
  };
}

/** A line of front matter; a name that ends in `- ` is an item of a list. */
function field(kind: string, name: string, hostile: string, plain: string): Piece {
  const line = (value: string): string => (name.endsWith('- ') ? `${name}${JSON.stringify(value)}` : `${name}: ${JSON.stringify(value)}`);
  return piece(name.endsWith('- ') ? kind : `${kind} ${name.trim()}`, hostile, line(hostile), line(plain));
}

function piece(place: string, payload: string, hostile: string, plain: string): Piece {
  return { place, payload, hostile, plain, isRefused: false };
}

/** Takes one payload after the other, from a place that differs by file. */
function payloads(start: number): () => string {
  let position = start;
  return () => SCRIPT_PAYLOADS[position++ % SCRIPT_PAYLOADS.length] ?? '';
}

function cell(payload: string): string {
  return payload.replaceAll('|', '\\|');
}

function word(payload: string): string {
  return `r${SCRIPT_PAYLOADS.indexOf(payload)}`;
}

const counted = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const capsuleId = (index: number): string => `capsule-${index}`;
const offerId = (index: number): string => `offer-${index}`;
