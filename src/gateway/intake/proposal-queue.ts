import type { IntakeRequest, IntakeResponse, SubmissionState } from '../../schemas/intake/proposals.ts';
import { HOUR_MS } from '../../schemas/time.ts';
import { type CachedRead, cachedRead } from '../memory-caches.ts';
import type { Clock, IdempotencyKey, IdempotencyRecord } from '../platform-ports.ts';

export type QueueCounts = Pick<IntakeResponse['queue'], 'waiting' | 'median_wait_hours'>;

/** The cache lifetime of the response. */
const COUNTS_LIFETIME_MS = 60_000;

/** Length and wait of the proposal queue; null if the database cannot be reached. */
export function intakeQueue(proposals: Pick<ProposalStore, 'queue'> | undefined, clock: Clock): CachedRead<QueueCounts> {
  const count = async (): Promise<QueueCounts> => {
    const counted = await proposals?.queue().catch(() => undefined);
    if (counted === undefined) return { waiting: null, median_wait_hours: null };
    const { waiting, medianWaitMs } = counted;
    return { waiting, median_wait_hours: medianWaitMs === undefined ? null : Math.round(medianWaitMs / (HOUR_MS / 10)) / 10 };
  };
  return cachedRead(count, COUNTS_LIFETIME_MS, clock);
}

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

export interface KnownProposal {
  readonly stored: IdempotencyRecord | undefined;
  /** The response to the same proposal of the same agent under any key, for `LIMITS.decisionKeptDays` after its decision. */
  readonly own: string | undefined;
  /** State of the same proposal of any agent, for the same time. */
  readonly state: SubmissionState | undefined;
  readonly waiting: number;
}

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

/** Stored proposals. Needs uniqueness and read-your-writes. Every method throws if the database cannot be reached. */
export interface ProposalStore {
  readonly load: (slot: IdempotencyKey, agent: string, sha256: string, nowMs: number) => Promise<KnownProposal>;
  /** The record of the key afterwards; `undefined` if the queue is full. Stores all or nothing; if it throws, all may have been stored. */
  readonly store: (proposal: SentProposal) => Promise<IdempotencyRecord | undefined>;
  readonly read: (receipt: string, agent: string) => Promise<ProposalRecord | undefined>;
  readonly queue: () => Promise<{ readonly waiting: number; readonly medianWaitMs: number | undefined }>;
}
