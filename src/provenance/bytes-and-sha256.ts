export type Source = string | Uint8Array;

/** UTF-8 bytes of a text; bytes stay as they are. */
export const toBytes = (source: Source): Uint8Array<ArrayBuffer> =>
  (typeof source === 'string' ? new TextEncoder().encode(source) : source) as Uint8Array<ArrayBuffer>;

/** SHA-256 of a text's UTF-8 bytes, or of bytes (FIPS 180-4, by WebCrypto). */
export const sha256 = async (source: Source): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.digest('SHA-256', toBytes(source)));

export const sha256Hex = async (source: Source): Promise<string> => toHex(await sha256(source));

/** SHA-256 in lower-case hexadecimal, by whatever computes it fastest where it runs. */
export type HexDigest = (source: Source) => string | Promise<string>;

const HEX = Array.from({ length: 256 }, (_, byte) => (byte + 256).toString(16).slice(1));

export const toHex = (bytes: Uint8Array): string => {
  let digits = '';
  for (const byte of bytes) digits += HEX[byte];
  return digits;
};

export function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, index) => Number.parseInt(text.slice(2 * index, 2 * index + 2), 16));
}

/** Base64url without padding (RFC 4648 section 5) of bytes, or of a text's UTF-8 bytes. */
export const toBase64Url = (source: Source): string =>
  btoa(typeof source === 'string' && !/[^\x00-\x7f]/.test(source) ? source : lettersOf(toBytes(source)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const lettersOf = (bytes: Uint8Array): string => bytes.reduce((letters, byte) => letters + String.fromCharCode(byte), '');

/** Inverse of {@link toBase64Url}; `undefined` for any other text: `atob` alone ignores unused bits of the last character. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const bytes = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0));
  return toBase64Url(bytes) === text ? bytes : undefined;
}
