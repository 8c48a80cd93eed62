import type { Described } from './documents.ts';
import { demand, type Source, toBytes } from './json-text.ts';

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

/** SHA-256 of a text or of bytes. */
export const sha256 = async (source: Source): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.digest('SHA-256', toBytes(source)));

/** SHA-256 in lower-case hexadecimal. */
const digestOf = async (source: Source): Promise<string> =>
  (await sha256(source)).reduce((digits, byte) => digits + (byte + 256).toString(16).slice(1), '');

/** Whether a text has the size and digest that are told of it. */
export const isTold = async (told: Described | undefined, source: Source): Promise<boolean> =>
  told?.size === toBytes(source).length && told.digest?.['sha-256'] === (await digestOf(source));

/** Name of a statement: the digest of its canonical form. */
export const nameOf = async (statement: unknown): Promise<string> => `sha256:${await digestOf(canonical(statement))}`;

/** Base64url without padding (RFC 4648, section 5) of bytes, or of a text's UTF-8 bytes. */
export const toBase64Url = (source: Source): string =>
  btoa(toBytes(source).reduce((letters, byte) => letters + String.fromCharCode(byte), ''))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');
