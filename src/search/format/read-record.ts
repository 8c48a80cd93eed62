import { IndexFormatError } from './index-format.ts';
import { ABSENT, FOLLOWER_CONTINUES, HAS_FOLLOWERS, type ListMode, SEGMENTS, SHORT } from './write-postings.ts';

/** Room for the postings of one list, used again for the next: allocating for every list would cost more than reading it. */
export interface PostingBuffer {
  documents: Uint32Array;
  levels: Uint8Array;
}

/** A buffer for lists of at most `capacity` documents; it grows when one is longer. */
export function postingBuffer(capacity: number): PostingBuffer {
  return { documents: new Uint32Array(capacity), levels: new Uint8Array(capacity) };
}

/**
 * Reads a record of `writeRecord` where it stands, part by part and in their order: {@link readOwn}, {@link readExpansion},
 * {@link findFollowers}.
 *
 * Refuses with an {@link IndexFormatError} what is cut short; what it allocates is bounded by the bytes that there are.
 */
export class RecordReader {
  readonly #bytes: Uint8Array;
  readonly #modes: number;
  /** Documents that have the term. */
  readonly documentFrequency: number;
  #at: number;

  /** @param at Where the record begins in `bytes`. */
  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#modes = bytes[at] ?? 0;
    this.#at = at + 1;
    this.documentFrequency = this.#varint();
    if (this.documentFrequency > bytes.length) throw cutShort();
  }

  /** Whether the record says which terms follow this one. */
  get hasFollowers(): boolean {
    return (this.#modes & HAS_FOLLOWERS) !== 0;
  }

  /** Puts the documents that have the term into `buffer`. @returns How many they are. */
  readOwn(buffer: PostingBuffer): number {
    return this.#readList((this.#modes & 3) as ListMode, this.documentFrequency, buffer);
  }

  /** Puts the documents that lack the term and were given it into `buffer`. @returns How many they are. */
  readExpansion(buffer: PostingBuffer): number {
    const mode = ((this.#modes >> 2) & 3) as ListMode;
    if (mode === ABSENT) return 0;
    return this.#readList(mode, mode === SHORT ? this.#varint() : 0, buffer);
  }

  /** Places in {@link readOwn}'s list, ascending, of the documents in which a term with the fingerprint `wanted` follows this one. */
  findFollowers(wanted: number): number[] {
    const found: number[] = [];
    if (!this.hasFollowers) return found;
    const bytes = this.#bytes;
    const last = wanted;
    const continued = wanted | FOLLOWER_CONTINUES;
    let at = this.#at;
    for (let posting = 0; posting < this.documentFrequency; at++) {
      const byte = bytes[at];
      if (byte === last || byte === continued) found.push(posting);
      if (byte < FOLLOWER_CONTINUES) posting++;
      else if (byte === undefined) throw cutShort();
    }
    return found;
  }

  #readList(mode: ListMode, count: number, buffer: PostingBuffer): number {
    if (mode === SHORT) return this.#readShort(count, buffer);
    if (mode === SEGMENTS) return this.#readSegments(buffer);
    throw new IndexFormatError('Cannot read a posting list: its form is unknown');
  }

  #readShort(count: number, buffer: PostingBuffer): number {
    this.#reserve(buffer, 0, count);
    let document = -1;
    for (let posting = 0; posting < count; posting++) {
      document += this.#varint() + 1;
      buffer.documents[posting] = document;
      buffer.levels[posting] = this.#bytes[this.#at++];
    }
    if (this.#at > this.#bytes.length) throw cutShort();
    return count;
  }

  #readSegments(buffer: PostingBuffer): number {
    const bytes = this.#bytes;
    let filled = 0;
    for (let level = bytes[this.#at++] ?? 0; level !== 0; level = bytes[this.#at++] ?? 0) {
      const end = filled + this.#varint();
      this.#reserve(buffer, filled, end);
      const { documents, levels } = buffer;
      levels.fill(level, filled, end);
      let at = this.#at;
      let document = -1;
      for (; filled < end; filled++) {
        let delta = bytes[at++];
        if (delta > 0x7f) {
          let shift = 7;
          let byte = 0;
          delta &= 0x7f;
          do {
            byte = bytes[at++];
            delta |= (byte & 0x7f) << shift;
            shift += 7;
          } while (byte > 0x7f);
        }
        document += delta + 1;
        documents[filled] = document;
      }
      this.#at = at;
    }
    if (this.#at > bytes.length) throw cutShort();
    return filled;
  }

  // Every posting takes a byte at least, so that a count the bytes cannot hold is refused before anything is allocated.
  #reserve(buffer: PostingBuffer, filled: number, needed: number): void {
    if (needed - filled > this.#bytes.length - this.#at) throw cutShort();
    if (needed <= buffer.documents.length) return;
    const documents = new Uint32Array(needed * 2);
    documents.set(buffer.documents.subarray(0, filled));
    const levels = new Uint8Array(needed * 2);
    levels.set(buffer.levels.subarray(0, filled));
    Object.assign(buffer, { documents, levels });
  }

  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw cutShort();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new IndexFormatError('Cannot read a posting list: number too long');
  }
}

function cutShort(): IndexFormatError {
  return new IndexFormatError('Cannot read a posting list: it is cut short');
}
