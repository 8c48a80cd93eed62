import type { BlockReference } from '../schemas/generation.ts';

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
   * Stores `record` under the key unless an unexpired one is there, and gives back the one that is there afterwards.
   *
   * @param keySha256 Digest of the idempotency key; the key itself is not stored.
   * @throws If the database cannot be reached; the record may have been stored all the same.
   */
  readonly claim: (keySha256: string, record: RegistrationRecord) => Promise<RegistrationRecord>;
}

/** Time. */
export interface Clock {
  readonly nowMs: () => number;
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
