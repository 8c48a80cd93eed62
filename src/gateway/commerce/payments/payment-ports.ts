import type { SignedAuthorization } from '../../../schemas/commerce/payments.ts';
import type { PaidResource } from './paid-resource.ts';
import type { PaymentTerms } from './payment-terms.ts';

/** Outcome of a verification by a facilitator. */
export type Verified =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** It gave no readable response. */
  | { readonly kind: 'unknown' };

/** Outcome of a settlement. A transaction is `0x` and 64 hexadecimal digits. */
export type Settled =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** Sent to the network, which has not confirmed it yet: another attempt finds out. */
  | { readonly kind: 'pending'; readonly transaction?: string }
  /**
   * Refused. `nothing_sent`: before anything was sent to the network. `nonce_used`: the authorization is used, which does not show by
   * which transfer. A transaction was sent if one is named.
   */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly cause: 'nothing_sent' | 'nonce_used' | 'unknown';
      readonly transaction?: string;
    }
  /** It gave no readable response, or reported a settlement without a transaction: the payment may be settled now or later. */
  | { readonly kind: 'unknown' };

/** What the network has recorded of an authorization. */
export type RecordedTransfer =
  /** This authorization paid its amount to its recipient. */
  | { readonly kind: 'paid'; readonly transaction: string }
  /** It has paid nothing and never can. */
  | { readonly kind: 'never'; readonly reason: string }
  /** Not used in any block that is safe from reorganization, or the network gave no conclusive response. */
  | { readonly kind: 'unknown' };

/** Reads transfers from the network itself. Never fails: whatever proves nothing is `unknown`. */
export interface TransferLedger {
  readonly find: (
    claim: Pick<PaymentClaim, 'payer' | 'nonce' | 'payTo' | 'amount' | 'signed' | 'claimedAtMs'>,
  ) => Promise<RecordedTransfer>;
}

/** A payment as a facilitator is asked about it: what the buyer signed, and otherwise only what the seller says. */
export interface FacilitatorRequest {
  readonly signed: SignedAuthorization;
  readonly resource: Pick<PaidResource, 'url' | 'title'>;
  readonly terms: PaymentTerms;
  /** In the smallest unit of the token. */
  readonly amount: string;
  readonly payTo: string;
}

/** Verifies payments and brings them to the network. Never fails: what goes wrong is `unknown`. A `reason` is one plain name. */
export interface Facilitator {
  readonly verify: (request: FacilitatorRequest) => Promise<Verified>;
  readonly settle: (request: FacilitatorRequest) => Promise<Settled>;
}

/** Posts JSON to a path of the configured facilitator and returns the JSON response; `undefined` if none arrives in time. Never fails. */
export type PostToFacilitator = (path: string, body: object, deadlineMs: number) => Promise<unknown>;

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
  /** What the buyer signed, as JSON, for further attempts to settle it. */
  readonly signed: string;
}

/** A purchase and how far it has come. */
export interface PaymentClaim extends Purchase {
  /**
   * `settling`: may be settled, or may become so, and asking the facilitator finds out. `unresolved`: may have been settled, and asking
   * the facilitator again cannot find out; the publisher or the network can. `failed`: this authorization has paid nothing.
   */
  readonly state: 'settling' | 'unresolved' | 'settled' | 'failed';
  readonly claimedAtMs: number;
  /** Rises with every request that sets out to settle it. */
  readonly attempt: number;
  /** Until when the request of this attempt may be at work, in milliseconds since the epoch. */
  readonly leaseUntilMs: number;
  readonly settledAtMs: number | undefined;
  /** When the publisher said what became of an unresolved one. */
  readonly reviewedAtMs: number | undefined;
  /** Hash of the transaction that settled it, or of the one that the facilitator named while the outcome was open; else empty. */
  readonly transaction: string;
}

/** What an attempt without a settlement leaves behind. */
export interface UnsettledAttempt {
  /** `failed` only if it is certain that the authorization has paid nothing. `settling` ends the lease, so that the next may ask again. */
  readonly state: 'failed' | 'settling' | 'unresolved';
  /** Transaction that the facilitator named; kept for whoever looks into it. */
  readonly transaction?: string;
}

/** Id of a payment for correspondence between publisher and buyer; it reveals nothing of what was signed. */
export function paymentIdOf({ fingerprint }: Pick<Purchase, 'fingerprint'>): string {
  return `pay_${fingerprint.slice(0, 32)}`;
}

/** Claims on authorizations: each buys one thing once. Needs uniqueness and read-your-writes. */
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
   * Takes over a claim that is settling and whose lease has expired.
   *
   * @param attempt The attempt that was read; if there is a newer one, nothing is taken over.
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
   * Notes an attempt that did not settle the claim, or what is known of an unresolved claim since.
   *
   * @returns Whether it was noted; not if another attempt has begun, or the claim is settled or failed already.
   * @throws If the database cannot be reached; it may be noted all the same.
   */
  readonly unsettled: (id: AuthorizationId, attempt: number, outcome: UnsettledAttempt, nowMs: number) => Promise<boolean>;
}
