import { IndexFormatError } from '../format/index-block.ts';

/** Sizes for which one query needs memory. */
export interface KernelNeeds {
  readonly documents: number;
  /** Bytes of the longest record. */
  readonly recordBytes: number;
  /** Most documents that all calls of {@link Kernel.findFollowers} find together. */
  readonly candidates: number;
}

/** What `assembly/kernel.ts` exports. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  clear(start: number, bytes: number): void;
  addRecord(
    record: number,
    recordEnd: number,
    scores: number,
    masks: number,
    own: number,
    documents: number,
    weight: number,
    bit: number,
    marks: boolean,
  ): number;
  findFollowers(fingerprint: number, own: number, found: number, foundEnd: number): number;
  keepMarked(list: number, count: number, masks: number, bit: number): number;
  addPoints(list: number, count: number, scores: number, points: number): void;
  findMatching(scores: number, documents: number, list: number): number;
  findStrongest(list: number, count: number, documents: number, scores: number, tiers: number, limit: number, heap: number): number;
}

const PAGE_BYTES = 2 ** 16;

/** Offset of the first array, after the data of the module. */
const START = 2048;

/**
 * The loops of ranking over all documents, one query at a time, in WebAssembly: fast from the first query, without an optimising compiler.
 * It holds no state between queries.
 *
 * Its memory holds, in this order: scores; masks; the documents of a record, later those that match; the strongest documents; tiers; one
 * record; candidates. It grows with the largest index and never shrinks.
 */
export class Kernel {
  /** Score of each document, 0 for one that does not match. A new array after each {@link begin}. */
  scores = new Int32Array();
  /** Bits of each document, defined by the caller; all 0 after {@link begin}, which makes a new array. */
  masks = new Uint32Array();
  readonly #exports: Exports;
  #bytes = new Uint8Array();
  #documents = 0;
  #matching = 0;
  #masksAt = 0;
  #listAt = 0;
  #strongestAt = 0;
  #tiersAt = 0;
  #recordAt = 0;
  #candidatesAt = 0;
  #candidatesEnd = 0;
  #memoryEnd = 0;

  /** @param module The compiled `kernel.wasm`. */
  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  }

  /** Reserves memory for a query and sets all scores to 0. @throws {RangeError} If it exceeds the maximum of `asconfig.json`. */
  begin({ documents, recordBytes, candidates }: KernelNeeds): void {
    const words = toSixteen(documents * 4);
    this.#documents = documents;
    this.#masksAt = START + words;
    this.#listAt = this.#masksAt + words;
    this.#strongestAt = this.#listAt + words + 16;
    this.#tiersAt = this.#strongestAt + words;
    this.#recordAt = this.#tiersAt + toSixteen(documents);
    this.#candidatesAt = this.#recordAt + toSixteen(recordBytes);
    this.#candidatesEnd = this.#candidatesAt;
    this.#memoryEnd = this.#candidatesAt + candidates * 4;
    // Followers are read sixteen bytes at a time.
    this.#reserve(this.#memoryEnd + 16);
    const { buffer } = this.#exports.memory;
    this.scores = new Int32Array(buffer, START, documents);
    this.masks = new Uint32Array(buffer, this.#masksAt, documents);
    this.#exports.clear(START, words * 2);
  }

  /**
   * Adds a posting record to the scores: `weight` times its impact for each document that has the term or was expanded with it.
   *
   * @param marks Whether the documents that have the term get `bit` and are kept for {@link findFollowers}.
   * @throws {IndexFormatError} If the record is cut short or names a document that does not exist.
   */
  addRecord(bytes: Uint8Array, start: number, end: number, weight: number, bit: number, marks: boolean): void {
    const record = bytes.subarray(start, end);
    this.#bytes.set(record, this.#recordAt);
    const recordEnd = this.#recordAt + record.length;
    const { addRecord } = this.#exports;
    const own = addRecord(this.#recordAt, recordEnd, START, this.#masksAt, this.#listAt, this.#documents, weight, bit, marks);
    if (own < 0) throw unreadableRecord();
  }

  /**
   * Appends to the candidates those documents of the last marked record in which a term with this fingerprint follows.
   *
   * @returns Their range among the candidates.
   * @throws {IndexFormatError} If the followers of the record are cut short.
   */
  findFollowers(fingerprint: number): { start: number; count: number } {
    const start = (this.#candidatesEnd - this.#candidatesAt) / 4;
    const count = this.#exports.findFollowers(fingerprint, this.#listAt, this.#candidatesEnd, this.#memoryEnd);
    if (count < 0) throw unreadableRecord();
    this.#candidatesEnd += count * 4;
    return { start, count };
  }

  /** Keeps those of `count` candidates from `start` that have `bit`, in order. @returns Their number. */
  keepMarked(start: number, count: number, bit: number): number {
    return this.#exports.keepMarked(this.#candidatesAt + start * 4, count, this.#masksAt, bit);
  }

  /** Adds points to each of `count` candidates from `start`. */
  addPoints(start: number, count: number, points: number): void {
    this.#exports.addPoints(this.#candidatesAt + start * 4, count, START, points);
  }

  /** All documents with a score, ascending, in memory that {@link findStrongest} reads; valid until the next query. */
  findMatching(): Uint32Array {
    this.#matching = this.#exports.findMatching(START, this.#documents, this.#listAt);
    return new Uint32Array(this.#exports.memory.buffer, this.#listAt, this.#matching);
  }

  /** The first `limit` of the first `count` documents of {@link findMatching}, by ascending tier, then descending score, then ascending number. */
  findStrongest(count: number, limit: number, tiers: Uint8Array | undefined): Uint32Array {
    if (tiers !== undefined) this.#bytes.set(tiers, this.#tiersAt);
    const tiersAt = tiers === undefined ? 0 : this.#tiersAt;
    const all = count === this.#matching ? this.#documents : 0;
    const found = this.#exports.findStrongest(this.#listAt, count, all, START, tiersAt, limit, this.#strongestAt);
    return new Uint32Array(this.#exports.memory.buffer, this.#strongestAt, found).slice();
  }

  #reserve(bytes: number): void {
    const { memory } = this.#exports;
    const size = memory.buffer.byteLength;
    if (bytes > size) memory.grow(Math.ceil((bytes - size) / PAGE_BYTES));
    if (this.#bytes.buffer !== memory.buffer) this.#bytes = new Uint8Array(memory.buffer);
    // New memory is slow at its first use: so use it here, while an isolate starts, rather than in its first query.
    if (bytes > size) this.#bytes.fill(0, size);
  }
}

export function unreadableRecord(): IndexFormatError {
  return new IndexFormatError('Cannot read a posting record: it is cut short or of another index. Publish again.');
}

function toSixteen(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}
