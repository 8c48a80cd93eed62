import { IndexFormatError } from '../format/index-format.ts';

/** What one query needs room for. */
export interface KernelNeeds {
  /** Documents of the index. */
  readonly documents: number;
  /** Bytes of the longest record. */
  readonly recordBytes: number;
  /** Documents that {@link Kernel.findFollowers} may find, all calls together; if 0, nothing is marked. */
  readonly candidates: number;
}

/**
 * The loops of a ranking over all documents, one query at a time. Kernels differ in speed alone: the same calls give the same
 * integers. Nothing of an index is kept between queries.
 */
export interface Kernel {
  /** Score of each document, 0 for one that does not match. Another array after each {@link begin}. */
  readonly scores: Int32Array;
  /** Bits of each document, which mean what the caller says; of no use if nothing is marked. */
  readonly masks: Uint32Array;

  /** Makes room for a query, with all scores at 0. @returns Whether there is enough memory. */
  begin(needs: KernelNeeds): boolean;

  /**
   * Adds what a record gives to the scores: `worth` times its level for each document that has the term or was given it.
   *
   * @param bytes Hold the record from `start`, and end at `end` at the earliest.
   * @param marks Whether the documents that have the term get `bit` and are kept for {@link findFollowers}.
   * @throws {IndexFormatError} If the record is cut short or names a document that there is not.
   */
  addRecord(bytes: Uint8Array, start: number, end: number, worth: number, bit: number, marks: boolean): void;

  /**
   * Appends the documents of the record that was added last, with marks, in which a term with the fingerprint `wanted` follows
   * to the candidates of the query. @returns Where they begin among those, and how many they are.
   *
   * @throws {IndexFormatError} If what the record says of them is cut short.
   */
  findFollowers(wanted: number): { start: number; count: number };

  /** Keeps of `count` candidates from `start` those that have `bit`, in their order. @returns How many they are. */
  keepMarked(start: number, count: number, bit: number): number;

  /** Adds as many points to each of `count` candidates from `start`. */
  addPoints(start: number, count: number, points: number): void;

  /** All documents with a score, ascending, in memory that {@link findStrongest} reads and the next query writes over. */
  findMatching(): Uint32Array;

  /**
   * The first `wanted` of the first `count` documents that {@link findMatching} gave: by ascending tier, then descending score,
   * then ascending number.
   *
   * @param tiers Of each document; absent if all are of one.
   */
  findStrongest(count: number, wanted: number, tiers: Uint8Array | undefined): Uint32Array;
}

/** What a kernel throws for bytes that are no record. */
export function unreadableRecord(): IndexFormatError {
  return new IndexFormatError('Cannot read a posting list: it is cut short, or not of this index');
}
