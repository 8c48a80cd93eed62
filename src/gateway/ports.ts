import type { BlockReference } from '../schemas/knowledge/generation.ts';
import type { BudgetName, QuotaName, RateLimitName } from '../schemas/limits.ts';
import type { AgentRecord } from './agents/agent-ports.ts';

/** What the domain needs from the world. `src/platform` makes Cloudflare fit; tests bring their own. */

/** Immutable blocks, each under the SHA-256 of its bytes. */
export interface BlockStore {
  /**
   * Bytes of a block, or `undefined` if the store does not have it.
   *
   * @throws If the store cannot be reached.
   */
  readonly read: (sha256: string) => Promise<Uint8Array | undefined>;
  /**
   * Bytes of several different blocks of UTF-8 text by their digests, in as few operations as the store knows; a block that it
   * does not have is left out. Bytes that are no UTF-8, or begin with a byte order mark, may come back changed. A store without it
   * is read block by block.
   *
   * @throws If the store cannot be reached.
   */
  readonly readMany?: (references: readonly BlockReference[]) => Promise<ReadonlyMap<string, Uint8Array>>;
}

/** What is kept of a registration under an idempotency key: enough to mint the same key again, never the key or its MAC. */
export interface RegistrationRecord {
  readonly bodySha256: string;
  /** Payload of the key, in hexadecimal. */
  readonly keyPayload: string;
  readonly agentName: string;
  readonly platform: string | undefined;
  readonly contact: string | undefined;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** Registrations that can be replayed. Needs uniqueness and read-your-writes: KV does not fit. */
export interface RegistrationClaims {
  /**
   * What is stored under the key and has not expired.
   *
   * @param keySha256 Digest of the idempotency key; the key itself is not stored.
   * @throws If the database cannot be reached.
   */
  readonly find: (keySha256: string, nowMs: number) => Promise<RegistrationRecord | undefined>;
  /**
   * Stores `record` under the key unless an unexpired one is there, and gives back the one that is there afterwards. If it is this
   * one, `agent` is in the registry as well.
   *
   * @param keySha256 Digest of the idempotency key; the key itself is not stored.
   * @throws If the database cannot be reached; the record may have been stored all the same.
   */
  readonly claim: (keySha256: string, record: RegistrationRecord, agent: AgentRecord) => Promise<RegistrationRecord>;
}

/** Time. */
export interface Clock {
  readonly nowMs: () => number;
}

/** A time to wait for, which can be given up. */
export interface Waiting {
  readonly over: Promise<void>;
  readonly cancel: () => void;
}

/** Timers of the machine. */
export interface Timers {
  /** Begins to wait for `ms` milliseconds. */
  readonly wait: (ms: number) => Waiting;
}

/** Random bytes for ids. */
export interface Randomness {
  readonly bytes: (length: number) => Uint8Array;
}

/** Secret that keys are signed with, under its id (1 to 255). */
export interface SigningSecret {
  readonly id: number;
  readonly key: CryptoKey;
}

/** Secrets in force: the first one signs, all of them verify. */
export type SigningSecrets = readonly [SigningSecret, ...SigningSecret[]];

/** A solved challenge: its id, and when it ends, in milliseconds since the epoch. */
export interface SolvedChallengeUse {
  readonly id: string;
  readonly endsAtMs: number;
}

/** What lets a request use more of a budget than anybody may. */
export interface Standing {
  /** Whether the publisher knows the agent; its room is not that of anybody. */
  readonly isKnown?: boolean;
  /** The challenge that was solved for this request and is good for one. */
  readonly solvedChallenge?: SolvedChallengeUse | undefined;
}

/** What came of taking from a quota. */
export interface QuotaTaken {
  readonly allowed: boolean;
  /** What the subject has left of the quota. */
  readonly remaining: number;
  /** When there is room again, in milliseconds since the epoch: the window of what refused the request ends. */
  readonly endsAtMs: number;
  /**
   * What had no room: the `quota` of the subject, the `budget` of all callers, that budget without a solved challenge (`challenge`), the rows
   * that may be stored (`storage`); or the challenge let a request through before.
   */
  readonly refusedBy?: 'quota' | 'budget' | 'challenge' | 'storage' | 'used_challenge';
  /** What is wrong with the challenge that came with the request, where one is needed. */
  readonly challengeFault?: string;
}

/** How much of a budget anybody has used in the present window, and how many rows of its table are stored. */
export interface BudgetUse {
  readonly requests: number;
  readonly rowsStored: number;
}

/** Quotas that are counted exactly, in fixed windows that begin at multiples of their length since the epoch. */
export interface Quotas {
  /**
   * Takes one of what the subject has left in the present window, and of the budget that the quota belongs to: of both, or of neither.
   *
   * @param subject Agent or network that is counted.
   * @returns What came of it; a request that is refused counts nothing.
   * @throws If the database cannot be reached; one may have been taken all the same.
   */
  readonly take: (name: QuotaName, subject: string, nowMs: number, standing?: Standing) => Promise<QuotaTaken>;
}

/** Quotas of which something can be given back. */
export interface ReturnableQuotas extends Quotas {
  /**
   * Gives back what was taken, of the quota and of its budget.
   *
   * @param takenAtMs When it was taken: it goes back to the window of that time.
   * @throws If the database cannot be reached; it may have been given back all the same.
   */
  readonly giveBack: (name: QuotaName, subject: string, takenAtMs: number) => Promise<void>;
}

/**
 * What anybody has used of every budget in the present window.
 *
 * @throws If the database cannot be reached.
 */
export type ReadBudgets = (nowMs: number) => Promise<ReadonlyMap<BudgetName, BudgetUse>>;

/** Rate limits that are counted for a whole location of the network, besides the count of every isolate. */
export interface LocationLimiter {
  /** Limits that it counted when it was asked last; none while it does not answer. */
  readonly enforced: ReadonlySet<RateLimitName>;
  /**
   * Counts a request of a caller. Never fails: what it does not count, or cannot count in time, it admits.
   *
   * @param caller What the limit is counted for.
   */
  readonly admits: (name: RateLimitName, caller: string) => Promise<boolean>;
}
