import canonicalize from 'canonicalize';

/** SHA-256 of bytes, or of a text's UTF-8 bytes, in lower-case hexadecimal (FIPS 180-4, by WebCrypto). */
export async function sha256Hex(data: Uint8Array | string): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

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
