// Without imports: programs that load no schemas use it.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The day of a time in UTC, `YYYY-MM-DD`. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
