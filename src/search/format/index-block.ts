/** The first four bytes of every block: "CIDX". */
const INDEX_MAGIC: readonly number[] = [0x43, 0x49, 0x44, 0x58];

/** Version of the byte layout; raised with every change, and no other version is read. */
export const INDEX_FORMAT_VERSION = 3;

/** The first bytes of every block: magic, then the version (u32, little-endian). */
export const BLOCK_HEADER: Uint8Array = Uint8Array.of(...INDEX_MAGIC, INDEX_FORMAT_VERSION, 0, 0, 0);

/** Bytes that are not an index of this format: of another kind or version, truncated or corrupt. */
export class IndexFormatError extends Error {
  override readonly name = 'IndexFormatError';
}

const SHA256_BYTES = 32;

/** The table: number of sections, then for each its offset, its length (u32 each) and its SHA-256. */
const COUNT_BYTES = 4;
const PLACE_BYTES = 8;
const ENTRY_BYTES = PLACE_BYTES + SHA256_BYTES;

/** SHA-256 of some bytes. */
export type Digest = (bytes: Uint8Array) => Promise<ArrayBuffer>;

const sha256: Digest = (bytes) => crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);

/** A block, and the digest of its table in lower-case hexadecimal. */
export interface EncodedBlock {
  readonly bytes: Uint8Array;
  readonly table: string;
}

/**
 * Encodes a block: header, table of sections, then the sections, each aligned to four bytes, so that 32-bit words are read in place.
 *
 * @param digest Computes SHA-256.
 */
export function encodeBlock(sections: readonly Uint8Array[], digest: (bytes: Uint8Array) => Uint8Array): EncodedBlock {
  const tableEnd = BLOCK_HEADER.length + COUNT_BYTES + sections.length * ENTRY_BYTES;
  const bytes = new Uint8Array(sections.reduce((sum, section) => sum + alignedLength(section), tableEnd));
  const view = new DataView(bytes.buffer);
  bytes.set(BLOCK_HEADER);
  view.setUint32(BLOCK_HEADER.length, sections.length, true);
  let start = tableEnd;
  sections.forEach((section, number) => {
    const entry = entryAt(number);
    view.setUint32(entry, start, true);
    view.setUint32(entry + 4, section.length, true);
    bytes.set(digest(section), entry + PLACE_BYTES);
    bytes.set(section, start);
    start += alignedLength(section);
  });
  return { bytes, table: toHex(digest(bytes.subarray(0, tableEnd))) };
}

/**
 * A block of an index. Opening checks its table against the digest in the head; a section is checked against the table when it is first
 * read, so that a query pays only for the sections that it reads.
 */
export class IndexBlock {
  /** Everything, as it was read. */
  readonly bytes: Uint8Array;
  readonly #digest: Digest;
  readonly #view: DataView;
  readonly #count: number;
  /** Checked sections by number. A pending check is not shared, because its request may be aborted. */
  readonly #checked = new Map<number, Uint8Array>();

  private constructor(bytes: Uint8Array, count: number, digest: Digest) {
    this.bytes = bytes;
    this.#digest = digest;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#count = count;
  }

  /**
   * Opens a block.
   *
   * @param table SHA-256 of its table, as the head has it.
   * @param digest Computes SHA-256; by default with Web Crypto.
   * @throws {IndexFormatError} If the bytes are not a block of this version, or the table has another digest.
   */
  static async open(bytes: Uint8Array, table: string | undefined, digest = sha256): Promise<IndexBlock> {
    requireBlockHeader(bytes);
    const tableStart = BLOCK_HEADER.length + COUNT_BYTES;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const count = bytes.length < tableStart ? Number.POSITIVE_INFINITY : view.getUint32(BLOCK_HEADER.length, true);
    const tableEnd = tableStart + count * ENTRY_BYTES;
    if (tableEnd > bytes.length) throw new IndexFormatError('Cannot read the index: the table of a block is cut short');
    if (toHex(new Uint8Array(await digest(bytes.subarray(0, tableEnd)))) !== table)
      throw new IndexFormatError('Cannot read the index: the table of a block does not have its digest');
    return new IndexBlock(bytes, count, digest);
  }

  /**
   * The bytes of some sections, in the order requested, each aligned to four bytes. All at once, because in a fresh isolate awaiting each
   * takes longer than its digest.
   *
   * @throws {IndexFormatError} If the block lacks one of them, or one does not have its digest.
   */
  async sections(numbers: readonly number[]): Promise<Uint8Array[]> {
    const unchecked = numbers.filter((number) => !this.#checked.has(number));
    if (unchecked.length > 0) {
      const sections = unchecked.map((number) => this.#bytesOf(number));
      const digests = await Promise.all(sections.map((section) => this.#digest(section)));
      for (const [at, section] of sections.entries()) {
        const number = unchecked[at];
        this.#requireDigest(number, new DataView(digests[at]));
        this.#checked.set(number, section.byteOffset % 4 === 0 ? section : section.slice());
      }
    }
    return numbers.map((number) => this.#checked.get(number) as Uint8Array);
  }

  #bytesOf(number: number): Uint8Array {
    if (number >= this.#count) throw new IndexFormatError('Cannot read the index: a block has fewer sections');
    const start = this.#view.getUint32(entryAt(number), true);
    const end = start + this.#view.getUint32(entryAt(number) + 4, true);
    if (end > this.bytes.length) throw new IndexFormatError('Cannot read the index: a block is cut short');
    return this.bytes.subarray(start, end);
  }

  #requireDigest(number: number, digest: DataView): void {
    const expected = entryAt(number) + PLACE_BYTES;
    for (let at = 0; at < SHA256_BYTES; at += 4) {
      if (digest.getUint32(at) !== this.#view.getUint32(expected + at))
        throw new IndexFormatError('Cannot read the index: a section does not have its digest');
    }
  }
}

function entryAt(number: number): number {
  return BLOCK_HEADER.length + COUNT_BYTES + number * ENTRY_BYTES;
}

function alignedLength({ length }: Uint8Array): number {
  return Math.ceil(length / 4) * 4;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @throws {IndexFormatError} If the bytes are not a block of this version. */
export function requireBlockHeader(block: Uint8Array): void {
  if (block.length < BLOCK_HEADER.length || !INDEX_MAGIC.every((byte, at) => block[at] === byte))
    throw new IndexFormatError('Cannot read the index: these bytes are not a block of an index');
  const version = (block[4] ?? 0) + (block[5] ?? 0) * 2 ** 8 + (block[6] ?? 0) * 2 ** 16 + (block[7] ?? 0) * 2 ** 24;
  if (version !== INDEX_FORMAT_VERSION)
    throw new IndexFormatError(`Cannot read the index: a block has the version ${version}, not ${INDEX_FORMAT_VERSION}`);
}
