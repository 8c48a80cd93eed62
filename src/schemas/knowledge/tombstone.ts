import * as z from 'zod';
import { PATHS } from '../paths.ts';
import { Id, IsoDateTime, RecordDigest, Sha256Hex, Version } from '../primitives.ts';
import { Issuer, Signatures } from './lineage.ts';

/** Statement that a capsule was taken down: what remains of it. */
export const TombstoneStatement = z.object({
  $schema: z.literal(PATHS.tombstoneSchema),
  type: z.literal('Tombstone'),
  id: Id,
  issuer: Issuer,
  status: z.literal('taken_down'),
  statusReason: z.string().describe('Why it was taken down.'),
  legal: z.boolean().describe('Whether the law demanded it.'),
  count: z.literal(0).describe('Number of versions that are still published.'),
  versions: z
    .array(
      z.object({
        version: Version,
        recordDigest: RecordDigest.describe('Digest of the record of this version.'),
        digest: z.object({ 'sha-256': Sha256Hex }).describe('Digest of its text.'),
      }),
    )
    .describe('Versions that were published, oldest first.'),
  issued: IsoDateTime.describe('When it was taken down.'),
});
export type TombstoneStatement = z.infer<typeof TombstoneStatement>;

/** Lineage of a capsule that was taken down: no version, and the tombstone as its head. */
export const Tombstone = z.object({
  id: Id,
  versions: z.array(z.never()).max(0).describe('No record remains.'),
  head: z.object({ statement: TombstoneStatement, signatures: Signatures }),
});
export type Tombstone = z.infer<typeof Tombstone>;
