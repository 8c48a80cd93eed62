import type { Scope } from '../../schemas/agents/registration.ts';
import type { KeyPayload } from './api-key.ts';

/** What the registry holds of an agent: for the publisher to see whom keys were given to. Never a key or its signature. */
export interface AgentRecord {
  /** Agent id, 16 hexadecimal digits. */
  readonly agent: string;
  readonly name: string;
  readonly platform: string | undefined;
  readonly contact: string | undefined;
  /** Id of the newest key. */
  readonly keyId: string;
  readonly createdAtMs: number;
  readonly rotatedAtMs: number | undefined;
  /** Scopes that the publisher granted, besides those of the keys. */
  readonly granted: readonly Scope[];
  /** When the newest key expires, and the record with it. */
  readonly expiresAtMs: number;
}

/** A key as revocations name it. */
export type NamedKey = Pick<KeyPayload, 'agent' | 'serial' | 'issuedMinute'>;

/** Keys that are refused from a point in time on. */
export interface Revocation {
  /** Agent id, 16 hexadecimal digits. */
  readonly agent: string;
  /** Serial number of one key; `undefined` for every key of the agent. */
  readonly serial: number | undefined;
  /** Minute in which the key was issued; without a serial number, the last minute whose keys are meant. */
  readonly issuedMinute: number;
  /** Milliseconds since the epoch; 0 means at once, wherever a clock stands. */
  readonly effectiveAtMs: number;
  /** When none of the keys can be valid any more, on any clock. */
  readonly expiresAtMs: number;
}

/** A revocation as it is stored: later ones have higher numbers. */
export interface NumberedRevocation extends Revocation {
  readonly sequence: number;
}

/** What the database knows about a key and its agent: revocations that mean the key, and the agent's record. */
export interface AgentStanding {
  readonly revocations: readonly Revocation[];
  /** `undefined` if the registry does not hold the agent. */
  readonly record: AgentRecord | undefined;
}

/** A rotation: what became of the old key, and enough to mint the new one again. */
export interface Rotation {
  /** Digest of the request that asked for it. */
  readonly bodySha256: string;
  /** Payload of the new key, in hexadecimal. */
  readonly keyPayload: string;
  /** When the old key stops working, in milliseconds since the epoch. */
  readonly worksUntilMs: number;
}

/** What an Idempotency-Key holds: a rotation, or only the digest of the request that it belongs to. */
export type HeldRotation = Rotation | { readonly bodySha256: string; readonly keyPayload?: undefined };

/** Where a rotation is kept, so that it can be repeated. */
export interface RotationSlot {
  readonly agent: string;
  /** Digest of the Idempotency-Key. */
  readonly keySha256: string;
  readonly expiresAtMs: number;
}

/** Agents and revocations in a database: needs read-your-writes. Every method throws if the database cannot be reached. */
export interface AgentStore {
  /** Revocations that have not expired, with numbers above `sequence`, in the order of their numbers, at most `limit`. */
  readonly revocationsAfter: (sequence: number, nowMs: number, limit: number) => Promise<readonly NumberedRevocation[]>;
  readonly standing: (key: NamedKey) => Promise<AgentStanding>;
  /** Adds a record, unless the agent has one. */
  readonly add: (record: AgentRecord) => Promise<void>;
  /** Stores a revocation; one that is covered by a stored one adds nothing. */
  readonly revoke: (revocation: Revocation, nowMs: number) => Promise<void>;
  /** What is kept under an Idempotency-Key, if it has not expired. */
  readonly findRotation: (slot: RotationSlot, nowMs: number) => Promise<HeldRotation | undefined>;
  /**
   * Stores a rotation, the revocation of the old key and the new key's id in the registry, all or nothing. Nothing is stored if the old
   * key was rotated or revoked before, or the Idempotency-Key holds another rotation already.
   *
   * @returns What is there afterwards: under the Idempotency-Key, or without one this rotation. `undefined` if another rotation has
   *   replaced the old key.
   */
  readonly rotate: (
    rotation: Rotation,
    replaced: Revocation,
    newKey: { readonly keyId: string; readonly expiresAtMs: number },
    slot: RotationSlot | undefined,
    nowMs: number,
  ) => Promise<HeldRotation | undefined>;
}
