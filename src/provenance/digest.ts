import { keccak_256 } from '@noble/hashes/sha3.js';
import canonicalize from 'canonicalize';
import { sha256Hex } from './bytes.ts';
import type { LineageHead } from './lineage-records.ts';

/**
 * Canonical form of a JSON value (RFC 8785).
 *
 * @throws {TypeError} If the value cannot be written as JSON.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('value has no JSON form');
  return text;
}

/** Digest of a value's canonical form, as records name each other: `sha256:<hex>`. */
export async function canonicalDigest(value: unknown): Promise<string> {
  return `sha256:${await sha256Hex(canonicalJson(value))}`;
}

/**
 * Keccak-256 as Ethereum has it: that of before FIPS 202, whose padding begins with 0x01 and not with 0x06. WebCrypto has none.
 *
 * @returns 32 bytes.
 */
export function keccak256(message: Uint8Array): Uint8Array {
  return keccak_256(message);
}

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
