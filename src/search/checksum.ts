/**
 * Polynomial of CRC-32 as in ISO 3309 and gzip, bits reversed. It notices every change within 32 neighbouring bits.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc1952#section-8 RFC 1952, section 8}
 */
const CRC32_POLYNOMIAL = 0xedb88320;

let table: Uint32Array | undefined;

/** The CRC-32 of some bytes, as an unsigned integer. Finds accidents, not forgeries. */
export function checksum(bytes: Uint8Array): number {
  table ??= makeTable();
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) {
    crc = (table[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ CRC32_POLYNOMIAL : value >>> 1;
    return value;
  });
}
