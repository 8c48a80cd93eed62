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

export type Digest = (bytes: Uint8Array) => Promise<ArrayBuffer>;

const sha256: Digest = (bytes) => crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);

/** Encodes a block: header, table of sections, then the sections, each aligned to four bytes, so that 32-bit words are read in place. */
export function encodeBlock(sections: readonly Uint8Array[], digest: (bytes: Uint8Array) => Uint8Array) {
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

/** A block of an index. A section is checked against the table when it is first read: a query pays only for the sections that it reads. */
export class IndexBlock {
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
   * Checks the table of a block against its SHA-256 in the head.
   *
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

  /** The bytes of a section that was read before, aligned to four bytes; `undefined` if it was not. */
  checkedSection(number: number): Uint8Array | undefined {
    return this.#checked.get(number);
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
    throw new IndexFormatError('Cannot read the index: these bytes are no block');
  const version = (block[4] ?? 0) + (block[5] ?? 0) * 2 ** 8 + (block[6] ?? 0) * 2 ** 16 + (block[7] ?? 0) * 2 ** 24;
  if (version !== INDEX_FORMAT_VERSION)
    throw new IndexFormatError(`Cannot read the index: a block has the version ${version}, not ${INDEX_FORMAT_VERSION}`);
}

/** Most bytes of a section in one block: a value of Workers KV has at most 25 MiB. A longer section continues in the following blocks. */
export const SECTION_PART_BYTES = 24 * 2 ** 20;

/** Location of a section: its first block, its number in the block, and the number of blocks that it spans. */
export type SectionRef = readonly [block: number, section: number, blocks: number];

/** Bounds of the work of one query; `null` is none. They belong to the index, so that results are the same everywhere, whatever is cached. */
export interface SearchBudget {
  /**
   * Blocks of posting lists that are read for the words of a query, and as many again for corrected words. Beyond it, the most frequent
   * terms with blocks of their own are left out, then the last terms of the query, whose frequency is not known before they are read.
   */
  readonly blocksMax: number | null;
  /** Blocks that are read of one list, the strongest documents first. */
  readonly partsMax: number | null;
  /** Postings that are scored; the most frequent terms are left out when there are more. */
  readonly postingsMax: number;
}

/** Locations of the sections of an index, and what is needed before any is read. Plain JSON, part of a manifest. */
export interface IndexHead {
  /** `INDEX_FORMAT_VERSION` of the code that wrote it. */
  readonly format: number;
  /** `ANALYSER_ID` of the code that wrote it. */
  readonly analyser: string;
  readonly documents: number;
  readonly budget: SearchBudget;
  /** The analysers of its documents, from `analysersFor`: a query is analysed with each. */
  readonly readings: readonly string[];
  readonly blocks: number;
  /** SHA-256 of the table of sections of each block, in lower-case hexadecimal. Indexes before format 3 have none. */
  readonly tables?: readonly string[] | undefined;
  /** There are `2 ** shardBits` shards. */
  readonly shardBits: number;
  readonly shards: readonly SectionRef[];
  /** Records too large for a shard, five numbers each: both hashes, document frequency, first block, number of blocks. */
  readonly heavy: readonly number[];
  /** One byte for each document, if any has another tier than 0. */
  readonly tiers: SectionRef | null;
  readonly neighbours: SectionRef | null;
  readonly columns: SectionRef | null;
  readonly spelling: SectionRef | null;
  /** First word of each part of divided words of corrections, ascending. Each block of `spelling` is a part; absent where they are whole. */
  readonly spellingStarts?: readonly string[] | undefined;
}

/** A growing array of bytes. Varints have seven bits a byte, lowest first, as in LEB128. */
export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** @throws {RangeError} If the value is not an integer from 0 to 2^32 - 1. */
  writeVarint(value: number): void {
    if (!(Number.isInteger(value) && value >= 0 && value <= 0xffffffff)) {
      throw new RangeError(`Cannot write a varint: ${value} is not an unsigned 32-bit integer`);
    }
    this.#reserve(5);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  /** @param value 0 to 255. */
  writeByte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  writeWords(words: ArrayLike<number>): void {
    this.writeNumbers(words, 4);
  }

  writeNumbers(numbers: ArrayLike<number>, width: 1 | 2 | 4): void {
    this.#reserve(numbers.length * width);
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at];
      for (let byte = 0; byte < width; byte++) this.#bytes[this.#length++] = number >>> (8 * byte);
    }
  }

  alignToWord(): void {
    while (this.#length % 4 !== 0) this.writeByte(0);
  }

  writeBytes(bytes: ArrayLike<number>): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

export function concatenated<Part, Values extends Uint32Array | Int32Array | Float32Array | Uint8Array>(
  allocate: new (length: number) => Values,
  of: readonly Part[],
  valuesOf: (part: Part) => Values,
): Values {
  const parts = of.map(valuesOf);
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new allocate(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
