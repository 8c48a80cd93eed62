/** The mean of some values; 0 of none. */
export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** The value that a share of the values does not exceed (nearest rank); 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
