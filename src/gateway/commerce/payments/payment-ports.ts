import type { CardAmount } from '../../../schemas/commerce/capsule-price.ts';
import type { CardToken, PaymentNetwork, SignedAuthorization } from '../../../schemas/commerce/stablecoin-payments.ts';
import type { Clock, Randomness, SigningSecrets } from '../../platform-ports.ts';

export type Verified =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** It gave no readable response. */
  | { readonly kind: 'unknown' };

/** Outcome of a settlement. A transaction is `0x` and 64 hexadecimal digits. */
export type Settled =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** Sent to the network and not confirmed yet: another attempt determines the outcome. */
  | { readonly kind: 'pending'; readonly transaction?: string }
  /**
   * Refused. `nothing_sent`: before anything was sent to the network. `nonce_used`: the authorization is used, by an unknown transfer. A
   * transaction was sent if one is named. `final`: no attempt with this payment has charged anything, or ever will.
   */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly cause: 'nothing_sent' | 'nonce_used' | 'final' | 'unknown';
      readonly transaction?: string;
    }
  /** No readable response, or a settlement without a transaction: the payment may be settled now or later. */
  | { readonly kind: 'unknown' };

export type RecordedTransfer =
  | { readonly kind: 'paid'; readonly transaction: string }
  /** It has paid nothing and never will. */
  | { readonly kind: 'never'; readonly reason: string }
  /** Not used in any block that is safe from reorganization, or no conclusive response. */
  | { readonly kind: 'unknown' };

/** Reads transfers from the network. Never fails: anything inconclusive is `unknown`. */
export interface TransferLedger {
  readonly find: (
    reservation: Pick<PaymentReservation, 'payer' | 'nonce' | 'payTo' | 'amount' | 'signed' | 'reservedAtMs'>,
  ) => Promise<RecordedTransfer>;
}

export interface FacilitatorRequest {
  readonly signed: SignedAuthorization;
  readonly resource: Pick<PaidResource, 'url' | 'title'>;
  readonly terms: PaymentTerms;
  readonly amount: string;
  readonly payTo: string;
}

/** Verifies and settles payments. Never fails: problems are `unknown`. A `reason` is one plain name. */
export interface Facilitator {
  readonly verify: (request: FacilitatorRequest) => Promise<Verified>;
  readonly settle: (request: FacilitatorRequest) => Promise<Settled>;
}

/** Posts JSON to a path of the facilitator; `undefined` if no JSON response arrives in time. Never fails. */
export type PostToFacilitator = (path: string, body: object, deadlineMs: number) => Promise<unknown>;

/** An EIP-3009 authorization, in lower case; or a challenge paid by card: network `stripe`, a currency, the id of the challenge, no payer. */
export interface AuthorizationId {
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
}

export interface Purchase extends AuthorizationId {
  /** The buyer's payment identifier, which one purchase of the payer may have. */
  readonly identifier: string | undefined;
  readonly resource: string;
  readonly capsuleId: string;
  readonly version: string;
  readonly amount: string;
  readonly payTo: string;
  /** Digest of everything that the buyer presented; part of it is not public on the network if `isSecret`. */
  readonly fingerprint: string;
  readonly isSecret: boolean;
  /** JSON of what the buyer signed, for further attempts to settle it. */
  readonly signed: string;
}

export interface PaymentReservation extends Purchase {
  /**
   * `settling`: may be settled now or later, and the facilitator can determine the outcome. `unresolved`: may have been settled, and only
   * the publisher or the network can determine the outcome. `failed`: this authorization has paid nothing.
   */
  readonly state: 'settling' | 'unresolved' | 'settled' | 'failed';
  readonly reservedAtMs: number;
  readonly attempt: number;
  readonly leaseUntilMs: number;
  readonly settledAtMs: number | undefined;
  readonly reviewedAtMs: number | undefined;
  /** Hash of the transaction that settled it, or that the facilitator named while the outcome was open; else empty. */
  readonly transaction: string;
}

export interface UnsettledAttempt {
  /** `failed` only if it is certain that the authorization has paid nothing. `settling` ends the lease. */
  readonly state: 'failed' | 'settling' | 'unresolved';
  readonly transaction?: string;
}

/** Reservations of authorizations: each buys one resource once. Methods throw if the database cannot be reached; a change may still be stored. */
export interface PaymentReservations {
  /** The reservation on an authorization, else the payer's reservation with the same identifier that has not failed. */
  readonly find: (id: AuthorizationId, identifier: string | undefined) => Promise<PaymentReservation | undefined>;
  /** Reserves an authorization, unless it has a reservation that did not fail, or another of the payer has the identifier. */
  readonly reserve: (
    purchase: Purchase,
    nowMs: number,
    leaseUntilMs: number,
  ) => Promise<{ readonly reservation: PaymentReservation; readonly isOurs: boolean }>;
  /** Version of a capsule that a payer bought last, or the named one if it bought that. */
  readonly boughtVersion: (
    payer: Omit<AuthorizationId, 'nonce'>,
    capsuleId: string,
    named: string | undefined,
  ) => Promise<string | undefined>;
  /** Takes over a settling reservation with an expired lease, unless a newer attempt than the one that was read has started. */
  readonly takeOver: (id: AuthorizationId, attempt: number, nowMs: number, leaseUntilMs: number) => Promise<PaymentReservation | undefined>;
  readonly settled: (purchase: Purchase, transaction: string, nowMs: number) => Promise<void>;
  /** Whether the outcome of an attempt was stored: not if another attempt has started, or the reservation is settled or failed. */
  readonly unsettled: (id: AuthorizationId, attempt: number, outcome: UnsettledAttempt, nowMs: number) => Promise<boolean>;
}

