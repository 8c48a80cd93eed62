import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { PATHS } from '../paths.ts';
import { Id, IsoDate, IsoDateTime, RecordDigest, Sha256Hex, Uri, Version } from '../primitives.ts';
import { Issuer, Signatures } from './lineage.ts';

/** End of the log of changes. */
export const LogPosition = z.object({
  count: z.int().min(0).describe('Number of events.'),
  digest: RecordDigest.nullable().describe('Digest of the last of them; null if there is none.'),
});

/** One event of the log of changes. */
export const ChangeEvent = z.object({
  event: z
    .enum(['added', 'revised', 'superseded', 'retracted', 'restored', 'removed'])
    .describe('What happened; restored takes back a supersession or retraction, removed says that the capsule is no longer published.'),
  capsule_id: Id.describe('Capsule that it happened to.'),
  version: Version.describe('Its newest version then.'),
  date: IsoDate.describe('Day that the publisher gave to the change; for removed, the day of the event before it of that capsule.'),
  record_digest: RecordDigest.describe('Digest of the record of that version.'),
  content_sha256: Sha256Hex.describe('Digest of the exact text of that version.'),
  reason: z.string().optional().describe('Why it is superseded or retracted.'),
  superseded_by: Id.optional().describe('Capsule that replaces it.'),
  count: z.int().min(1).describe('Number of events up to this one.'),
  digest: RecordDigest.describe('Digest of this event and, through the one before, of all earlier ones.'),
});
export type ChangeEvent = z.infer<typeof ChangeEvent>;

/** Statement about the whole corpus: what there is, and where all of it can be had. */
export const CorpusManifestStatement = z.object({
  $schema: z.literal(PATHS.corpusManifestSchema),
  type: z.literal('CorpusManifest'),
  issuer: Issuer,
  corpusDigest: RecordDigest.describe('Digest of the content alone: of the records of all capsules and their states.'),
  capsules: z.int().min(0).describe('Number of capsules.'),
  versions: z.int().min(0).describe('Number of versions of all capsules.'),
  bundle: z
    .object({
      mediaType: z.string(),
      parts: z.array(
        z.object({
          uri: z.string().describe('Root-relative address of the part.'),
          size: z.int().min(0).describe('Size in bytes.'),
          lines: z.int().min(0).describe('Number of lines, one for each capsule.'),
          digest: z.object({ 'sha-256': Sha256Hex }),
        }),
      ),
    })
    .describe('All capsules with all versions, proofs and the texts that are free to read, in parts, ascending by id.'),
  changes: LogPosition.describe('End of the log of changes when this was made.'),
  issued: IsoDateTime,
  validUntil: IsoDateTime.optional().describe('Until when a signed manifest may be relied on; absent on an unsigned one.'),
});
export type CorpusManifestStatement = z.infer<typeof CorpusManifestStatement>;

/** The manifest of the corpus with the signatures on it. */
export const CorpusManifest = z.object({ statement: CorpusManifestStatement, signatures: Signatures });
export type CorpusManifest = z.infer<typeof CorpusManifest>;

/** Parameters of `GET …/changes`. */
export const ChangesParameters = z.strictObject({
  cursor: z
    .string()
    .max(80)
    .regex(/^(0|[1-9]\d{0,9}\.[0-9a-f]{64})$/, 'must be a cursor of this feed, such as 0 or <count>.<digest>')
    .optional()
    .describe('Position after which to go on: cursor of an answer before, or count and digest of the last event that you hold.'),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number above 0')
    .optional()
    .describe(`Most events of one answer, ${LIMITS.changesLimitDefault} by default, at most ${LIMITS.changesLimitMax}.`),
});
export type ChangesParameters = z.infer<typeof ChangesParameters>;

/** Answer of `GET …/changes`. */
export const ChangesResponse = z.object({
  corpus_version: Sha256Hex.describe('Version of the corpus.'),
  corpus_digest: Sha256Hex.describe('Digest of the content alone; work it out over your own copy to see that nothing is missing.'),
  changes: z.array(ChangeEvent).describe('Events after the cursor, oldest first.'),
  cursor: z.string().describe('Position after the last event given; keep it, and send it the next time, however much later.'),
  has_more: z.boolean().describe('Whether there are further events now.'),
  total: z.int().min(0).describe('Number of events in the whole log.'),
  manifest: CorpusManifest.describe('Statement about the whole corpus as it is now, with its signatures.'),
  manifest_url: Uri.describe('Where the manifest is a file; the bundle is beside it.'),
});
export type ChangesResponse = z.infer<typeof ChangesResponse>;
