import { NEIGHBOUR_SIMILARITY_MAX } from '../constants.ts';
import { ByteWriter } from './byte-writer.ts';
import { IndexFormatError } from './index-block.ts';

const SIMILARITY_BITS = 7;
const SIMILARITY_SHIFT = 32 - SIMILARITY_BITS;
const SIMILARITY_MAX = 2 ** SIMILARITY_BITS - 1;
const DOCUMENT_MASK = 2 ** SIMILARITY_SHIFT - 1;

/** Entries above this similarity are near duplicates: they are related, and support no score. */
const SUPPORTING_MAX = Math.round(NEIGHBOUR_SIMILARITY_MAX * SIMILARITY_MAX);

/** A document and how similar it is, 0 to 1. */
export interface Neighbour {
  readonly document: number;
  readonly similarity: number;
  /** Whether it is so similar that it is no independent evidence: both may be versions of one text. */
  readonly isDuplicate?: boolean;
}

/**
 * Encodes which documents are near which: number of documents and of entries (u32 each); where the entries of each document begin (u32, one
 * more than there are documents); the entries, seven bits of similarity over 25 of the document (u32 each); how far the neighbours of each
 * document are trusted, 0 to 255 (u8 each).
 */
export function encodeNeighbours(lists: readonly (readonly Neighbour[])[], trust: Uint8Array): Uint8Array {
  const starts = new Uint32Array(lists.length + 1);
  lists.forEach((list, document) => {
    starts[document + 1] = starts[document] + list.length;
  });
  const entries = lists.flatMap((list) =>
    list.map(({ document, similarity, isDuplicate }) => {
      const rounded = Math.round(similarity * SIMILARITY_MAX);
      const kept = isDuplicate ? Math.max(rounded, SUPPORTING_MAX + 1) : Math.min(rounded, SUPPORTING_MAX);
      return ((kept << SIMILARITY_SHIFT) | document) >>> 0;
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

/** The near neighbours of all documents, read in place. */
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

  /** The neighbours of a document, near duplicates among them, nearest first. */
  of(document: number): Neighbour[] {
    return Array.from(this.#entries.subarray(this.#starts[document], this.#starts[document + 1]), (entry) => ({
      document: entry & DOCUMENT_MASK,
      similarity: (entry >>> SIMILARITY_SHIFT) / SIMILARITY_MAX,
      isDuplicate: entry >>> SIMILARITY_SHIFT > SUPPORTING_MAX,
    }));
  }

  /** Mean score of a document's neighbours without near duplicates, weighted by similarity; -1 if there are none. */
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

  /** Calls `visit` with each neighbour of a document, near duplicates left out. */
  forEach(document: number, visit: (neighbour: number) => void): void {
    const end = this.#end(document);
    for (let at = this.#starts[document]; at < end; at++) {
      const entry = this.#entries[at];
      if (entry >>> SIMILARITY_SHIFT <= SUPPORTING_MAX) visit(entry & DOCUMENT_MASK);
    }
  }

  // Corrupted bytes may name an end beyond the entries.
  #end(document: number): number {
    return Math.min(this.#starts[document + 1], this.#entries.length);
  }

  /** How far the neighbours of a document are trusted, 0 to 1: little where its text is short. */
  trust(document: number): number {
    return (this.#trust[document] ?? 0) / 255;
  }
}
