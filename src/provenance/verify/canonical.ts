import { isObject, type Source, toBytes } from './json-text.ts';

/** Canonical form of a JSON value (RFC 8785); members that are undefined are left out. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item))}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .filter((name) => value[name] !== undefined);
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)}}`;
}

const sha256 = async (source: Source): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.digest('SHA-256', toBytes(source)));

/** SHA-256 in lower-case hexadecimal. */
export const digestOf = async (source: Source): Promise<string> =>
  Array.from(await sha256(source), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Name of a statement: the digest of its canonical form. */
export const nameOf = async (statement: unknown): Promise<string> => `sha256:${await digestOf(canonical(statement))}`;

/** Base64url without padding (RFC 4648, section 5) of bytes, or of a text's UTF-8 bytes. */
export const toBase64Url = (source: Source): string =>
  btoa(Array.from(toBytes(source), (byte) => String.fromCharCode(byte)).join(''))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');

/** Thumbprint of an Ed25519 key (RFC 7638 with the members of RFC 8037, section 2). */
export const thumbprint = async (x: string): Promise<string> => toBase64Url(await sha256(canonical({ crv: 'Ed25519', kty: 'OKP', x })));
