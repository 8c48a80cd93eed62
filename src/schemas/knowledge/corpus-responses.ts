import * as z from 'zod';
import { PublishedBudgetLevels } from '../agents/limit-reports.ts';
import { LIMITS } from '../limits.ts';
import { Cursor, Id, IsoDate, IsoDateTime, Language, PositiveInteger, Sha256Hex, Uri } from '../primitives.ts';
import { CapsuleStatus, CapsuleSummary, FreeTextUri, LinkedCapsule, PaidUri } from './capsule.ts';
import { CapsuleType, Evidence } from './capsule-front-matter.ts';
import { Page } from './query.ts';

/** Parameters of `GET …/browse`. */
export const BrowseParameters = z.strictObject({
  tag: Id.optional().describe('Only capsules with this tag.'),
  type: CapsuleType.optional().describe('Only capsules of this kind.'),
  language: Language.optional().describe('Only capsules in this language or a narrower one: en includes en-GB.'),
  status: CapsuleStatus.optional().describe('Only capsules with this status.'),
  min_evidence: Evidence.optional().describe('Only capsules with at least this evidence level.'),
  updated_after: IsoDate.optional().describe('Only capsules changed after this day.'),
  limit: PositiveInteger.optional().describe(
    `Most items on a page, ${LIMITS.browseLimitDefault} by default, at most ${LIMITS.browseLimitMax}.`,
  ),
  cursor: Cursor.optional().describe('next_cursor of the previous page; send the same filters with it.'),
});
export type BrowseParameters = z.infer<typeof BrowseParameters>;

/** A capsule in a list, with its URLs. */
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
  limit: z.int().min(0).describe('Most items on a page, as applied after the maximum. In a file, the number of all items.'),
  page: Page.describe('Position in the whole list.'),
});
export type BrowseResponse = z.infer<typeof BrowseResponse>;

/** Statistics of a generation of the corpus. */
export const CorpusStats = z
  .object({
    corpus_version: Sha256Hex.describe('Version of the corpus: digest of the generation manifest.'),
    corpus_digest: Sha256Hex.describe('Digest of the content, independent of the index.'),
    updated: IsoDateTime.describe('Newest change of a capsule.'),
    capsules: z.int().min(0).describe('Number of capsules.'),
    current: z.int().min(0).describe('Number of current capsules.'),
    superseded: z.int().min(0).describe('Number of superseded capsules.'),
    retracted: z.int().min(0).describe('Number of retracted capsules.'),
    versions: z.int().min(0).describe('Number of published versions of all capsules.'),
    generations: z.array(Sha256Hex).min(1).describe('Corpus versions available for pinned queries, newest first.'),
  })
  .describe('Statistics of a corpus version.');
export type CorpusStats = z.infer<typeof CorpusStats>;

/** Response of `GET …/status`. */
export const StatusResponse = z.object({
  status: z.enum(['ok', 'degraded']).describe('ok if all checks passed.'),
  deployment: z.enum(['static', 'live']).describe('static: served from a file. live: served by a function.'),
  corpus: CorpusStats.describe('The published corpus.'),
  checks: z
    .array(
      z.object({
        name: z.enum(['query', 'capsule', 'index', 'keys', 'database']).describe('Name of the check.'),
        ok: z.boolean().describe('Whether the check passed.'),
        detail: z.string().min(1).describe('Observation.'),
      }),
    )
    .describe('Live checks of the main operations; empty in a static file.'),
  budgets: PublishedBudgetLevels.describe('Daily budgets of what all callers together can store; empty in a static file.'),
});
export type StatusResponse = z.infer<typeof StatusResponse>;

/** A related capsule. */
export const RelatedCapsule = LinkedCapsule.extend({
  similarity: z.number().min(0).max(1).describe('Textual similarity from 0 to 1; comparable within one corpus version only.'),
});
export type RelatedCapsule = z.infer<typeof RelatedCapsule>;

/** Response of `GET …/related`. */
export const RelatedResponse = z.object({
  corpus_version: Sha256Hex.describe('Version of the corpus.'),
  capsule_id: Id.describe('Requested capsule.'),
  items: z
    .array(RelatedCapsule)
    .max(LIMITS.relatedMax)
    .describe('Related capsules of any status, most similar first; empty if there are none.'),
});
export type RelatedResponse = z.infer<typeof RelatedResponse>;
