import * as z from 'zod';
import { CapsulePriceUsd } from '../commerce/payments.ts';
import { ListedLicense } from '../license.ts';
import { ContentDate, HttpsUri, Id, IsoDateTime, Language, Sha256Hex, Version } from '../primitives.ts';

/** What kind of knowledge a capsule holds. */
export const CapsuleType = z.enum(['concept', 'protocol', 'practice', 'comparison', 'measurement', 'reference']);
export type CapsuleType = z.infer<typeof CapsuleType>;

/** Strength of the best evidence for a capsule's main claim, weakest first. */
export const EVIDENCE_LEVELS = ['opinion', 'reported', 'documented', 'specified', 'measured'] as const;

/** One of {@link EVIDENCE_LEVELS}. */
export const Evidence = z.enum(EVIDENCE_LEVELS);
export type Evidence = z.infer<typeof Evidence>;

/** What each evidence level means, in words for readers. */
export const EVIDENCE_MEANINGS: Readonly<Record<Evidence, string>> = {
  opinion: 'a judgement of the publisher',
  reported: 'said by a secondary source',
  documented: 'documented by the party responsible for it',
  specified: 'stated by a published specification or standard',
  measured: 'checked by running or computing it',
};

/** Kind of a source. */
export const SourceKind = z.enum(['standard', 'specification', 'documentation', 'source_code', 'paper', 'article']);
export type SourceKind = z.infer<typeof SourceKind>;

/** Short plain text of an author, on one line. */
function line(min: number, max: number): z.ZodString {
  return z
    .string()
    .min(min, `must have at least ${min} characters`)
    .max(max, `must have at most ${max} characters`)
    .regex(/^[^\r\n]*$/, 'must be on one line');
}

/** A text that a capsule rests on. */
export const CapsuleSource = z.strictObject({
  key: Id.describe('Name of the source inside the capsule; the text refers to it as [^key].'),
  title: line(3, 200).describe('Title of the source.'),
  url: HttpsUri.describe('Where the source can be read.'),
  publisher: line(2, 120).describe('Who published the source.'),
  kind: SourceKind.describe('Kind of the source.'),
  retrieved: ContentDate.optional().describe(
    'Day on which the source was opened and read; absent for a numbered standard cited by its canonical address.',
  ),
});
export type CapsuleSource = z.infer<typeof CapsuleSource>;

/** Fewest and most sources of a capsule. */
export const CAPSULE_SOURCES = { min: 1, max: 8 } as const;

/** Front matter of `content/capsules/<id>.md`: what an author writes above the text. */
export const CapsuleFrontMatter = z.strictObject({
  title: line(8, 110).describe('A claim or a name.'),
  summary: line(60, 280).describe('The claim in a sentence that can be quoted alone.'),
  type: CapsuleType.describe('What kind of knowledge it is.'),
  tags: z.array(Id).min(2, 'must name at least 2 tags').max(6, 'must name at most 6 tags').describe('Subjects.'),
  language: Language.default('en').describe('Language of the text.'),
  version: Version,
  evidence: Evidence.describe('Strength of the best evidence for the main claim, weakest first.'),
  license: ListedLicense.describe('Licence of the text, as the SPDX licence list names it.'),
  created: ContentDate,
  updated: ContentDate,
  access: z.enum(['public', 'paid']).default('public'),
  /** What the text costs in dollars; there if access is paid, and only then. */
  price_usd: CapsulePriceUsd.optional(),
  draft: z.boolean().default(false),
  written_by: z
    .strictObject({
      type: z.enum(['Person', 'Organization', 'SoftwareAgent']).describe('Who that is.'),
      name: line(2, 120).describe('Name of the author.'),
    })
    .optional()
    .describe('Who wrote it.'),
  derived_from: z.array(Id).max(12).default([]).describe('Ids of published capsules that it was made from.'),
  cites: z.array(Id).max(20).default([]).describe('Ids of published capsules that it refers to.'),
  supersedes: z
    .array(z.strictObject({ capsule: Id, reason: line(10, 300) }))
    .max(5)
    .default([]),
  /** The proposal that the text was accepted from; written by `npm run intake` and published nowhere. */
  proposed: z
    .strictObject({
      agent: z.string().regex(/^agt_[0-9a-f]{16}$/, 'must be the id of an agent'),
      receipt: z.string().regex(/^rcp_[0-9A-Za-z]{20,80}$/, 'must be a receipt'),
      received: IsoDateTime,
      sha256: Sha256Hex,
    })
    .optional(),
  retracted: z.strictObject({ date: ContentDate, reason: line(20, 500) }).optional(),
  sources: z
    .array(CapsuleSource)
    .min(CAPSULE_SOURCES.min, 'must name at least one source')
    .max(CAPSULE_SOURCES.max, `must name at most ${CAPSULE_SOURCES.max} sources`)
    .describe('Texts that it rests on; the text refers to each.'),
});
export type CapsuleFrontMatter = z.infer<typeof CapsuleFrontMatter>;
