/** The mean of some values; 0 of none. */
export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** The value that a share of the values does not exceed (nearest rank); 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/**
 * Area under the ROC curve: the probability that one of the `own` values exceeds one of the `foreign`; equal values count half.
 *
 * @see {@link https://doi.org/10.1016/j.patrec.2005.10.010 Fawcett, An introduction to ROC analysis (2006)}
 */
export function areaUnderCurve(own: readonly number[], foreign: readonly number[]): number {
  return mean(own.map((value) => mean(foreign.map((other) => (value > other ? 1 : value === other ? 0.5 : 0)))));
}
