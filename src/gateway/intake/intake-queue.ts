import type { IntakeResponse } from '../../schemas/intake/intake.ts';
import type { Clock } from '../ports.ts';
import type { Submissions } from './intake-ports.ts';

type Counted = Pick<IntakeResponse['queue'], 'waiting' | 'median_wait_hours'>;

/** How long counts are reused, in milliseconds: the cache lifetime of the response. */
const KEPT_MS = 60_000;

/** How long other requests get the old counts while one request reads new ones, in milliseconds: longer than a read may take. */
const ASKING_MS = 5_000;

const HOUR_MS = 3_600_000;

const NOT_COUNTED: Counted = { waiting: null, median_wait_hours: null };

/** Length and wait of the proposal queue; each isolate reads it about once a minute. */
export class IntakeQueue {
  readonly #submissions: Submissions | undefined;
  readonly #clock: Clock;
  /** The current counts, and how long they are valid. */
  #counted: { readonly atMs: number; readonly keptMs: number; readonly counts: Counted } | undefined;

  constructor(submissions: Submissions | undefined, clock: Clock) {
    this.#submissions = submissions;
    this.#clock = clock;
  }

  /**
   * The counts; null if the database cannot be reached. While one request reads, others get the previous counts; until there are any, each
   * request reads for itself, because no request waits for the work of another.
   */
  async read(): Promise<Counted> {
    const nowMs = this.#clock.nowMs();
    const counted = this.#counted;
    if (counted !== undefined && nowMs >= counted.atMs && nowMs - counted.atMs < counted.keptMs) return counted.counts;
    if (counted !== undefined) this.#counted = { atMs: nowMs, keptMs: ASKING_MS, counts: counted.counts };
    const counts = await this.#count();
    this.#counted = { atMs: nowMs, keptMs: KEPT_MS, counts };
    return counts;
  }

  async #count(): Promise<Counted> {
    if (this.#submissions === undefined) return NOT_COUNTED;
    try {
      const { waiting, medianWaitMs } = await this.#submissions.queue();
      return { waiting, median_wait_hours: medianWaitMs === undefined ? null : Math.round(medianWaitMs / (HOUR_MS / 10)) / 10 };
    } catch {
      return NOT_COUNTED;
    }
  }
}
