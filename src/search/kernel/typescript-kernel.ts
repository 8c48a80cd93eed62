import { ABSENT, FOLLOWER_CONTINUES, HAS_FOLLOWERS, SEGMENTS, SHORT } from '../format/write-postings.ts';
import { type Kernel, type KernelNeeds, unreadableRecord } from './kernel.ts';
import { strongestFirst } from './strongest-first.ts';

/** A list that does not say before it begins how long it is. */
const UNCOUNTED = -1;

/** A kernel of TypeScript, for wherever WebAssembly is not at hand. It keeps its memory for the next query. */
export class TypeScriptKernel implements Kernel {
  scores = new Int32Array();
  masks = new Uint32Array();
  #candidates = new Uint32Array();
  /** The documents of the record that was added last; when there is none any more, all that match. */
  #list = new Uint32Array();
  #candidatesEnd = 0;
  #candidatesMax = 0;
  #bytes: Uint8Array = new Uint8Array();
  #end = 0;
  #at = 0;
  #number = 0;
  #documentFrequency = 0;
  #followersAt = 0;

  begin({ documents, candidates }: KernelNeeds): boolean {
    if (this.scores.length === documents) this.scores.fill(0);
    else {
      this.scores = new Int32Array(documents);
      this.#list = new Uint32Array(documents);
    }
    if (candidates > 0) {
      if (this.masks.length === documents) this.masks.fill(0);
      else this.masks = new Uint32Array(documents);
    }
    if (this.#candidates.length < candidates) this.#candidates = new Uint32Array(candidates);
    this.#candidatesEnd = 0;
    this.#candidatesMax = candidates;
    return true;
  }

  addRecord(bytes: Uint8Array, start: number, end: number, worth: number, bit: number, marks: boolean): void {
    this.#bytes = bytes;
    this.#end = Math.min(end, bytes.length);
    this.#at = start + 1;
    const modes = start < this.#end ? bytes[start] : ABSENT;
    this.#readNumber();
    this.#documentFrequency = this.#number;
    if (this.#documentFrequency > this.scores.length) throw unreadableRecord();
    this.#addList(modes & 3, this.#documentFrequency, worth, bit, marks);
    const expansion = (modes >> 2) & 3;
    if (expansion !== ABSENT) {
      if (expansion === SHORT) this.#readNumber();
      this.#addList(expansion, expansion === SHORT ? this.#number : UNCOUNTED, worth, 0, false);
    }
    this.#followersAt = (modes & HAS_FOLLOWERS) === 0 ? -1 : this.#at;
  }

  findFollowers(wanted: number): { start: number; count: number } {
    if (this.#followersAt < 0) return { start: this.#candidatesEnd, count: 0 };
    const bytes = this.#bytes;
    const end = this.#end;
    const documents = this.#list;
    const candidates = this.#candidates;
    const start = this.#candidatesEnd;
    const limit = this.#candidatesMax;
    const continued = wanted | FOLLOWER_CONTINUES;
    let found = start;
    let at = this.#followersAt;
    for (let posting = 0; posting < this.#documentFrequency; at++) {
      if (at >= end) throw unreadableRecord();
      const byte = bytes[at];
      if (byte === wanted || byte === continued) {
        if (found >= limit) throw unreadableRecord();
        candidates[found++] = documents[posting];
      }
      if (byte < FOLLOWER_CONTINUES) posting++;
    }
    this.#candidatesEnd = found;
    return { start, count: found - start };
  }

  keepMarked(start: number, count: number, bit: number): number {
    const { masks } = this;
    const candidates = this.#candidates;
    let left = start;
    for (let place = start; place < start + count; place++) {
      const document = candidates[place];
      candidates[left] = document;
      if ((masks[document] & bit) !== 0) left++;
    }
    return left - start;
  }

  addPoints(start: number, count: number, points: number): void {
    const { scores } = this;
    const candidates = this.#candidates;
    for (let place = start; place < start + count; place++) {
      const document = candidates[place];
      scores[document] += points;
    }
  }

  findMatching(): Uint32Array {
    const { scores } = this;
    const list = this.#list;
    let count = 0;
    // Without a branch: which documents match is not to be foreseen.
    for (let document = 0; document < scores.length; document++) {
      list[count] = document;
      count += scores[document] > 0 ? 1 : 0;
    }
    return list.subarray(0, count);
  }

  findStrongest(count: number, wanted: number, tiers: Uint8Array | undefined): Uint32Array {
    return strongestFirst(this.#list.subarray(0, count), wanted, this.scores, tiers);
  }

  #addList(mode: number, count: number, worth: number, bit: number, marks: boolean): void {
    if (mode === SHORT) this.#addShort(count, worth, bit, marks);
    else if (mode === SEGMENTS) this.#addSegments(count, worth, bit, marks);
    else throw unreadableRecord();
  }

  #addShort(count: number, worth: number, bit: number, marks: boolean): void {
    const { scores } = this;
    let document = -1;
    for (let posting = 0; posting < count; posting++) {
      this.#readNumber();
      document += this.#number + 1;
      if (document >= scores.length || this.#at >= this.#end) throw unreadableRecord();
      scores[document] += worth * this.#bytes[this.#at++];
      if (marks) this.#mark(document, bit, posting);
    }
  }

  #addSegments(count: number, worth: number, bit: number, marks: boolean): void {
    let kept = 0;
    for (;;) {
      if (this.#at >= this.#end) throw unreadableRecord();
      const level = this.#bytes[this.#at++];
      if (level === 0) break;
      this.#readNumber();
      const size = this.#number;
      if (count !== UNCOUNTED && size > count - kept) throw unreadableRecord();
      if (marks) this.#markSegment(kept, size, worth * level, bit);
      else this.#addSegment(size, worth * level);
      kept += size;
    }
    if (count !== UNCOUNTED && kept !== count) throw unreadableRecord();
  }

  // Every document takes a byte at least, and no list has one twice: what promises more is refused before it is read.
  #addSegment(count: number, points: number): void {
    const { scores } = this;
    const bytes = this.#bytes;
    if (count > this.#end - this.#at) throw unreadableRecord();
    let at = this.#at;
    let document = -1;
    for (let posting = 0; posting < count; posting++) {
      const byte = bytes[at++];
      if (byte < 0x80) document += byte + 1;
      else {
        this.#at = at - 1;
        this.#readNumber();
        document += this.#number + 1;
        at = this.#at;
      }
      scores[document] += points;
    }
    if (at > this.#end || document >= scores.length) throw unreadableRecord();
    this.#at = at;
  }

  // As the loop above, which most terms need alone: with a mask and a list it is a third slower.
  #markSegment(kept: number, count: number, points: number, bit: number): void {
    const { scores, masks } = this;
    const bytes = this.#bytes;
    const list = this.#list;
    if (count > this.#end - this.#at) throw unreadableRecord();
    let at = this.#at;
    let document = -1;
    for (let place = kept; place < kept + count; place++) {
      const byte = bytes[at++];
      if (byte < 0x80) document += byte + 1;
      else {
        this.#at = at - 1;
        this.#readNumber();
        document += this.#number + 1;
        at = this.#at;
      }
      scores[document] += points;
      masks[document] |= bit;
      list[place] = document;
    }
    if (at > this.#end || document >= scores.length) throw unreadableRecord();
    this.#at = at;
  }

  #mark(document: number, bit: number, place: number): void {
    this.masks[document] |= bit;
    this.#list[place] = document;
  }

  #readNumber(): void {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.#at >= this.#end) throw unreadableRecord();
      const byte = this.#bytes[this.#at++];
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.#number = value >>> 0;
        return;
      }
    }
    throw unreadableRecord();
  }
}
