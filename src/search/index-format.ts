/** The first four bytes of an encoded index: "CIDX". */
export const INDEX_MAGIC: readonly number[] = [0x43, 0x49, 0x44, 0x58];

/** Version of the byte layout; raised with every change, and no other version is read. */
export const INDEX_FORMAT_VERSION = 1;

/** Bytes before the part that the checksum covers: magic 4, version 1, checksum 4. */
export const INDEX_HEADER_BYTES = 9;

/** Bytes that are not an index of this format: foreign, cut short, followed by others, or changed on the way. */
export class IndexFormatError extends Error {
  override readonly name = 'IndexFormatError';
}
