import type { IntakeRequest, IntakeResponse, SubmissionState } from '../../schemas/intake/intake.ts';
import { HOUR_MS } from '../../schemas/time.ts';
import type { Clock, IdempotencyKey, IdempotencyRecord } from '../ports.ts';

type Counted = Pick<IntakeResponse['queue'], 'waiting' | 'median_wait_hours'>;

/** How long counts are reused, in milliseconds: the cache lifetime of the response. */
const KEPT_MS = 60_000;

/** How long other requests get the old counts while one request reads new ones, in milliseconds: longer than a read may take. */
const ASKING_MS = 5_000;

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

/** A proposal of an agent. */
export interface SentProposal {
  readonly slot: IdempotencyKey;
  readonly agent: string;
  readonly sha256: string;
  readonly kind: IntakeRequest['kind'];
  readonly capsuleId: string;
  /** JSON of the proposal without its note. */
  readonly body: string;
  readonly note: string | undefined;
  readonly receipt: string;
  readonly record: IdempotencyRecord;
  readonly receivedAtMs: number;
  readonly recordExpiresAtMs: number;
}

/** Stored state that decides about a proposal. */
export interface KnownProposal {
  readonly stored: IdempotencyRecord | undefined;
  /** The response to the same proposal of the same agent under any key, for `LIMITS.decisionKeptDays` after its decision. */
  readonly own: string | undefined;
  /** State of the same proposal of any agent, for the same time. */
  readonly state: SubmissionState | undefined;
  readonly waiting: number;
}

/** A stored proposal. */
export interface ProposalRecord {
  readonly kind: IntakeRequest['kind'];
  /** Proposed or corrected capsule; once accepted, the id under which it was accepted. */
  readonly capsuleId: string;
  readonly sha256: string;
  readonly state: SubmissionState;
  readonly receivedAtMs: number;
  readonly decidedAtMs: number | undefined;
  readonly reason: string | undefined;
}

/** Length and wait of the queue. */
export interface QueueStats {
  readonly waiting: number;
  /** Median wait of the newest decisions; `undefined` if there are none. */
  readonly medianWaitMs: number | undefined;
}

/** Stored proposals. Needs uniqueness and read-your-writes. Every method throws if the database cannot be reached. */
export interface Submissions {
  readonly load: (slot: IdempotencyKey, agent: string, sha256: string, nowMs: number) => Promise<KnownProposal>;
  /**
   * Stores a proposal, its receipt and the response under the idempotency key, all or nothing; existing rows stay. If it throws, all may
   * have been stored.
   *
   * @returns The record of the idempotency key afterwards; `undefined` if the queue is full and nothing was stored.
   */
  readonly store: (proposal: SentProposal) => Promise<IdempotencyRecord | undefined>;
  readonly read: (receipt: string, agent: string) => Promise<ProposalRecord | undefined>;
  readonly queue: () => Promise<QueueStats>;
}
