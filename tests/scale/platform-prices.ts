/**
 * Prices of the paid plan of Workers, in US dollars, and what a month includes for the base fee.
 *
 * @see {@link https://developers.cloudflare.com/workers/platform/pricing/ Workers pricing}, read on 2026-11-23: requests, CPU, KV.
 */
const PRICES = {
  baseFee: 5,
  requests: { included: 10e6, perMillion: 0.3 },
  cpuMs: { included: 30e6, perMillion: 0.02 },
  kvReads: { included: 10e6, perMillion: 0.5 },
  kvStorageGb: { included: 1, perGb: 0.5 },
} as const;

/** Seconds of a month of thirty days. */
export const MONTH_SECONDS = 30 * 86_400;

/** What a month of queries uses. */
export interface Usage {
  readonly requests: number;
  readonly cpuMs: number;
  readonly kvReads: number;
  readonly storedBytes: number;
}

export interface Cost {
  readonly requests: number;
  readonly cpu: number;
  readonly kvReads: number;
  readonly storage: number;
  readonly total: number;
}

export function costOf({ requests, cpuMs, kvReads, storedBytes }: Usage): Cost {
  const beyond = (used: number, { included, perMillion }: { readonly included: number; readonly perMillion: number }): number =>
    (Math.max(0, used - included) / 1e6) * perMillion;
  const parts = {
    requests: beyond(requests, PRICES.requests),
    cpu: beyond(cpuMs, PRICES.cpuMs),
    kvReads: beyond(kvReads, PRICES.kvReads),
    storage: Math.max(0, storedBytes / 1e9 - PRICES.kvStorageGb.included) * PRICES.kvStorageGb.perGb,
  };
  return { ...parts, total: PRICES.baseFee + Object.values(parts).reduce((sum, part) => sum + part, 0) };
}
