import { type Kernel, type KernelNeeds, unreadableRecord } from './kernel.ts';

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
    worth: number,
    bit: number,
    marks: boolean,
  ): number;
  findFollowers(wanted: number, own: number, found: number, foundEnd: number): number;
  keepMarked(list: number, count: number, masks: number, bit: number): number;
  addPoints(list: number, count: number, scores: number, points: number): void;
  findMatching(scores: number, documents: number, list: number): number;
  findStrongest(list: number, count: number, documents: number, scores: number, tiers: number, wanted: number, heap: number): number;
}

const PAGE_BYTES = 2 ** 16;

/** Where the first array begins, after what the kernel keeps for itself. */
const START = 2048;

/**
 * A kernel of WebAssembly: fast from its first query, for it is compiled before there is one.
 *
 * Its memory holds, one after the other: scores; masks, and when they are done with, the strongest documents; the documents of
 * a record, and when they are done with, those that match; tiers; one record; candidates. It grows with the largest index and
 * never shrinks; `asconfig.json` bounds it.
 */
export class WasmKernel implements Kernel {
  scores = new Int32Array();
  masks = new Uint32Array();
  readonly #exports: Exports;
  #bytes = new Uint8Array();
  #documents = 0;
  #matching = 0;
  #masksAt = 0;
  #listAt = 0;
  #tiersAt = 0;
  #recordAt = 0;
  #candidatesAt = 0;
  #candidatesEnd = 0;
  #memoryEnd = 0;

  /** @throws If the module is another one or cannot be instantiated here. */
  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  }

  begin({ documents, recordBytes, candidates }: KernelNeeds): boolean {
    const words = toSixteen(documents * 4);
    this.#documents = documents;
    this.#masksAt = START + words;
    this.#listAt = this.#masksAt + words;
    this.#tiersAt = this.#listAt + words + 16;
    this.#recordAt = this.#tiersAt + toSixteen(documents);
    this.#candidatesAt = this.#recordAt + toSixteen(recordBytes);
    this.#candidatesEnd = this.#candidatesAt;
    this.#memoryEnd = this.#candidatesAt + candidates * 4;
    // Followers are read sixteen bytes at a time.
    if (!this.#reserve(this.#memoryEnd + 16)) return false;
    const { buffer } = this.#exports.memory;
    this.scores = new Int32Array(buffer, START, documents);
    this.masks = new Uint32Array(buffer, this.#masksAt, documents);
    this.#exports.clear(START, candidates > 0 ? words * 2 : words);
    return true;
  }

  addRecord(bytes: Uint8Array, start: number, end: number, worth: number, bit: number, marks: boolean): void {
    const record = bytes.subarray(start, end);
    this.#bytes.set(record, this.#recordAt);
    const recordEnd = this.#recordAt + record.length;
    const { addRecord } = this.#exports;
    const own = addRecord(this.#recordAt, recordEnd, START, this.#masksAt, this.#listAt, this.#documents, worth, bit, marks);
    if (own < 0) throw unreadableRecord();
  }

  findFollowers(wanted: number): { start: number; count: number } {
    const start = (this.#candidatesEnd - this.#candidatesAt) / 4;
    const count = this.#exports.findFollowers(wanted, this.#listAt, this.#candidatesEnd, this.#memoryEnd);
    if (count < 0) throw unreadableRecord();
    this.#candidatesEnd += count * 4;
    return { start, count };
  }

  keepMarked(start: number, count: number, bit: number): number {
    return this.#exports.keepMarked(this.#candidatesAt + start * 4, count, this.#masksAt, bit);
  }

  addPoints(start: number, count: number, points: number): void {
    this.#exports.addPoints(this.#candidatesAt + start * 4, count, START, points);
  }

  findMatching(): Uint32Array {
    this.#matching = this.#exports.findMatching(START, this.#documents, this.#listAt);
    return new Uint32Array(this.#exports.memory.buffer, this.#listAt, this.#matching);
  }

  findStrongest(count: number, wanted: number, tiers: Uint8Array | undefined): Uint32Array {
    if (tiers !== undefined) this.#bytes.set(tiers, this.#tiersAt);
    const tiersAt = tiers === undefined ? 0 : this.#tiersAt;
    const all = count === this.#matching ? this.#documents : 0;
    const found = this.#exports.findStrongest(this.#listAt, count, all, START, tiersAt, wanted, this.#masksAt);
    return new Uint32Array(this.#exports.memory.buffer, this.#masksAt, found).slice();
  }

  #reserve(bytes: number): boolean {
    const { memory } = this.#exports;
    const size = memory.buffer.byteLength;
    const missing = bytes - size;
    if (missing > 0) {
      try {
        memory.grow(Math.ceil(missing / PAGE_BYTES));
      } catch {
        return false;
      }
    }
    if (this.#bytes.buffer !== memory.buffer) this.#bytes = new Uint8Array(memory.buffer);
    // New memory is slow where it is first touched: better here, while an isolate starts, than in the loops of its first query.
    if (missing > 0) this.#bytes.fill(0, size);
    return true;
  }
}

function toSixteen(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}
