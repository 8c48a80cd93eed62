export interface CountedClicks {
  readonly day: string;
  readonly offerId: string;
  readonly clicks: number;
}

/** Counts redirects to the checkout of an offer, without identifying anybody. Never fails and never writes to a database. */
export interface ClickCounter {
  readonly count: (offerId: string, nowMs: number) => void;
}

/**
 * Clicks that one isolate has not stored yet. GET requests never write to the database: their counts wait for a request that writes anyway.
 * Clicks of an isolate that ends first are lost, so stored counts are a lower bound.
 */
export class PendingClicks implements ClickCounter {
  readonly #clicks = new Map<string, CountedClicks>();
  #takenAtMs = Number.NEGATIVE_INFINITY;

  count(offerId: string, nowMs: number): void {
    const day = new Date(nowMs).toISOString().slice(0, 10);
    const key = `${day} ${offerId}`;
    this.#clicks.set(key, { day, offerId, clicks: (this.#clicks.get(key)?.clicks ?? 0) + 1 });
  }

  /**
   * Removes and returns the clicks to store now: at most {@link BATCH_MAX} offers, at most once in {@link BATCH_INTERVAL_MS}. Never
   * returned twice, so that a batch with an unknown outcome is not counted twice.
   */
  take(nowMs: number): readonly CountedClicks[] {
    if (this.#clicks.size === 0 || nowMs - this.#takenAtMs < BATCH_INTERVAL_MS) return [];
    this.#takenAtMs = nowMs;
    const taken = [...this.#clicks].slice(0, BATCH_MAX);
    for (const [key] of taken) this.#clicks.delete(key);
    return taken.map(([, clicks]) => clicks);
  }
}

const BATCH_MAX = 20;

/** Minimum time between batches of an isolate, in milliseconds: half an hour, so that clicks write few rows. */
const BATCH_INTERVAL_MS = 1_800_000;
