import { toHex } from '../provenance/bytes.ts';
import type { SigningSecret } from './ports.ts';

/** One for all texts: making it takes longer than encoding a short one. */
const UTF8 = new TextEncoder();

/**
 * The first bytes of the SHA-256 of a text as UTF-8, in lower-case hexadecimal.
 *
 * @param bytes Taken of the 32.
 */
export async function shortDigest(text: string, bytes: number): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', UTF8.encode(text)), 0, bytes));
}

/** Bytes of a digest in an entity tag: 128 bits. */
const TAG_BYTES = 16;

/** Strong entity tag of a body, with its quotes (RFC 9110 section 8.8.3), from the beginning of its SHA-256. */
export async function entityTag(body: string): Promise<string> {
  return `"${await shortDigest(body, TAG_BYTES)}"`;
}

/** Longest name of a purpose: shorter than 97, the byte with which every text begins that an API key signs. */
const PURPOSE_MAX_LENGTH = 64;

/**
 * HMAC-SHA256 over a purpose and fields, 32 bytes. Each part stands behind its length, so that no two lists of parts have the same
 * text: without lengths, the end of one field can be moved to the beginning of the next, and a signature of one message holds for
 * another (CVE-2025-68113). The first byte is the length of the purpose; what API keys sign begins with the letter "a" of their
 * prefix, so a digest made here is never the signature of a key.
 *
 * @param purpose ASCII, at most 64 characters, one for each use.
 * @param fields At most 65,535 bytes each.
 */
export async function keyedDigest({ key }: SigningSecret, purpose: string, ...fields: readonly Uint8Array[]): Promise<Uint8Array> {
  const name = new TextEncoder().encode(purpose);
  if (name.length > PURPOSE_MAX_LENGTH || fields.some(({ length }) => length > 0xffff))
    throw new TypeError('a part is too long to be signed');
  const message = new Uint8Array(1 + name.length + fields.reduce((size, { length }) => size + 2 + length, 0));
  const view = new DataView(message.buffer);
  view.setUint8(0, name.length);
  message.set(name, 1);
  let at = 1 + name.length;
  for (const field of fields) {
    view.setUint16(at, field.length);
    message.set(field, at + 2);
    at += 2 + field.length;
  }
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
}

/** Compares two byte strings of one length without stopping at the first difference. */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index += 1) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
}
