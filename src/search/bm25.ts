import { BM25_B, BM25_K1 } from './constants.ts';

/**
 * How much it says that a document has a term which `documentFrequency` of `documentCount` documents have. Always
 * positive: the form with 1 added, as Lucene has it.
 *
 * @see {@link https://doi.org/10.1561/1500000019 Robertson and Zaragoza (2009)}, section 3.1
 */
export function inverseDocumentFrequency(documentCount: number, documentFrequency: number): number {
  return Math.log(1 + (documentCount - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** What a length-normalised frequency is worth: 0 for 0, 1 for 1, below `k1 + 1` always. */
export function saturate(frequency: number): number {
  return (frequency * (BM25_K1 + 1)) / (BM25_K1 + frequency);
}

/** What an occurrence counts in a field of some length: 1 at the average, more in a shorter field. */
export function lengthScale(length: number, averageLength: number): number {
  return 1 / (1 - BM25_B + (BM25_B * length) / averageLength);
}
