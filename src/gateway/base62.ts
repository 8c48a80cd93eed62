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
