import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import type { TermOccurrences } from './document-terms.ts';
import { IndexFormatError } from './index-format.ts';
import { SEARCH_FIELDS, type SearchIndex } from './types.ts';

const FIELD_COUNT = SEARCH_FIELDS.length;

/** Set when the term occurs once in the document, as most do: its frequency is then not written. */
const OCCURS_ONCE = 1 << FIELD_COUNT;

/**
 * The documents of one term, ascending by number.
 *
 * Encoded as: number of documents; then for each the distance from the number before, a byte with one bit for each
 * field that has the term (or {@link OCCURS_ONCE}), the frequencies in those fields, and the distances of the positions.
 */
export interface PostingList {
  readonly documentNumbers: Uint32Array;
  /** At `posting * SEARCH_FIELDS.length + field`. */
  readonly frequencies: Uint32Array;
  /** Where the positions of each posting begin; one entry more than there are postings. */
  readonly positionStarts: Uint32Array;
  readonly positions: Uint32Array;
}

/** Encodes one posting list; documents are added in ascending order. */
export class PostingListWriter {
  readonly #bytes = new ByteWriter(8);
  #count = 0;
  #last = -1;

  add(documentNumber: number, { frequencies, positions }: TermOccurrences): void {
    this.#bytes.writeVarint(documentNumber - this.#last - 1);
    this.#last = documentNumber;
    this.#count++;
    let mask = positions.length === 1 ? OCCURS_ONCE : 0;
    for (let field = 0; field < FIELD_COUNT; field++) if (frequencies[field]) mask |= 1 << field;
    this.#bytes.writeVarint(mask);
    if (mask < OCCURS_ONCE) for (const frequency of frequencies) if (frequency) this.#bytes.writeVarint(frequency);
    let last = -1;
    for (const position of positions) {
      this.#bytes.writeVarint(position - last - 1);
      last = position;
    }
  }

  toBytes(): Uint8Array {
    const list = new ByteWriter(this.#bytes.length + 5);
    list.writeVarint(this.#count);
    list.writeBytes(this.#bytes.toBytes());
    return list.toBytes();
  }
}

/** In how many documents a term occurs. */
export function documentFrequency(index: SearchIndex, termNumber: number): number {
  return readerAt(index, termNumber).readVarint();
}

/**
 * The posting list of a term.
 *
 * @throws {IndexFormatError} If the bytes are no posting list of this index; no index of `buildIndex` has such.
 */
export function readPostings(index: SearchIndex, termNumber: number): PostingList {
  const reader = readerAt(index, termNumber);
  const count = reader.readCount(3);
  const documentNumbers = new Uint32Array(count);
  const frequencies = new Uint32Array(count * FIELD_COUNT);
  const positionStarts = new Uint32Array(count + 1);
  const positions = new Uint32Array(reader.remaining);
  let documentNumber = -1;
  let filled = 0;
  for (let posting = 0; posting < count; posting++) {
    documentNumber += reader.readVarint() + 1;
    documentNumbers[posting] = documentNumber;
    const occurrences = readFrequencies(reader, frequencies, posting * FIELD_COUNT);
    if (occurrences > reader.remaining) throw new IndexFormatError('Cannot read a posting list: it is cut short');
    let position = -1;
    for (let occurrence = 0; occurrence < occurrences; occurrence++) {
      position += reader.readVarint() + 1;
      positions[filled++] = position;
    }
    positionStarts[posting + 1] = filled;
  }
  if (documentNumber >= index.documentIds.length || reader.remaining > 0) {
    throw new IndexFormatError('Cannot read a posting list: it does not fit the index');
  }
  return { documentNumbers, frequencies, positionStarts, positions };
}

function readFrequencies(reader: ByteReader, frequencies: Uint32Array, at: number): number {
  const mask = reader.readVarint();
  let sum = 0;
  for (let field = 0; field < FIELD_COUNT; field++) {
    if ((mask & (1 << field)) === 0) continue;
    const frequency = mask & OCCURS_ONCE ? 1 : reader.readVarint();
    frequencies[at + field] = frequency;
    sum += frequency;
  }
  return sum;
}

function readerAt(index: SearchIndex, termNumber: number): ByteReader {
  return new ByteReader(index.postings, index.postingStarts[termNumber], index.postingStarts[termNumber + 1]);
}
