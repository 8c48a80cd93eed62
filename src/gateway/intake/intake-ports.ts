import type { IntakeRequest, SubmissionState } from '../../schemas/intake/intake.ts';
import type { IdempotencyKey, IdempotencyRecord } from '../idempotency/bind-idempotency-key.ts';

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
  /** The proposal of a receipt, if the receipt belongs to the agent. */
  readonly read: (receipt: string, agent: string) => Promise<ProposalRecord | undefined>;
  readonly queue: () => Promise<QueueStats>;
}
