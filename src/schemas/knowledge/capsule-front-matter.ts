import * as z from 'zod';
import { CapsulePriceUsd, Prices } from '../commerce/capsule-price.ts';
import { ContentDate, Id, IsoDateTime, Language, Sha256Hex, Version } from '../primitives.ts';
import { StatedLicense } from '../spdx-license.ts';
import { Author, CAPSULE_FIELDS, CapsuleSource, CapsuleType, Evidence, FRONT_MATTER_MAX, line, questionList } from './capsule-fields.ts';

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

/** Why a capsule is retracted or was taken down, in a sentence that everybody can read. */
export const WithdrawalReason = line(20, 500);

const FURTHER_PATH_FORM = 'must be an address on this site such as /guide/install.html';

export const FURTHER_PATHS_MAX = 20;
export const FurtherPath = z
  .string(FURTHER_PATH_FORM)
  .max(250, 'must have at most 250 characters')
  .regex(/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+\/?$/, FURTHER_PATH_FORM);

/** Front matter of a capsule with all defaults, as it is published. */
export const CapsuleFrontMatter = z.strictObject({
  title: CAPSULE_FIELDS.title,
  summary: CAPSULE_FIELDS.summary,
  type: CapsuleType.describe('Kind of knowledge.'),
  tags: CAPSULE_FIELDS.tags,
  questions: CAPSULE_FIELDS.questions,
  language: Language.default('en').describe('Language of the text.'),
  translation_of: Id.optional(),
  version: Version,
  evidence: Evidence.describe('Strength of the best evidence for the main claim, weakest first.'),
  license: StatedLicense.describe('SPDX licence identifier of the text.'),
  created: ContentDate,
  updated: ContentDate,
  access: z.enum(['public', 'paid']).default('public'),
  price_usd: CapsulePriceUsd.optional(),
  prices: Prices.default({}),
  preview: z.string().trim().min(1, 'has no value; write one').max(FRONT_MATTER_MAX.preview).optional(),
  draft: z.boolean().default(false),
  written_by: Author.optional().describe('Author of the text.'),
  derived_from: CAPSULE_FIELDS.derived_from,
  cites: CAPSULE_FIELDS.cites,
  supersedes: CAPSULE_FIELDS.supersedes,
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
  retracted: z.strictObject({ date: ContentDate, reason: WithdrawalReason }).optional(),
  sources: CAPSULE_FIELDS.sources,
});
export type CapsuleFrontMatter = z.infer<typeof CapsuleFrontMatter>;

/** A title or a summary as authors write it: line breaks and repeated spaces of YAML do not count. */
export function writtenLine(max: number, min = 1) {
  return z.preprocess((value) => (typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : value), line(min, max));
}

/** A day; of a point in time only the day counts. */
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
    // An address that cannot be one is the only mistake of its source.
    const named = (text: string): string => (text.length < 3 ? 'Web page' : text);
    const title = source.replace(/^[a-z]+:\/\/(?:www\.)?/i, '').replace(/\/$/, '');
    return {
      key,
      title: named(title).slice(0, FRONT_MATTER_MAX.sourceTitle),
      url: source,
      publisher: named(host).slice(0, FRONT_MATTER_MAX.sourcePublisher),
      kind: 'web_page',
    };
  });
}

/** Front matter as it stands in `content/capsules/<id>.md`: every field has a default; the title defaults to the first heading. */
export const WrittenCapsule = CapsuleFrontMatter.extend({
  title: writtenLine(FRONT_MATTER_MAX.title).optional(),
  summary: writtenLine(FRONT_MATTER_MAX.summary).optional(),
  /** The name of the summary in other tools; a summary wins. */
  description: z.string().optional(),
  /** Kind of knowledge; an unknown word, such as another tool writes, counts as absent. */
  type: z.string().optional(),
  /** Tags in any spelling, also as one text with commas. */
  tags: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(',') : value),
      z
        .array(
          z.union([z.string().max(FRONT_MATTER_MAX.tag), z.number()], 'must be a list of words, such as [http, caching]').transform(String),
        )
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
