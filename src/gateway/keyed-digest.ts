import type { SigningSecret } from './ports.ts';

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
