import { keccak_256 } from '@noble/hashes/sha3.js';
import canonicalize from 'canonicalize';
import { type HexDigest, sha256Hex } from './bytes.ts';
import type { LineageHead } from './lineage-records.ts';

/**
 * Canonical form of a JSON value (RFC 8785).
 *
 * @throws {TypeError} If the value has no JSON form.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('value has no JSON form');
  return text;
}

/** Digest of a value's canonical form, by which records refer to each other: `sha256:<hex>`. */
export async function canonicalDigest(value: unknown, digest: HexDigest = sha256Hex): Promise<string> {
  return `sha256:${await digest(canonicalJson(value))}`;
}

/** Keccak-256 as in Ethereum: 32 bytes. It differs from SHA3-256 (FIPS 202) in the first byte of padding, 0x01 instead of 0x06. */
export function keccak256(message: Uint8Array): Uint8Array {
  return keccak_256(message);
}

/** What the digest of a corpus covers of a capsule. */
export interface DigestedLineage {
  readonly versions: readonly { readonly recordDigest: string }[];
  readonly head: { readonly statement: Pick<LineageHead, 'id' | 'status' | 'statusReason' | 'supersededBy'> };
}

/**
 * Digest of a corpus: the records and the status of each capsule. It can be computed from the lineages, and proves that none is missing.
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
