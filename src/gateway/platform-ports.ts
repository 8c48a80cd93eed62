import type { BlockReference } from '../schemas/knowledge/generation-manifest.ts';
import type { BudgetName, QuotaName, RateLimitName } from '../schemas/limits.ts';

/** Ports of the domain, which `src/platform` implements for Cloudflare. Ports of a single subject are in its folder. */

/** Immutable blocks, by the SHA-256 of their bytes. Both methods throw if the store cannot be reached. */
export interface BlockStore {
  readonly read: (sha256: string) => Promise<Uint8Array | undefined>;
  /** UTF-8 texts by digest, without missing ones; bytes that are not UTF-8 may change. Without it, blocks are read one by one. */
  readonly readMany?: (references: readonly BlockReference[]) => Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Blocks near the isolate, in front of a {@link BlockStore}. An entry may vanish or be damaged, so readers check its digest. */
export interface LocationBlocks {
  /** `undefined` if the block is not here; failures count as that. */
  readonly read: (sha256: string) => Promise<Uint8Array | undefined>;
  /** Keeps a block, some time after the response. */
  readonly write: (sha256: string, bytes: Uint8Array) => void;
  readonly remove: (sha256: string) => Promise<void>;
}

/** A document with its strong entity tag, in quotes. */
export interface TaggedDocument {
  readonly contentType: string;
  readonly body: string;
  readonly etag: string;
}

/** Documents that a deployment made, by their paths, for as long as a location keeps them. Failures count as missing. */
export interface DocumentCache {
  readonly read: (path: string) => Promise<TaggedDocument | undefined>;
  readonly write: (path: string, document: TaggedDocument) => Promise<void>;
}

export interface Clock {
  readonly nowMs: () => number;
}

export interface Waiting {
  readonly over: Promise<void>;
  readonly cancel: () => void;
}

export interface Timers {
  readonly wait: (ms: number) => Waiting;
}

export interface Randomness {
  readonly bytes: (length: number) => Uint8Array;
}

/** A secret that signs keys. Ids are 1 to 255. */
export interface SigningSecret {
  readonly id: number;
  readonly key: CryptoKey;
}

/** Secrets in force: the first signs, all verify. */
export type SigningSecrets = readonly [SigningSecret, ...SigningSecret[]];

export interface SolvedChallengeUse {
  readonly id: string;
  readonly endsAtMs: number;
}

export interface BudgetAccess {
  /** Whether the publisher knows the agent. A known agent has a share of its own. */
  readonly isKnown?: boolean;
  readonly solvedChallenge?: SolvedChallengeUse | undefined;
}

export interface QuotaTaken {
  readonly allowed: boolean;
  readonly remaining: number;
  /** When the window of the exhausted limit ends, in milliseconds since the epoch. */
  readonly endsAtMs: number;
  /** The exhausted limit: the subject's `quota`, the shared `budget`, the part of it without a `challenge`, the `storage` rows. */
  readonly refusedBy?: 'quota' | 'budget' | 'challenge' | 'storage' | 'used_challenge';
  readonly challengeError?: string;
}

export interface BudgetUse {
  readonly requests: number;
  readonly rowsStored: number;
}

/** Exactly counted quotas, in fixed windows that start at multiples of their length since the epoch. */
export interface Quotas {
  /** Takes one unit from a subject's quota and its budget: from both, or neither. If it throws, a unit may have been taken. */
  readonly take: (name: QuotaName, subject: string, nowMs: number, access?: BudgetAccess) => Promise<QuotaTaken>;
}

export interface ReturnableQuotas extends Quotas {
  /** Returns one unit to the window of `takenAtMs`. If it throws, it may have been returned. */
  readonly giveBack: (name: QuotaName, subject: string, takenAtMs: number) => Promise<void>;
}

/** Use of every budget in the current window. Throws if the database cannot be reached. */
export type ReadBudgets = (nowMs: number) => Promise<ReadonlyMap<BudgetName, BudgetUse>>;

/** Rate limits that are counted for a whole location, in addition to the count of each isolate. */
export interface LocationLimiter {
  /** Limits that it counted at the last request; none while it does not respond. */
  readonly enforced: ReadonlySet<RateLimitName>;
  /** Counts a request. Never fails: a request that cannot be counted in time is admitted. */
  readonly admits: (name: RateLimitName, caller: string) => Promise<boolean>;
}

/** What the signature of a request proves. `unverified` counts as unsigned: its keys could not be read, or do not include the one it names. */
export interface SignedRequest {
  /** Origin that the signer names. Only `verified` proves it. */
  readonly agent: string;
  readonly outcome: 'verified' | 'invalid' | 'unverified';
  /** Whether the signature covers method and address and was not seen before, so that a copy of it gains nothing. */
  readonly unlocks?: boolean;
  readonly reason?: string;
}

/** Who signed a request; `undefined` for an unsigned one. Never fails. `network` is whose limit of downloads counts. */
export type IdentifyAgent = (
  request: Request,
  asking: { readonly network: string; readonly defer: (work: Promise<unknown>) => void },
) => Promise<SignedRequest | undefined>;

/** A missing or malformed secret or binding of a declared feature. Names no secret. */
export interface NotConfigured {
  readonly missing: string;
}

export interface IdempotencyKey {
  readonly caller: string;
  readonly route: string;
  readonly keySha256: string;
}

export interface IdempotencyRecord {
  readonly bodySha256: string;
  /** HTTP status, or {@link KEY_BOUND} or {@link IN_FLIGHT}. */
  readonly status: number;
  readonly response: string;
}

/** Storage of bound keys. Both methods throw if the database cannot be reached. */
export interface KeyBindings {
  /** Digest of the body that a key is bound to; `undefined` while the key is unbound. */
  readonly find: (key: IdempotencyKey, nowMs: number) => Promise<string | undefined>;
  /** Binds an unbound key to a body; the digest that it is bound to afterwards. If it throws, it may have been bound. */
  readonly bind: (key: IdempotencyKey, bodySha256: string, nowMs: number, expiresAtMs: number) => Promise<string>;
}
