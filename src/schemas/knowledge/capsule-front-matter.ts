import * as z from 'zod';
import { CapsulePriceUsd, Prices } from '../commerce/capsule-price.ts';
import { StatedLicense } from '../license.ts';
import { ContentDate, HttpsUri, Id, IsoDateTime, Language, Sha256Hex, Version } from '../primitives.ts';
import { EVIDENCE_LEVELS } from './vocabulary.ts';

export const CapsuleType = z.enum(['concept', 'protocol', 'practice', 'comparison', 'measurement', 'reference']);
export type CapsuleType = z.infer<typeof CapsuleType>;

export const Evidence = z.enum(EVIDENCE_LEVELS);
export type Evidence = z.infer<typeof Evidence>;

export const SourceKind = z.enum([
  ...['standard', 'specification', 'documentation', 'source_code', 'paper', 'article'],
  ...['dataset', 'book', 'law', 'web_page', 'own_record', 'personal_communication'],
] as const);
export type SourceKind = z.infer<typeof SourceKind>;

export function line(min: number, max: number): z.ZodString {
  return z
    .string()
    .min(min, min === 1 ? 'has no value; write one' : `must have at least ${min} characters`)
    .max(max, `must have at most ${max} characters`)
    .regex(/^[^\r\n]*$/, 'must be on one line');
}

export const Author = z.strictObject({
  type: z.enum(['Person', 'Organization', 'SoftwareAgent']).describe('Kind of author.'),
  name: line(2, 120).describe('Name of the author.'),
});
export type Author = z.infer<typeof Author>;

/** Bounds of front matter; what a publisher demands beyond them are the rules of `editorial`. */
export const FRONT_MATTER_MAX = {
  title: 200,
  summary: 600,
  tags: 30,
  questions: 20,
  question: 200,
  relations: 60,
  sources: 60,
  sourceTitle: 200,
  sourcePublisher: 120,
  sourceQuote: 500,
  sourceLocator: 120,
  preview: 5_000,
} as const;

export const CapsuleSource = z.strictObject({
  key: Id.describe('Name of the source within the capsule, whose text cites it as [^key].'),
  title: line(3, FRONT_MATTER_MAX.sourceTitle).describe('Title of the source.'),
  url: HttpsUri.describe('URL of the source.'),
  publisher: line(2, FRONT_MATTER_MAX.sourcePublisher).describe('Publisher of the source.'),
  kind: SourceKind.describe('Kind of the source.'),
  retrieved: ContentDate.optional().describe(
    'Day on which the source was read; absent for a numbered standard cited by its canonical URL.',
  ),
  quote: line(3, FRONT_MATTER_MAX.sourceQuote).optional().describe('Sentence of the source that supports the text, word for word.'),
  locator: line(1, FRONT_MATTER_MAX.sourceLocator).optional().describe('Place in the source, such as a section or a page.'),
});
export type CapsuleSource = z.infer<typeof CapsuleSource>;

/** Origin of an imported text, written by `akg import` and not published. */
export const ImportOrigin = z.strictObject({
  /** The address of the repository or site, or the name of the folder, that it was imported from. */
  from: line(1, 2_048),
  path: line(1, 2_048),
  /** Heading of the part, if the page was split. */
  part: line(1, 500).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  sha256: Sha256Hex,
  /** Digests of the text and of the other front matter as they were written, to notice edits. */
  text_sha256: Sha256Hex,
  fields_sha256: Sha256Hex,
});
export type ImportOrigin = z.infer<typeof ImportOrigin>;

const FURTHER_PATH_FORM = 'must be an address on this site such as /guide/install.html';

/** An address on the site that redirects to the page of a capsule, and how many a capsule may have. */
export const FURTHER_PATHS_MAX = 20;
export const FurtherPath = z
  .string(FURTHER_PATH_FORM)
  .max(250, 'must have at most 250 characters')
  .regex(/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+\/?$/, FURTHER_PATH_FORM);

function questionList(question: z.ZodType<string>) {
  return z
    .array(question)
    .max(FRONT_MATTER_MAX.questions, `must have at most ${FRONT_MATTER_MAX.questions} questions`)
    .superRefine((list, context) => {
      for (const [at, text] of list.entries())
        if (list.indexOf(text) < at) context.addIssue({ code: 'custom', path: [at], message: 'repeats a question; write it once' });
    });
}