export type ReadHeader = (name: string) => string | undefined;

/** A well-formed payment of a request, not checked yet. */
export interface PresentedPayment {
  readonly signed: SignedAuthorization | CardToken;
  readonly identifier: string | undefined;
  /** Name of the scheme, and what is not public on the network. Part of the fingerprint, so permanent. */
  readonly origin: readonly (string | null)[];
  /** Whether `origin` contains something that only the buyer knows. */
  readonly isSecret: boolean;
  /** Why the payment is for another resource; also checked for settled payments. */
  readonly resourceIssue: (resource: PaidResource, secrets: SigningSecrets | undefined) => Promise<PaymentIssue | undefined>;
  /** Why the payment does not meet the terms in force, apart from its authorization. */
  readonly termsIssue: (resource: PaidResource, terms: TermsInForce, nowMs: number) => PaymentIssue | undefined;
}

/** A wallet that proved itself by a signature over a message, which counts once. */
export interface SignedIn {
  /** Its address, in lower case. */
  readonly payer: string;
  readonly nonce: string;
  /** From when the message is refused without its nonce. */
  readonly endsAtMs: number;
}

/** A payment that cannot be taken: what is wrong, without text of the buyer. */
export interface UnreadablePayment {
  readonly unreadable: string;
  /** The header, if it is malformed and its protocol answers that with 400; absent if the answer is a challenge. */
  readonly refusedHeader?: string;
}

/** What a deployment takes: a token, cards, or both. */
export interface TermsInForce {
  readonly terms: PaymentTerms | undefined;
  readonly cardProfile: string | undefined;
}

export interface PaymentChallengeSource extends TermsInForce {
  readonly schemes: readonly PaymentScheme[];
  /** Without secrets, schemes with keyed challenges issue none. */
  readonly secrets: SigningSecrets | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly seller: string;
  /** Of the site, whose keys sign offers and receipts. */
  readonly baseUrl: string;
  readonly icon?: string | undefined;
  /** The header Accept-Payment of the request: which methods of MPP its sender can use. */
  readonly accepts?: string | undefined;
}

export interface PaymentChallengeReason {
  readonly code: 'payment_required' | 'payment_invalid';
  readonly detail: string;
  readonly error: string;
  readonly failed?: { readonly reason: string; readonly payer: string };
}

/** A way to request, present and acknowledge payments over HTTP. All schemes pay the same terms. */
export interface PaymentScheme {
  /** Reads the payment of a request; `undefined` if it has none of this scheme. */
  readonly read: (header: ReadHeader) => PresentedPayment | UnreadablePayment | undefined;
  readonly challenge: (
    reason: PaymentChallengeReason,
    resource: PaidResource,
    source: PaymentChallengeSource,
  ) => Promise<{ readonly headers: Readonly<Record<string, string>>; readonly members?: Readonly<Record<string, unknown>> }>;
  /** The wallet that signs in with a request, instead of paying again; `undefined` if none does. */
  readonly signedIn?: (header: ReadHeader, resource: PaidResource, source: PaymentChallengeSource) => SignedIn | PaymentIssue | undefined;
  /** Receipt headers of a settled purchase, always the same; none if the scheme cannot have made it. Without a source, nothing is signed. */
  readonly receipt: (
    settled: Pick<PaymentReservation, 'network' | 'transaction'> &
      Partial<Pick<PaymentReservation, 'settledAtMs' | 'payer' | 'amount' | 'resource'>>,
    source?: Pick<PaymentChallengeSource, 'secrets' | 'baseUrl'>,
  ) => Promise<Readonly<Record<string, string>>>;
}

export interface PaymentAdapters {
  /** In order of precedence. */
  readonly schemes: readonly PaymentScheme[];
  readonly facilitator: (post: PostToFacilitator) => Facilitator;
}

export interface PaymentTerms {
  readonly payTo: string;
  readonly networkId: string;
  readonly network: PaymentNetwork;
}

export interface PaymentIssue {
  /** Permanent machine-readable name. */
  readonly reason: string;
  readonly detail: string;
}

export interface PaidResource {
  /** URL of the request; a payment for one URL buys nothing at another. */
  readonly url: string;
  readonly capsuleId: string;
  readonly version: string;
  /** Price in millionths of a US dollar; 0 if it has none, so that no token pays it. */
  readonly priceMicros: number;
  /** What cards can be charged, any of them. */
  readonly cards: readonly CardAmount[];
  readonly title: string;
  readonly tags: readonly string[];
}
