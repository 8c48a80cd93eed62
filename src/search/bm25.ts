import { BM25_B, BM25_K1, TITLE_SCORE_WEIGHT } from './ranking-parameters.ts';

/** Upper bound of an impact, reached by a term that saturates the whole document and its title. */
export const IMPACT_MAX = (BM25_K1 + 1) * (1 + TITLE_SCORE_WEIGHT);

/** Seven bits rank like floating point on five judged collections; six lose 0.002 of nDCG@10. */
const QUANTIZED_IMPACT_BITS = 7;

export const QUANTIZED_IMPACT_MAX = 2 ** QUANTIZED_IMPACT_BITS - 1;

/** From this number of documents on, impacts are rounded to {@link COARSE_STEP}: lists are a sixth shorter and faster to read. */
const COARSE_FROM_DOCUMENTS = 50_000;

const COARSE_STEP = 4;

/** Fixed-point steps of a term's weight: scores are sums of integers, so that every machine ranks alike. */
const WEIGHT_SCALE = 64;

/** Inverse document frequency with 1 added, as in Lucene: always positive. Robertson and Zaragoza (2009), section 3.1, doi.org/10.1561/1500000019. */
export function inverseDocumentFrequency(documentCount: number, documentFrequency: number): number {
  return Math.log(1 + (documentCount - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** The saturation of a length-normalised frequency: 0 for 0, 1 for 1, always below `k1 + 1`. */
export function saturate(frequency: number): number {
  return (frequency * (BM25_K1 + 1)) / (BM25_K1 + frequency);
}

/** The weight of an occurrence in a field of some length: 1 at the average, more in a shorter field. */
export function lengthScale(length: number, averageLength: number): number {
  return 1 / (1 - BM25_B + (BM25_B * length) / averageLength);
}

/** An impact from 0 to {@link IMPACT_MAX} as an index of `documentCount` documents stores it; a positive impact stays positive. */
export function quantizeImpact(impact: number, documentCount: number): number {
  if (!(impact > 0)) return 0;
  const quantized = Math.min(QUANTIZED_IMPACT_MAX, Math.max(1, Math.round((impact / IMPACT_MAX) * QUANTIZED_IMPACT_MAX)));
  if (documentCount < COARSE_FROM_DOCUMENTS) return quantized;
  const coarse = Math.round(quantized / COARSE_STEP) * COARSE_STEP;
  return Math.max(COARSE_STEP, Math.min(QUANTIZED_IMPACT_MAX - (QUANTIZED_IMPACT_MAX % COARSE_STEP), coarse));
}

/** A term's weight as an integer factor of quantized impacts; at least 1. */
export function integerWeight(weight: number): number {
  return Math.max(1, Math.round(weight * WEIGHT_SCALE));
}
