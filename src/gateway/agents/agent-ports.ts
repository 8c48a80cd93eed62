import type { Scope } from '../../schemas/api-keys.ts';

export interface AgentRecord {
  readonly agent: string;
  readonly name: string;
  readonly platform: string | undefined;
  readonly contact: string | undefined;
  readonly keyId: string;
  /** Scopes of that key; absent if it was made before they were recorded. */
  readonly keyScopes?: readonly Scope[] | undefined;
  readonly createdAtMs: number;
  readonly rotatedAtMs: number | undefined;
  readonly granted: readonly Scope[];
  readonly expiresAtMs: number;
}

export type NewKey = Pick<AgentRecord, 'keyId' | 'expiresAtMs'> & { readonly keyScopes: readonly Scope[] };

export type NamedKey = Pick<KeyPayload, 'agent' | 'serial' | 'issuedMinute'>;

/** Keys that are refused from a point in time on. `agent` is 16 hexadecimal digits. */
export interface Revocation {
  readonly agent: string;
  readonly serial: number | undefined;
  /** Minute in which the key was issued; without a serial number, the last minute whose keys are revoked. */
  readonly issuedMinute: number;
  /** Milliseconds since the epoch; 0 means immediately, regardless of clocks. */
  readonly effectiveAtMs: number;
  /** When every revoked key has expired on every clock. */
  readonly expiresAtMs: number;
}

export interface NumberedRevocation extends Revocation {
  readonly sequence: number;
}

export interface AgentStatus {
  readonly revocations: readonly Revocation[];
  readonly record: AgentRecord | undefined;
}

export interface Rotation {
  readonly bodySha256: string;
  readonly keyPayload: string;
  readonly worksUntilMs: number;
}

/** A rotation under an Idempotency-Key, or the digest of another request that it is bound to. */
export type HeldRotation = Rotation | { readonly bodySha256: string; readonly keyPayload?: undefined };

export interface RotationSlot {
  readonly agent: string;
  readonly keySha256: string;
  readonly expiresAtMs: number;
}

/** Agents and revocations. Needs read-your-writes. Every method throws if the database cannot be reached. */
export interface AgentStore {
  /** Unexpired revocations with numbers above `sequence`, ascending, at most `limit`. */
  readonly revocationsAfter: (sequence: number, nowMs: number, limit: number) => Promise<readonly NumberedRevocation[]>;
  readonly status: (key: NamedKey) => Promise<AgentStatus>;
  readonly add: (record: AgentRecord) => Promise<void>;
  /** Stores a revocation unless a stored one covers it. */
  readonly revoke: (revocation: Revocation, nowMs: number) => Promise<void>;
  readonly findRotation: (slot: RotationSlot, nowMs: number) => Promise<HeldRotation | undefined>;
  /**
   * Stores a rotation, the revocation of the old key and the id of the new one, all or nothing; nothing if the old key is no longer in force.
   *
   * @returns The rotation now under the Idempotency-Key, or this one without a key; `undefined` if another has replaced the old key.
   */
  readonly rotate: (
    rotation: Rotation,
    replaced: Revocation,
    newKey: NewKey,
    slot: RotationSlot | undefined,
    nowMs: number,
  ) => Promise<HeldRotation | undefined>;
}

/**
 * An API key is self-contained: issuing and accepting one needs no storage, and a new key works everywhere at once.
 * Text: prefix, 54 base-62 digits of payload (20 bytes) and MAC (20 bytes), 6 base-62 digits of the CRC-32 of everything before. Payload,
 * big-endian: format version 1 byte, signing-secret id 1, agent id 8, serial 2, issued minute 4, lifetime in days 2, scope bits 2, one of
 * which is the raised limit. MAC: HMAC-SHA256 over prefix and payload, truncated to 160 bits.
 */
export interface KeyPayload {
  readonly secretId: number;
  readonly agent: string;
  readonly serial: number;
  readonly issuedMinute: number;
  readonly ttlDays: number;
  readonly scopes: readonly Scope[];
  /** Whether the raised query limit applies, which is sold. */
  readonly isRaised?: true;
}

/** A registration under an idempotency key: enough to mint the same key again, never the key or its MAC. What the agent says of itself is in its own row. */
export interface RegistrationRecord extends Pick<AgentRecord, 'createdAtMs' | 'expiresAtMs'> {
  readonly bodySha256: string;
  readonly keyPayload: string;
}

/** Registrations that can be replayed, by the digest of their idempotency key. Both methods throw if the database cannot be reached. */
export interface RegistrationStore {
  readonly find: (keySha256: string, nowMs: number) => Promise<RegistrationRecord | undefined>;
  /** Stores `record` and the agent, unless the key has an unexpired record. If it throws, they may have been stored. */
  readonly save: (keySha256: string, record: RegistrationRecord, agent: AgentRecord) => Promise<RegistrationRecord>;
}
