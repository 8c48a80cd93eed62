import { canonicalDigest } from './digest.ts';
import type { LineageHead } from './lineage-head.ts';

/** What the digest of a corpus sees of a capsule. */
export interface DigestedLineage {
  readonly versions: readonly { readonly recordDigest: string }[];
  readonly head: { readonly statement: Pick<LineageHead, 'id' | 'status' | 'statusReason' | 'supersededBy'> };
}

/**
 * Digest of a corpus, of content alone: which records there are of which capsules, and in which state these are. Whoever holds the
 * lineages can work it out, and so see that he has all of them.
 *
 * @param lineages In ascending order of id.
 * @returns `sha256:` and 64 hexadecimal digits.
 */
export function corpusDigest(lineages: readonly DigestedLineage[]): Promise<string> {
  return canonicalDigest(
    lineages.map(({ versions, head: { statement } }) => ({
      id: statement.id,
      status: statement.status,
      statusReason: statement.statusReason,
      supersededBy: statement.supersededBy,
      versions: versions.map(({ recordDigest }) => recordDigest),
    })),
  );
}
