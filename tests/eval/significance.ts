import { below, seededRandom } from './random.ts';

/** Resamples that an interval or a p value is taken from. */
const RESAMPLES = 10_000;

/** Same data, same figures: the seed is part of the method. */
const SEED = 20_260_101;

/**
 * What two rankers differ by, query by query, one list a collection.
 *
 * The figure under test is the mean over collections of each collection's mean: collections weigh alike, however many queries
 * they have.
 */
export type PairedDifferences = readonly (readonly number[])[];

/** A mean difference and where it lies with 95 % confidence. */
export interface DifferenceInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Paired bootstrap: queries are drawn with replacement, {@link RESAMPLES} times, in each collection by itself; the interval is
 * that from the 2.5th to the 97.5th percentile of the means (nearest rank). Zeros if there are no queries.
 *
 * @see {@link https://doi.org/10.1201/9780429246593 Efron and Tibshirani, An Introduction to the Bootstrap (1993)}, chapter 13.
 */
export function bootstrapInterval(differences: PairedDifferences): DifferenceInterval {
  const random = seededRandom(SEED);
  const means = resampledMeans(differences, (values) => values[below(random, values.length)] as number);
  const at = (share: number): number => means[Math.ceil(share * RESAMPLES) - 1] as number;
  return { mean: meanOf(differences), low: at(0.025), high: at(0.975) };
}

/**
 * Paired randomization test, two-sided: the sign of every difference is turned by a fair coin, {@link RESAMPLES} times; p is
 * the share of means that are at least as far from zero as the true one, which counts among them, so that p is never zero.
 *
 * @see {@link https://doi.org/10.1145/1321440.1321528 Smucker, Allan, Carterette: A Comparison of Statistical Significance Tests
 *   for Information Retrieval Evaluation (2007)}.
 */
export function randomizationP(differences: PairedDifferences): number {
  const random = seededRandom(SEED);
  const means = resampledMeans(differences, (values, at) => (random() < 0.5 ? -1 : 1) * (values[at] as number));
  // Sums of the same numbers in another order differ in their last bits.
  const bound = Math.abs(meanOf(differences)) - 1e-12;
  return (means.filter((mean) => Math.abs(mean) >= bound).length + 1) / (RESAMPLES + 1);
}

/** One number less the other, query by query. @throws {RangeError} If the lists are not of one length. */
export function differencesOf(ours: readonly number[], theirs: readonly number[]): number[] {
  if (ours.length !== theirs.length) throw new RangeError(`Cannot pair ${ours.length} queries with ${theirs.length}`);
  return ours.map((value, at) => value - (theirs[at] as number));
}

/** Ascending; a collection without queries is left out. */
function resampledMeans(differences: PairedDifferences, draw: (values: readonly number[], at: number) => number): Float64Array {
  const collections = differences.filter((values) => values.length > 0);
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let sum = 0;
    for (const values of collections) {
      let drawn = 0;
      for (let at = 0; at < values.length; at++) drawn += draw(values, at);
      sum += drawn / values.length;
    }
    means[resample] = sum / Math.max(1, collections.length);
  }
  return means.sort();
}

function meanOf(differences: PairedDifferences): number {
  const means = differences
    .filter((values) => values.length > 0)
    .map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
  return means.reduce((sum, mean) => sum + mean, 0) / Math.max(1, means.length);
}
