import { below, seededRandom } from './random.ts';
import { mean } from './statistics.ts';

const RESAMPLES = 10_000;

/** A fixed seed, so that the same data give the same figures. */
const SEED = 20_260_101;

/**
 * Differences of two rankers by query, one list for each collection. The tested figure is the mean of the means of collections, which have
 * equal weights.
 */
export type PairedDifferences = readonly (readonly number[])[];

export interface DifferenceInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Paired bootstrap: queries are drawn with replacement, {@link RESAMPLES} times, separately in each collection; the interval is from the 2.5th
 * to the 97.5th percentile of the means (nearest rank). Zeros without queries.
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
 * Two-sided paired randomization test: the sign of every difference is random, {@link RESAMPLES} times; p is the share of means at least as far
 * from zero as the observed one, which is included, so that p is never zero.
 *
 * @see {@link https://doi.org/10.1145/1321440.1321528 Smucker, Allan, Carterette: A Comparison of Statistical Significance Tests
 *   for Information Retrieval Evaluation (2007)}.
 */
export function randomizationP(differences: PairedDifferences): number {
  const random = seededRandom(SEED);
  const means = resampledMeans(differences, (values, at) => (random() < 0.5 ? -1 : 1) * (values[at] as number));
  // Sums in another order differ in the last bits.
  const bound = Math.abs(meanOf(differences)) - 1e-12;
  return (means.filter((resampled) => Math.abs(resampled) >= bound).length + 1) / (RESAMPLES + 1);
}

/** Pairwise differences. @throws {RangeError} If the lists differ in length. */
export function differencesOf(ours: readonly number[], theirs: readonly number[]): number[] {
  if (ours.length !== theirs.length) throw new RangeError(`Cannot pair ${ours.length} queries with ${theirs.length}`);
  return ours.map((value, at) => value - (theirs[at] as number));
}

/** Ascending, without collections that have no queries. */
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
  return mean(differences.filter((values) => values.length > 0).map(mean));
}
