import { toHex } from '../provenance/bytes-and-sha256.ts';
import type { SigningSecret } from './platform-ports.ts';

const UTF8 = new TextEncoder();

/** The first `bytes` bytes of the SHA-256 of a text in UTF-8, in lower-case hexadecimal. */
export async function shortDigest(text: string, bytes: number): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', UTF8.encode(text)), 0, bytes));
}

/** Strong entity tag of a body, quoted (RFC 9110 section 8.8.3): a truncated SHA-256. */
export async function entityTag(body: string): Promise<string> {
  return `"${await shortDigest(body, 16)}"`;
}

/** Must be below 97, the code of the "a" that every API key begins with. */
const PURPOSE_MAX_LENGTH = 64;

/**
 * HMAC-SHA256 over a purpose and fields, 32 bytes. Each part follows its length, so that no two lists of parts produce the same message
 * (CVE-2025-68113). The first byte is the length of the purpose and API keys begin with "a", so a digest is never the signature of a key.
 *
 * @param purpose ASCII, at most 64 characters, one for each use.
 * @param fields At most 65,535 bytes each.
 */
export async function keyedDigest({ key }: SigningSecret, purpose: string, ...fields: readonly Uint8Array[]): Promise<Uint8Array> {
  const name = UTF8.encode(purpose);
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

/** Compares byte strings in a time that depends only on their length. */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index += 1) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes as one big-endian number in base 62, padded with `0` to `length` digits. */
export function encodeBase62(bytes: Uint8Array, length: number): string {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = '';
  while (value > 0n) {
    text = DIGITS.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text.padStart(length, '0');
}

export function decodeBase62(text: string, length: number): Uint8Array | undefined {
  let value = 0n;
  for (const digit of text) {
    const index = DIGITS.indexOf(digit);
    if (index === -1) return undefined;
    value = value * 62n + BigInt(index);
  }
  if (value >> BigInt(8 * length) !== 0n) return undefined;
  const bytes = new Uint8Array(length);
  for (let position = length - 1; position >= 0; position -= 1) {
    bytes[position] = Number(value & 0xffn);
    value >>= 8n;
  }
  return bytes;
}

/** CRC-32 of a text's ASCII bytes (ISO 3309, as in zlib). */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index) & 0xff;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
