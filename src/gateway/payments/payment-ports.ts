import type { PaymentRequirements, SignedAuthorization } from '../../schemas/x402.ts';

/** What a facilitator says of a payment that it only looked at. */
export type Verified =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** It gave no answer that could be read. */
  | { readonly kind: 'unknown' };

/** What became of a payment that a facilitator was asked to settle. */
export type Settled =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** Sent to the network, which has not confirmed it yet: asking again finds out. */
  | { readonly kind: 'pending' }
  /** Not settled by this call. */
  | { readonly kind: 'refused'; readonly reason: string; readonly transaction: string }
  /** It gave no answer that could be read: it may have settled, or may be about to. */
  | { readonly kind: 'unknown' };

/** A payment as a facilitator is asked about it. Only checked values are in it, and the requirements are those of the seller. */
export interface AskedPayment {
  readonly signed: SignedAuthorization;
  readonly requirements: PaymentRequirements;
  readonly resource: { readonly url: string; readonly description: string; readonly mimeType: string };
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Whoever checks payments and brings them to the network (x402 version 2, section 7). Never fails: what goes wrong is `unknown`. */
export interface Facilitator {
  readonly verify: (payment: AskedPayment) => Promise<Verified>;
  readonly settle: (payment: AskedPayment) => Promise<Settled>;
}

/** What the network itself lets be used once: an authorization of EIP-3009. All in lower case. */
export interface AuthorizationId {
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
}

/** What is bought by one authorization. */
export interface Purchase extends AuthorizationId {
  /** Identifier that the buyer gave the payment; one purchase of the payer goes under it. */
  readonly identifier: string | undefined;
  /** Address that is paid for. */
  readonly resource: string;
  readonly capsuleId: string;
  readonly version: string;
  /** In the smallest unit of the token. */
  readonly amount: string;
  readonly payTo: string;
  /** Digest of all that the buyer presented, part of which nobody sees on the network where `isSecret`. */
  readonly fingerprint: string;
  readonly isSecret: boolean;
  /** What the buyer signed, as JSON: the facilitator is asked again with it. */
  readonly signed: string;
}

/** A purchase and how far it has come. */
export interface PaymentClaim extends Purchase {
  readonly state: 'settling' | 'settled' | 'failed';
  /** Rises with every request that sets out to settle it. */
  readonly attempt: number;
  /** Until when the request of this attempt may be at work, in milliseconds since the epoch. */
  readonly leaseUntilMs: number;
  readonly settledAtMs: number | undefined;
  /** Hash of the transaction; empty where the facilitator did not tell it. */
  readonly transaction: string;
}

/** Claims on authorizations, of which each buys one thing once. Needs uniqueness and read-your-writes. */
export interface PaymentClaims {
  /**
   * The claim on an authorization, else that of the same payer under the same identifier which has not failed.
   *
   * @throws If the database cannot be reached.
   */
  readonly find: (id: AuthorizationId, identifier: string | undefined) => Promise<PaymentClaim | undefined>;
  /**
   * Claims an authorization, unless somebody has and did not fail, or another one of the payer goes under the identifier.
   *
   * @returns The claim that is there afterwards, and whether this call made it.
   * @throws If the database cannot be reached; it may be claimed all the same.
   */
  readonly claim: (
    purchase: Purchase,
    nowMs: number,
    leaseUntilMs: number,
  ) => Promise<{ readonly claim: PaymentClaim; readonly isOurs: boolean }>;
  /**
   * Takes over a claim that is settling and whose lease is over.
   *
   * @param attempt The one that was seen; if there was another since, nothing is taken over.
   * @returns The claim with the next attempt, if it was taken over.
   * @throws If the database cannot be reached; it may be taken over all the same.
   */
  readonly takeOver: (id: AuthorizationId, attempt: number, nowMs: number, leaseUntilMs: number) => Promise<PaymentClaim | undefined>;
  /**
   * Notes that a purchase is settled, whoever has settled it.
   *
   * @throws If the database cannot be reached; it may be noted all the same.
   */
  readonly settled: (purchase: Purchase, transaction: string, nowMs: number) => Promise<void>;
  /**
   * Gives up an attempt: as `failed` if it is certain that nothing was settled, else with its lease over, so that the next may ask again.
   *
   * @throws If the database cannot be reached; it may be given up all the same.
   */
  readonly giveUp: (id: AuthorizationId, attempt: number, as: 'failed' | 'settling', nowMs: number) => Promise<void>;
}
