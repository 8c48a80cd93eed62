import * as z from 'zod';
import { CapsuleSummary, FreeTextUri, PaidUri } from './capsule.ts';
import { LIMITS } from '../limits.ts';
import { Id, Sha256Hex, Uri } from '../primitives.ts';

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
