import type { IntakeRequest, SubmissionState } from '../../schemas/intake/intake.ts';
import type { IdempotencyKey, IdempotencyRecord } from '../idempotency/bind-idempotency-key.ts';

/** A proposal as one agent sends it. */
export interface SentProposal {
  readonly slot: IdempotencyKey;
  /** Agent that proposes, 16 hexadecimal digits. */
  readonly agent: string;
  readonly sha256: string;
  readonly kind: IntakeRequest['kind'];
  readonly capsuleId: string;
  /** The proposal without its note, as JSON. */
  readonly body: string;
  readonly note: string | undefined;
  readonly receipt: string;
  /** What the agent is answered with, kept under its idempotency key. */
  readonly answer: IdempotencyRecord;
  readonly receivedAtMs: number;
  /** When the answer is no longer kept under the idempotency key. */
  readonly answerExpiresAtMs: number;
}

/** What the database holds that matters to a proposal before it is taken. */
export interface KnownProposal {
  /** The record of the idempotency key. */
  readonly stored: IdempotencyRecord | undefined;
  /** What the same agent was answered for the same proposal, under whatever key, until `LIMITS.decisionKeptDays` after its decision. */
  readonly own: string | undefined;
  /** State of the same proposal, whoever sent it, for as long. */
  readonly state: SubmissionState | undefined;
  /** Proposals that wait for a decision. */
  readonly waiting: number;
}

/** Where a proposal stands. */
export interface ProposalRecord {
  readonly kind: IntakeRequest['kind'];
  /** Capsule that is proposed or corrected; of an accepted proposal the id under which it was accepted. */
  readonly capsuleId: string;
  readonly sha256: string;
  readonly state: SubmissionState;
  readonly receivedAtMs: number;
  readonly decidedAtMs: number | undefined;
  readonly reason: string | undefined;
}

/** How long proposals wait. */
export interface QueueStats {
  readonly waiting: number;
  /** Median wait of the newest decisions, in milliseconds; `undefined` if there are none. */
  readonly medianWaitMs: number | undefined;
}

/** Proposals and what became of them. Needs uniqueness and read-your-writes. */
export interface Submissions {
  /** @throws If the database cannot be reached. */
  readonly load: (slot: IdempotencyKey, agent: string, sha256: string, nowMs: number) => Promise<KnownProposal>;
  /**
   * Stores a proposal, the receipt of its agent and the answer under the idempotency key, all or nothing; what is there already
   * stays.
   *
   * @returns What is kept under the idempotency key afterwards, or `undefined` if nothing was stored because the queue is full.
   * @throws If the database cannot be reached; all may have been stored all the same.
   */
  readonly store: (proposal: SentProposal) => Promise<IdempotencyRecord | undefined>;
  /**
   * What became of the proposal of a receipt, if the agent has that receipt.
   *
   * @throws If the database cannot be reached.
   */
  readonly read: (receipt: string, agent: string) => Promise<ProposalRecord | undefined>;
  /** @throws If the database cannot be reached. */
  readonly queue: () => Promise<QueueStats>;
}
