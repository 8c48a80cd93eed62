import { type Source, sha256Hex, toBytes } from '../bytes.ts';
import type { ByteDigest } from './documents.ts';
import { demand } from './json-text.ts';

/**
 * Canonical form of a JSON value (RFC 8785); members that are undefined are left out.
 *
 * @throws {Error} If a number is not whole, or so large that it may have been rounded.
 */
export function canonical(value: unknown): string {
  demand(typeof value !== 'number' || Number.isSafeInteger(value));
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item))}]`;
  if (Object(value) !== value) return JSON.stringify(value);
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).filter((name) => members[name] !== undefined);
  return `{${names.sort().map((name) => `${canonical(name)}:${canonical(members[name])}`)}}`;
}

/** Whether a text has the size and the digest that a statement claims. */
export const hasDigest = async (claim: ByteDigest | undefined, source: Source): Promise<boolean> =>
  claim?.size === toBytes(source).length && claim.digest?.['sha-256'] === (await sha256Hex(source));

/** Digest of a statement's canonical form, by which others name it. */
export const statementDigest = async (statement: unknown): Promise<string> => `sha256:${await sha256Hex(canonical(statement))}`;
