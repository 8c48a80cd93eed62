import { sha256Hex } from '../../../provenance/bytes.ts';
import { canonicalJson } from '../../../provenance/digest.ts';
import type { SignedAuthorization } from '../../../schemas/commerce/payments.ts';
import type { Clock, Randomness, SigningSecrets } from '../../ports.ts';
import { type Refusal, refuse } from '../../result.ts';
import type { PaidResource } from './paid-resource.ts';
import type { Facilitator, PaymentClaim, PostToFacilitator } from './payment-ports.ts';
import type { PaymentFault, PaymentTerms } from './payment-terms.ts';

/** Value of a request header by its name in any case; `undefined` if the request has none. */
export type ReadHeader = (name: string) => string | undefined;

/** A payment that came with a request: well formed, in one scheme, and not checked yet. */
export interface PresentedPayment {
  readonly signed: SignedAuthorization;
  /** Identifier that the buyer gave the payment. */
  readonly identifier: string | undefined;
  /** Name of the scheme, and what of the payment nobody sees on the network. Part of the fingerprint, so permanent. */
  readonly origin: readonly (string | null)[];
  /** Whether `origin` holds something that only the buyer knows. */
  readonly isSecret: boolean;
  /** Why the payment was made for another resource; checked for settled payments, too. */
  readonly resourceFault: (resource: PaidResource, secrets: SigningSecrets | undefined) => Promise<PaymentFault | undefined>;
  /** Why the payment does not meet the terms in force; what it authorizes is checked by the engine. */
  readonly termsFault: (resource: PaidResource, terms: PaymentTerms, nowMs: number) => PaymentFault | undefined;
}

/** A payment that cannot be read, with what is wrong and no word of the buyer's. */
export interface UnreadablePayment {
  readonly unreadable: string;
}

/** What challenges are made with. */
export interface ChallengeSource {
  readonly schemes: readonly PaymentScheme[];
  readonly terms: PaymentTerms;
  /** A scheme whose challenges are keyed digests writes none without secrets. */
  readonly secrets: SigningSecrets | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Name of the publication. */
  readonly seller: string;
}

/** Why a challenge is sent. */
export interface ChallengeReason {
  readonly code: 'payment_required' | 'payment_invalid';
  readonly detail: string;
  /** Name of the fault. */
  readonly error: string;
  /** A settlement that was refused. */
  readonly failed?: { readonly reason: string; readonly payer: string };
}

/** What a scheme adds to a response 402. */
export interface Challenge {
  readonly headers: Readonly<Record<string, string>>;
  readonly members?: Readonly<Record<string, unknown>>;
}

/** How payments are presented, asked for and acknowledged over HTTP: one way of several, all of which pay the same terms. */
export interface PaymentScheme {
  /** Reads the payment of a request; `undefined` if its headers hold none of this scheme. */
  readonly read: (header: ReadHeader) => PresentedPayment | UnreadablePayment | undefined;
  readonly challenge: (reason: ChallengeReason, resource: PaidResource, source: ChallengeSource) => Promise<Challenge>;
  /** Receipt of a settled purchase; the same each time. */
  readonly receipt: (claim: PaymentClaim) => Readonly<Record<string, string>>;
}

/** How a deployment takes payments: handed in where a gateway is put together. */
export interface PaymentAdapters {
  /** The first scheme that finds a payment in a request reads it. */
  readonly schemes: readonly PaymentScheme[];
  readonly facilitator: (post: PostToFacilitator) => Facilitator;
}

/** The payment of a request, by the first scheme that finds one. */
export function readPayment(header: ReadHeader, schemes: readonly PaymentScheme[]): PresentedPayment | UnreadablePayment | undefined {
  for (const scheme of schemes) {
    const payment = scheme.read(header);
    if (payment !== undefined) return payment;
  }
  return undefined;
}

/**
 * Digest of all that makes a payment what it is. A signature and what it signs are public once they are settled; what the scheme adds may
 * not be, so that nobody but the buyer can present the same payment again.
 */
export function paymentFingerprint({ origin, signed: { signature, authorization } }: PresentedPayment): Promise<string> {
  return sha256Hex(canonicalJson([...origin, signature.toLowerCase(), { ...authorization, nonce: authorization.nonce.toLowerCase() }]));
}

/** The response 402 with the challenge of every scheme; clients of all of them pay the same terms. */
export async function challengeRefusal(
  reason: ChallengeReason,
  resource: PaidResource,
  source: ChallengeSource,
): Promise<{ readonly ok: false; readonly refusal: Refusal }> {
  const challenges = await Promise.all(source.schemes.map((scheme) => scheme.challenge(reason, resource, source)));
  return refuse(reason.code, reason.detail, {
    members: merged(challenges.map(({ members = {} }) => members)),
    headers: merged(challenges.map(({ headers }) => headers)),
  });
}

/** Headers with the receipts of every scheme; shared caches must not keep what was paid for. */
export function receiptHeaders(claim: PaymentClaim, schemes: readonly PaymentScheme[]): Record<string, string> {
  return { ...merged(schemes.map((scheme) => scheme.receipt(claim))), 'Cache-Control': 'private, no-store' };
}

function merged<T>(parts: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}
