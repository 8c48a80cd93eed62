import { NEIGHBOUR_SIMILARITY_MAX } from '../ranking-parameters.ts';
import { ByteWriter, IndexFormatError } from './index-block.ts';

const SIMILARITY_BITS = 7;
const SIMILARITY_SHIFT = 32 - SIMILARITY_BITS;
const SIMILARITY_MAX = 2 ** SIMILARITY_BITS - 1;
const DOCUMENT_MASK = 2 ** SIMILARITY_SHIFT - 1;

/** Entries above this similarity are near duplicates, which do not support scores. */
const SUPPORTING_MAX = Math.round(NEIGHBOUR_SIMILARITY_MAX * SIMILARITY_MAX);

/** A document and how similar it is, 0 to 1. */
export interface Neighbour {
  readonly document: number;
  readonly similarity: number;
  /** Whether it is a near duplicate: no independent evidence. */
  readonly isDuplicate?: boolean;
}

/**
 * Encodes neighbours: number of documents and of entries (u32 each); start of the entries of each document, and their end (u32 each); the
 * entries, seven bits of similarity above 25 bits of document number (u32 each); trust in the neighbours of each document, 0 to 255 (u8).
 */
export function encodeNeighbours(lists: readonly (readonly Neighbour[])[], trust: Uint8Array): Uint8Array {
  const starts = new Uint32Array(lists.length + 1);
  lists.forEach((list, document) => {
    starts[document + 1] = starts[document] + list.length;
  });
  const entries = lists.flatMap((list) =>
    list.map(({ document, similarity, isDuplicate }) => {
      const rounded = Math.round(similarity * SIMILARITY_MAX);
      const bounded = isDuplicate ? Math.max(rounded, SUPPORTING_MAX + 1) : Math.min(rounded, SUPPORTING_MAX);
      return ((bounded << SIMILARITY_SHIFT) | document) >>> 0;
    }),
  );
  const writer = new ByteWriter(entries.length * 4 + lists.length * 5 + 16);
  writer.writeWords([lists.length, entries.length]);
  writer.writeWords(starts);
  writer.writeWords(entries);
  writer.writeBytes(trust);
  writer.alignToWord();
  return writer.toBytes();
}

/** The neighbours of all documents, read in place. */
export class Neighbours {
  readonly #starts: Uint32Array;
  readonly #entries: Uint32Array;
  readonly #trust: Uint8Array;

  /** @throws {IndexFormatError} If the bytes are not those of `documents` documents. */
  constructor(bytes: Uint8Array, documents: number) {
    const [count = 0, entries = 0] = bytes.length < 8 ? [] : new Uint32Array(bytes.buffer, bytes.byteOffset, 2);
    const entriesAt = 8 + (count + 1) * 4;
    const trustAt = entriesAt + entries * 4;
    if (count !== documents || Math.ceil((trustAt + count) / 4) * 4 !== bytes.length)
      throw new IndexFormatError('Cannot read the neighbours of the index: their lengths do not add up');
    this.#starts = new Uint32Array(bytes.buffer, bytes.byteOffset + 8, count + 1);
    this.#entries = new Uint32Array(bytes.buffer, bytes.byteOffset + entriesAt, entries);
    this.#trust = bytes.subarray(trustAt, trustAt + count);
  }

  of(document: number): Neighbour[] {
    return Array.from(this.#entries.subarray(this.#starts[document], this.#starts[document + 1]), (entry) => ({
      document: entry & DOCUMENT_MASK,
      similarity: (entry >>> SIMILARITY_SHIFT) / SIMILARITY_MAX,
      isDuplicate: entry >>> SIMILARITY_SHIFT > SUPPORTING_MAX,
    }));
  }

  /** Mean score of a document's neighbours, weighted by similarity, without near duplicates; -1 without neighbours. */
  support(document: number, scores: Int32Array): number {
    const entries = this.#entries;
    const end = this.#end(document);
    let weighted = 0;
    let total = 0;
    for (let at = this.#starts[document]; at < end; at++) {
      const entry = entries[at];
      const similarity = entry >>> SIMILARITY_SHIFT;
      if (similarity > SUPPORTING_MAX) continue;
      weighted += similarity * scores[entry & DOCUMENT_MASK];
      total += similarity;
    }
    return total === 0 ? -1 : weighted / total;
  }

  /** Calls `visit` with each neighbour of a document except near duplicates. */
  forEach(document: number, visit: (neighbour: number) => void): void {
    const end = this.#end(document);
    for (let at = this.#starts[document]; at < end; at++) {
      const entry = this.#entries[at];
      if (entry >>> SIMILARITY_SHIFT <= SUPPORTING_MAX) visit(entry & DOCUMENT_MASK);
    }
  }

  // The end in corrupt bytes may be beyond the entries.
  #end(document: number): number {
    return Math.min(this.#starts[document + 1], this.#entries.length);
  }

  /** Trust in the neighbours of a document, 0 to 1: low for a short text. */
  trust(document: number): number {
    return (this.#trust[document] ?? 0) / 255;
  }
}
