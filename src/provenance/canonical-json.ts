import canonicalize from 'canonicalize';
import { type HexDigest, sha256Hex } from './bytes-and-sha256.ts';

/** RFC 8785. @throws {TypeError} If the value has no JSON form. */
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
export { keccak_256 as keccak256 } from '@noble/hashes/sha3.js';
