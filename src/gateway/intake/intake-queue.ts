import type { IntakeResponse } from '../../schemas/intake/intake.ts';
import type { Clock } from '../ports.ts';
import type { Submissions } from './intake-ports.ts';

/** Published figures of the queue that come from the database. */
type Counted = Pick<IntakeResponse['queue'], 'waiting' | 'median_wait_hours'>;

/** How long counts are reused, in milliseconds: as long as the response may be cached. */
const KEPT_MS = 60_000;

/** How long other requests get the old counts while one reads new ones, in milliseconds: longer than a read may take. */
const ASKING_MS = 5_000;

const HOUR_MS = 3_600_000;

const NOT_COUNTED: Counted = { waiting: null, median_wait_hours: null };

/** How long the queue of proposals is and how long they wait; asked of the database about once in a minute for each isolate. */
export class IntakeQueue {
  readonly #submissions: Submissions | undefined;
  readonly #clock: Clock;
  /** What is told, since when, and for how long, in milliseconds. */
  #counted: { readonly atMs: number; readonly keptMs: number; readonly counts: Counted } | undefined;

  constructor(submissions: Submissions | undefined, clock: Clock) {
    this.#submissions = submissions;
    this.#clock = clock;
  }

  /**
   * The counts; null where the database cannot be asked. While one request asks, others get the counts before and do not ask too;
   * until there are any, each asks for itself, because none waits for what another request does.
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
