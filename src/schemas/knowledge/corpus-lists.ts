import * as z from 'zod';
import { BudgetLevel } from '../agents/published-limits.ts';
import { LIMITS } from '../limits.ts';
import { Id, IsoDate, IsoDateTime, Language, Sha256Hex, Uri } from '../primitives.ts';
import { CapsuleStatus, CapsuleSummary, FreeTextUri, PaidUri } from './capsule.ts';
import { CapsuleType, Evidence } from './capsule-front-matter.ts';
import { Page } from './query.ts';

/** Parameters of `GET …/browse`. */
export const BrowseParameters = z.strictObject({
  tag: Id.optional().describe('Only capsules with this tag.'),
  type: CapsuleType.optional().describe('Only capsules of this kind.'),
  language: Language.optional().describe('Only capsules in this language or a narrower one: en takes in en-GB.'),
  status: CapsuleStatus.optional().describe('Only capsules in this state.'),
  min_evidence: Evidence.optional().describe('Only capsules with at least this evidence level.'),
  updated_after: IsoDate.optional().describe('Only capsules changed after this day.'),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number above 0')
    .optional()
    .describe(`Most items of a page, ${LIMITS.browseLimitDefault} by default, at most ${LIMITS.browseLimitMax}.`),
  cursor: z.string().min(1).max(512).optional().describe('next_cursor of the page before; send the same filters with it.'),
});
export type BrowseParameters = z.infer<typeof BrowseParameters>;

/** A capsule in a list, with its addresses. */
export const BrowseItem = CapsuleSummary.extend({
  url: Uri.describe('Page of the capsule.'),
  markdown_url: FreeTextUri,
  paid_url: PaidUri,
  json_url: Uri.describe('The capsule as a JSON file.'),
  lineage_url: Uri.describe('Lineage of the capsule.'),
});
export type BrowseItem = z.infer<typeof BrowseItem>;

/** One page of the list of capsules, newest change first, then by id. */
export const BrowseResponse = z.object({
  corpus_version: Sha256Hex.describe('Version of the corpus.'),
  items: z.array(BrowseItem).describe('Capsules of this page.'),
  limit: z
    .int()
    .min(0)
    .describe('Most items of a page, as applied: a larger number was lowered to the bound. In a file, the number of all items.'),
  page: Page.describe('Position in the whole list.'),
});
export type BrowseResponse = z.infer<typeof BrowseResponse>;

/** Facts about the corpus that do not change between two publishes. */
export const CorpusStats = z.object({
  corpus_version: Sha256Hex.describe('Version of the corpus: digest of the generation manifest.'),
  corpus_digest: Sha256Hex.describe('Digest of the content alone, whatever the index looks like.'),
  updated: IsoDateTime.describe('Newest change of a capsule.'),
  capsules: z.int().min(0).describe('Number of capsules.'),
  current: z.int().min(0).describe('How many of them are current.'),
  superseded: z.int().min(0).describe('How many are superseded.'),
  retracted: z.int().min(0).describe('How many are retracted.'),
  versions: z.int().min(0).describe('Number of published versions of all capsules.'),
  generations: z.array(Sha256Hex).describe('Corpus versions that still answer pinned queries, newest first.'),
});
export type CorpusStats = z.infer<typeof CorpusStats>;

/** Answer of `GET …/status`. */
export const StatusResponse = z.object({
  status: z.enum(['ok', 'degraded']).describe('ok when every check passed.'),
  deployment: z.enum(['static', 'live']).describe('Whether a file or a function answered.'),
  corpus: CorpusStats.describe('What is published.'),
  checks: z
    .array(
      z.object({
        name: z.string().describe('What was tried.'),
        ok: z.boolean().describe('Whether it worked.'),
        detail: z.string().describe('What was seen.'),
      }),
    )
    .describe('Main operations, tried while answering; empty in a static file.'),
  budgets: z
    .array(z.object({ name: z.string().describe('Name of the budget, as in capabilities.'), level: BudgetLevel }))
    .describe('Budgets of what all callers together can store in a day; empty in a static file.'),
});
export type StatusResponse = z.infer<typeof StatusResponse>;

/** A capsule near to another one. */
export const RelatedCapsule = CapsuleSummary.extend({
  url: Uri.describe('Page of the capsule.'),
  markdown_url: FreeTextUri,
  paid_url: PaidUri,
  lineage_url: Uri.describe('Lineage of the capsule.'),
  related_url: Uri.describe('Capsules near to this one.'),
  similarity: z
    .number()
    .min(0)
    .max(1)
    .describe('How much the words of both have in common, from 0 to 1; comparable within one corpus version only.'),
});
export type RelatedCapsule = z.infer<typeof RelatedCapsule>;

/** Answer of `GET …/related`. */
export const RelatedResponse = z.object({
  corpus_version: Sha256Hex.describe('Version of the corpus.'),
  capsule_id: Id.describe('Capsule that was asked about.'),
  items: z
    .array(RelatedCapsule)
    .max(LIMITS.relatedMax)
    .describe('Capsules near to it, nearest first, whatever their state; empty if none is near.'),
});
export type RelatedResponse = z.infer<typeof RelatedResponse>;
