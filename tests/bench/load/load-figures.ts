import type { LoadOutcome } from './run-load.ts';

/** Latencies of some responses, in milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Latencies of a load.
 *
 * @param of Only those of one route, or of a part of the time; by default all.
 */
export function latenciesOf(
  { answered, routes }: LoadOutcome,
  of: { readonly route?: string; readonly fromMs?: number; readonly toMs?: number } = {},
): Latencies {
  const { route, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = of;
  const number = route === undefined ? undefined : routes.indexOf(route);
  const values = answered.latencyMs.filter((_, at) => {
    const time = answered.atMs[at] ?? 0;
    return (number === undefined || answered.route[at] === number) && time >= fromMs && time < toMs;
  });
  values.sort();
  return { count: values.length, p50: ranked(values, 0.5), p90: ranked(values, 0.9), p99: ranked(values, 0.99), max: ranked(values, 1) };
}

/** The percentile of ascending values (nearest rank); 0 of none. */
function ranked(ascending: Float64Array, share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? 0;
}

export const perSecond = ({ answered, elapsedMs }: LoadOutcome): number => (answered.latencyMs.length * 1_000) / elapsedMs;
