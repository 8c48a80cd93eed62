import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { PATHS } from '../paths.ts';
import { Id, IsoDate, IsoDateTime, PositiveInteger, RecordDigest, RootPath, Sha256Hex, Uri, Version } from '../primitives.ts';
import { Digest, Issuer, Signatures } from './lineage.ts';

/** End of the change log. */
export const LogPosition = z.object({
  count: z.int().min(0).describe('Number of events.'),
  digest: RecordDigest.nullable().describe('Digest of the last of them; null if there is none.'),
});

/** An event of the change log. */
export const ChangeEvent = z
  .object({
    event: z
      .enum(['added', 'revised', 'superseded', 'retracted', 'restored', 'removed'])
      .describe('Kind of change; restored reverts a supersession or retraction, removed means that the capsule is no longer published.'),
    capsule_id: Id.describe('Changed capsule.'),
    version: Version.describe('Newest version of the capsule at the time.'),
    date: IsoDate.describe(
      'Publication day of the change; for removed without a day of its own, the day of the previous event of the capsule.',
    ),
    record_digest: RecordDigest.describe('Digest of the record of that version.'),
    content_sha256: Sha256Hex.describe('Digest of the exact text of that version.'),
    reason: z.string().min(1).optional().describe('Why it is superseded, retracted or removed.'),
    superseded_by: Id.optional().describe('Capsule that replaces it; for removed, the new id of the same capsule.'),
    count: z.int().min(1).describe('Number of events up to this one.'),
    digest: RecordDigest.describe('Digest of this event and, by chaining, of all earlier ones.'),
  })
  .describe('An event of the change log.');
export type ChangeEvent = z.infer<typeof ChangeEvent>;

/** Statement about the whole corpus and its bundle. */
export const CorpusManifestStatement = z
  .object({
    $schema: z.literal(PATHS.corpusManifestSchema).describe('JSON Schema of the statement.'),
    type: z.literal('CorpusManifest').describe('Kind of the statement.'),
    issuer: Issuer,
    corpusDigest: RecordDigest.describe('Digest of the content: the records of all capsules and their states.'),
    capsules: z.int().min(0).describe('Number of capsules.'),
    versions: z.int().min(0).describe('Number of versions of all capsules.'),
    bundle: z
      .object({
        mediaType: z.string().min(1).describe('Media type of the parts.'),
        parts: z
          .array(
            z.object({
              uri: RootPath.describe('Root-relative URL of the part.'),
              size: z.int().min(0).describe('Size in bytes.'),
              lines: z.int().min(0).describe('Number of lines, one per capsule.'),
              digest: Digest.describe('Digest of the bytes.'),
            }),
          )
          .describe('The parts, in order.'),
      })
      .describe('All capsules with all versions, proofs and free texts, in parts, ascending by id.'),
    changes: LogPosition.describe('End of the change log at the time.'),
    issued: IsoDateTime.describe('When the statement was made.'),
    validUntil: IsoDateTime.optional().describe('Expiry of a signed manifest; absent on an unsigned one.'),
  })
  .describe('Statement about the whole corpus and its bundle.');
export type CorpusManifestStatement = z.infer<typeof CorpusManifestStatement>;

/** The signed manifest of the corpus. */
export const CorpusManifest = z
  .object({ statement: CorpusManifestStatement, signatures: Signatures })
  .describe('A statement about the corpus, signed if the publisher has a key.');
export type CorpusManifest = z.infer<typeof CorpusManifest>;

const ChangesCursor = z
  .string()
  .max(80)
  .regex(/^(0|[1-9]\d{0,9}\.[0-9a-f]{64})$/, 'must be a cursor of this feed, such as 0 or <count>.<digest>');

/** Parameters of `GET …/changes`. */
export const ChangesParameters = z.strictObject({
  cursor: ChangesCursor.optional().describe(
    'Position to continue from: cursor of a previous response, or count and digest of your last event.',
  ),
  limit: PositiveInteger.optional().describe(
    `Most events in a response, ${LIMITS.changesLimitDefault} by default, at most ${LIMITS.changesLimitMax}.`,
  ),
});
export type ChangesParameters = z.infer<typeof ChangesParameters>;

/** Response of `GET …/changes`. */
export const ChangesResponse = z.object({
  corpus_version: Sha256Hex.describe('Version of the corpus.'),
  corpus_digest: Sha256Hex.describe('Digest of the content; compare it with the digest of your copy to detect missing content.'),
  changes: z.array(ChangeEvent).describe('Events after the cursor, oldest first.'),
  cursor: ChangesCursor.describe('Position after the last event; store it and send it with the next request, at any later time.'),
  has_more: z.boolean().describe('Whether there are more events.'),
  total: z.int().min(0).describe('Total number of events in the log.'),
  manifest: CorpusManifest.describe('Statement about the current corpus.'),
  manifest_url: Uri.describe('URL of the manifest as a file, next to the bundle.'),
});
export type ChangesResponse = z.infer<typeof ChangesResponse>;
