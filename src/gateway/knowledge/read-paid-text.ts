import { sha256Hex } from '../../provenance/bytes.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation.ts';
import type { Generation } from './generation.ts';
import { BlockBrokenError } from './load-block.ts';

/** A version of a paid capsule with its text. */
export type PaidVersion = StoredVersion & { readonly markdown: string };

/**
 * The exact text of one version of a paid capsule with its metadata, or `undefined` if there is no such version or it is free to read.
 * Whoever calls this gives the text away: only what has seen it paid does.
 *
 * @throws {BlockBrokenError} If the store does not have the text, or has another than content_sha256 names.
 * @throws {BlockUnavailableError} If the store does not answer.
 */
export async function readPaidText(generation: Generation, id: string, version: string): Promise<PaidVersion | undefined> {
  const stored = await generation.capsuleVersion(id, version);
  if (stored?.metadata.access !== 'paid') return undefined;
  const markdown = await generation.paidText(id, version);
  if (markdown === undefined || (await sha256Hex(markdown)) !== stored.metadata.content_sha256)
    throw new BlockBrokenError('the blocks of the generation do not hold the text that is sold');
  return { metadata: stored.metadata, markdown };
}