/** Front matter of a capsule with all defaults, as it is published. */
export const CapsuleFrontMatter = z.strictObject({
  title: line(1, FRONT_MATTER_MAX.title).describe('A claim or a name.'),
  summary: line(1, FRONT_MATTER_MAX.summary).describe('The claim in one sentence that stands alone.'),
  type: CapsuleType.describe('Kind of knowledge.'),
  tags: z
    .array(Id)
    .max(FRONT_MATTER_MAX.tags, `must name at most ${FRONT_MATTER_MAX.tags} tags`)
    .default([])
    .describe('Tags: the subjects.'),
  questions: questionList(line(3, FRONT_MATTER_MAX.question))
    .default([])
    .describe('Questions that the text answers, in the words of people who ask.'),
  language: Language.default('en').describe('Language of the text.'),
  /** Id of the capsule that this one is a translation of; it is not one itself. */
  translation_of: Id.optional(),
  version: Version,
  evidence: Evidence.describe('Strength of the best evidence for the main claim, weakest first.'),
  license: StatedLicense.describe('SPDX licence identifier of the text.'),
  created: ContentDate,
  updated: ContentDate,
  access: z.enum(['public', 'paid']).default('public'),
  /** Price of the text in dollars; it has this or `prices` exactly if access is paid. */
  price_usd: CapsulePriceUsd.optional(),
  prices: Prices.default({}),
  /** Markdown that is free to read, in the place of what stands before a line `<!-- paid -->`; only if access is paid. */
  preview: z.string().trim().min(1, 'has no value; write one').max(FRONT_MATTER_MAX.preview).optional(),
  draft: z.boolean().default(false),
  written_by: Author.optional().describe('Author of the text.'),
  derived_from: z.array(Id).max(FRONT_MATTER_MAX.relations).default([]).describe('Ids of published capsules that it is derived from.'),
  cites: z.array(Id).max(FRONT_MATTER_MAX.relations).default([]).describe('Ids of published capsules that it cites.'),
  supersedes: z
    .array(z.strictObject({ capsule: Id, reason: line(10, 300) }))
    .max(5)
    .default([]),
  /** Ids under which it was published before; their addresses lead to it. */
  formerly: z.array(Id).max(20, 'must name at most 20 ids').default([]),
  path: z
    .preprocess(
      (value) => (typeof value === 'string' ? [value] : value),
      z.array(FurtherPath).max(FURTHER_PATHS_MAX, `must name at most ${FURTHER_PATHS_MAX} addresses`),
    )
    .default([]),
  /** Origin of an accepted proposal, written by `npm run intake` and not published. */
  proposed: z
    .strictObject({
      agent: z.string().regex(/^agt_[0-9a-f]{16}$/, 'must be the id of an agent'),
      receipt: z.string().regex(/^rcp_[0-9A-Za-z]{20,80}$/, 'must be a receipt'),
      received: IsoDateTime,
      sha256: Sha256Hex,
    })
    .optional(),
  imported: ImportOrigin.optional(),
  retracted: z.strictObject({ date: ContentDate, reason: line(20, 500) }).optional(),
  sources: z
    .array(CapsuleSource)
    .max(FRONT_MATTER_MAX.sources, `must name at most ${FRONT_MATTER_MAX.sources} sources`)
    .default([])
    .describe('Sources of the text, which cites each of them.'),
});
export type CapsuleFrontMatter = z.infer<typeof CapsuleFrontMatter>;

/** A title or a summary as authors write it: line breaks and repeated spaces of YAML do not count. */
export function writtenLine(max: number, min = 1) {
  return z.preprocess((value) => (typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : value), line(min, max));
}

/** A day, also as a point in time, of which the day counts. */
export const WrittenDate = z.preprocess(
  (value) => (typeof value === 'string' ? value.replace(/^(\d{4}-\d{2}-\d{2})[T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?$/, '$1') : value),
  ContentDate,
);

/** Sources as authors write them, also as addresses alone: then the key is from their end, the publisher their host, and the kind a web page. */
export function writtenSources<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (Array.isArray(value) ? fullSources(value) : value), schema);
}

function fullSources(written: readonly unknown[]): unknown[] {
  const keys = new Set(written.flatMap((source) => (typeof source === 'object' && source !== null && 'key' in source ? [source.key] : [])));
  return written.map((source) => {
    if (typeof source !== 'string') return source;
    const address = /^[a-z]+:\/\/(?:www\.)?([^/?#]+)([^?#]*)/i.exec(source);
    const [, host = '', path = ''] = address ?? [];
    const word = (text: string): string => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-').slice(0, 50).replace(/-$/, '');
    const end = path.split('/').findLast((part) => part !== '') ?? '';
    const name = word(end.replace(/\.\w{1,5}$/, '')) || word(host) || 'source';
    let key = name;
    for (let number = 2; keys.has(key); number += 1) key = `${name}-${number}`;
    keys.add(key);
    const title = source.replace(/^[a-z]+:\/\/(?:www\.)?/i, '').replace(/\/$/, '');
    return {
      key,
      title: title.slice(0, FRONT_MATTER_MAX.sourceTitle),
      url: source,
      publisher: host.slice(0, FRONT_MATTER_MAX.sourcePublisher),
      kind: 'web_page',
    };
  });
}

/** Front matter as it stands in `content/capsules/<id>.md`: everything has a default; that of the title is the first heading. */
export const WrittenCapsule = CapsuleFrontMatter.extend({
  title: writtenLine(FRONT_MATTER_MAX.title).optional(),
  summary: writtenLine(FRONT_MATTER_MAX.summary).optional(),
  /** The name of the summary in other tools; a summary wins. */
  description: z.string().optional(),
  /** Kind of knowledge; other words, which other tools have, are as if it was left out. */
  type: z.string().optional(),
  /** Tags in any spelling, also as one text with commas. */
  tags: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(',') : value),
      z
        .array(z.union([z.string().max(100), z.number()], 'must be a list of words, such as [http, caching]').transform(String))
        .max(FRONT_MATTER_MAX.tags, `must name at most ${FRONT_MATTER_MAX.tags} tags`),
    )
    .optional(),
  questions: questionList(writtenLine(FRONT_MATTER_MAX.question, 3)).default([]),
  language: Language.optional(),
  version: Version.optional(),
  evidence: Evidence.optional(),
  license: StatedLicense.optional(),
  created: WrittenDate.optional(),
  updated: WrittenDate.optional(),
  sources: writtenSources(
    z.array(CapsuleSource).max(FRONT_MATTER_MAX.sources, `must name at most ${FRONT_MATTER_MAX.sources} sources`),
  ).optional(),
});
export type WrittenCapsule = z.infer<typeof WrittenCapsule>;
