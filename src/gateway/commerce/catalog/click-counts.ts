/** Clicks on one offer in one day. */
export interface CountedClicks {
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  readonly offerId: string;
  readonly clicks: number;
}

/** Counts how often somebody was sent to the checkout of an offer, with nothing about who it was. Never fails and writes to no database. */
export interface ClickCounter {
  readonly count: (offerId: string, nowMs: number) => void;
}

/**
 * Clicks that one isolate has counted and not stored. A GET may come a million times a day, so it never writes to the database: what it
 * counts waits here until something that writes anyway takes it along. An isolate that ends first loses its clicks, so the stored figure is
 * a lower bound.
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
   * Takes out what is to be stored now: at most {@link BATCH_MAX} offers, at most once in {@link BATCH_INTERVAL_MS}. What is taken is not
   * given again, so that a batch whose answer was lost counts nothing twice.
   */
  take(nowMs: number): readonly CountedClicks[] {
    if (this.#clicks.size === 0 || nowMs - this.#takenAtMs < BATCH_INTERVAL_MS) return [];
    this.#takenAtMs = nowMs;
    const taken = [...this.#clicks].slice(0, BATCH_MAX);
    for (const [key] of taken) this.#clicks.delete(key);
    return taken.map(([, clicks]) => clicks);
  }
}

/** Offers whose clicks one batch stores: each is a row written. */
const BATCH_MAX = 20;

/** Shortest time between two batches of one isolate, in milliseconds: half an hour, so that clicks cost few rows. */
const BATCH_INTERVAL_MS = 1_800_000;
