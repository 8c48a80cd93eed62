/** The first four bytes of every block: "CIDX". */
const INDEX_MAGIC: readonly number[] = [0x43, 0x49, 0x44, 0x58];

/** Version of the byte layout; raised with every change, and no other version is read. */
export const INDEX_FORMAT_VERSION = 3;

/** What every block begins with: magic, then the version as an unsigned 32-bit number, lowest byte first. */
export const BLOCK_HEADER: Uint8Array = Uint8Array.of(...INDEX_MAGIC, INDEX_FORMAT_VERSION, 0, 0, 0);

/** Bytes that are not an index of this format: foreign, cut short, followed by others, or changed on the way. */
export class IndexFormatError extends Error {
  override readonly name = 'IndexFormatError';
}

/** @throws {IndexFormatError} If some bytes are no block, or one of another version. */
export function requireBlockHeader(block: Uint8Array): void {
  if (block.length < BLOCK_HEADER.length || !INDEX_MAGIC.every((byte, at) => block[at] === byte))
    throw new IndexFormatError('Cannot read the index: these bytes are no block of one');
  const version = (block[4] ?? 0) + (block[5] ?? 0) * 2 ** 8 + (block[6] ?? 0) * 2 ** 16 + (block[7] ?? 0) * 2 ** 24;
  if (version !== INDEX_FORMAT_VERSION)
    throw new IndexFormatError(`Cannot read the index: a block has the version ${version}, not ${INDEX_FORMAT_VERSION}`);
}
