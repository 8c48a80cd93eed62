import { type Source, sha256Hex, toBytes } from '../bytes.ts';
import type { ByteDigest } from './documents.ts';

/** Deepest allowed nesting of objects and arrays. */
const DEPTH_MAX = 64;

/** Brackets and colons of JSON outside of its strings; escapes occur only in strings. */
const skeleton = (json: string): string => json.replace(/\\./g, '').replace(/"[^"]*"|[^[\]{}:]/g, '');

/** @throws {Error} If a document does not have its form. */
export function demand(hasForm: unknown): asserts hasForm {
  if (!hasForm) throw new Error('form');
}

/** Text of bytes, with any byte order mark. @throws {TypeError} If they are not UTF-8. */
export const toText = (source: Source): string =>
  typeof source === 'string' ? source : new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(source);

/**
 * Value of a JSON document in well-formed Unicode without duplicate member names (RFC 7493, sections 2.1 and 2.3). A duplicate member is
 * parsed once, so serializing the value again gives fewer colons; a lone surrogate is serialized as an escape.
 *
 * @throws {Error} If the document is anything else.
 */
export function readJson(source: Source): unknown {
  const text = toText(source);
  const value: unknown = JSON.parse(text);
  const serialized = JSON.stringify(value);
  let nested = skeleton(text);
  demand(nested.length === skeleton(serialized).length && !/[^\\](\\\\)*\\ud/.test(serialized));
  for (let depth = DEPTH_MAX; depth--; ) nested = nested.replace(/\[]|{:*}/g, '');
  demand(!nested);
  return value;
}

/**
 * Canonical form of a JSON value (RFC 8785), without undefined members.
 *
 * @throws {Error} If a number is not an integer, or too large to be exact.
 */
export function canonical(value: unknown): string {
  demand(typeof value !== 'number' || Number.isSafeInteger(value));
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item))}]`;
  if (Object(value) !== value) return JSON.stringify(value);
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).filter((name) => members[name] !== undefined);
  return `{${names.sort().map((name) => `${canonical(name)}:${canonical(members[name])}`)}}`;
}

/** Whether a text has the claimed size and digest. */
export const hasDigest = async (claim: ByteDigest | undefined, source: Source): Promise<boolean> =>
  claim?.size === toBytes(source).length && claim.digest?.['sha-256'] === (await sha256Hex(source));

/** Digest of a statement's canonical form, which identifies it. */
export const statementDigest = async (statement: unknown): Promise<string> => `sha256:${await sha256Hex(canonical(statement))}`;
