import { sha256Hex } from '../../../provenance/bytes.ts';
import { canonicalJson } from '../../../provenance/digest.ts';
import type { SignedAuthorization } from '../../../schemas/commerce/payments.ts';
import type { Clock, Randomness, SigningSecrets } from '../../ports.ts';
import { type Refusal, refuse } from '../../result.ts';
import type { PaidResource } from './paid-resource.ts';
import type { Facilitator, PaymentClaim, PostToFacilitator } from './payment-ports.ts';
import type { PaymentFault, PaymentTerms } from './payment-terms.ts';

/** The value of a request header by case-insensitive name. */
export type ReadHeader = (name: string) => string | undefined;

/** A well-formed payment of a request, not checked yet. */
export interface PresentedPayment {
  readonly signed: SignedAuthorization;
  readonly identifier: string | undefined;
  /** Name of the scheme, and what is not public on the network. Part of the fingerprint, so permanent. */
  readonly origin: readonly (string | null)[];
  /** Whether `origin` contains something that only the buyer knows. */
  readonly isSecret: boolean;
  /** Why the payment is for another resource; also checked for settled payments. */
  readonly resourceFault: (resource: PaidResource, secrets: SigningSecrets | undefined) => Promise<PaymentFault | undefined>;
  /** Why the payment does not meet the terms in force, apart from its authorization. */
  readonly termsFault: (resource: PaidResource, terms: PaymentTerms, nowMs: number) => PaymentFault | undefined;
}

/** A malformed payment: what is wrong, without text of the buyer. */
export interface UnreadablePayment {
  readonly unreadable: string;
}

/** What challenges need. */
export interface ChallengeSource {
  readonly schemes: readonly PaymentScheme[];
  readonly terms: PaymentTerms;
  /** Without secrets, schemes with keyed challenges issue none. */
  readonly secrets: SigningSecrets | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly seller: string;
}

/** Why a challenge is sent. */
export interface ChallengeReason {
  readonly code: 'payment_required' | 'payment_invalid';
  readonly detail: string;
  readonly error: string;
  readonly failed?: { readonly reason: string; readonly payer: string };
}

/** What a scheme adds to a 402 response. */
export interface Challenge {
  readonly headers: Readonly<Record<string, string>>;
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A way to request, present and acknowledge payments over HTTP. All schemes pay the same terms. */
export interface PaymentScheme {
  /** Reads the payment of a request; `undefined` if it has none of this scheme. */
  readonly read: (header: ReadHeader) => PresentedPayment | UnreadablePayment | undefined;
  readonly challenge: (reason: ChallengeReason, resource: PaidResource, source: ChallengeSource) => Promise<Challenge>;
  /** Receipt headers of a settled purchase, always the same. */
  readonly receipt: (claim: PaymentClaim) => Readonly<Record<string, string>>;
}

/** Payment schemes and facilitator of a deployment. */
export interface PaymentAdapters {
  /** In order of precedence. */
  readonly schemes: readonly PaymentScheme[];
  readonly facilitator: (post: PostToFacilitator) => Facilitator;
}

/** Reads the payment of a request by the first scheme that finds one. */
export function readPayment(header: ReadHeader, schemes: readonly PaymentScheme[]): PresentedPayment | UnreadablePayment | undefined {
  for (const scheme of schemes) {
    const payment = scheme.read(header);
    if (payment !== undefined) return payment;
  }
  return undefined;
}

/**
 * Digest that identifies a payment. Signature and authorization are public once settled; what the scheme adds may not be, so that only the
 * buyer can present the same payment again.
 */
export function paymentFingerprint({ origin, signed: { signature, authorization } }: PresentedPayment): Promise<string> {
  return sha256Hex(canonicalJson([...origin, signature.toLowerCase(), { ...authorization, nonce: authorization.nonce.toLowerCase() }]));
}

/** The 402 refusal with the challenges of all schemes. */
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

/** Receipt headers of all schemes. Shared caches must not store paid content. */
export function receiptHeaders(claim: PaymentClaim, schemes: readonly PaymentScheme[]): Record<string, string> {
  return { ...merged(schemes.map((scheme) => scheme.receipt(claim))), 'Cache-Control': 'private, no-store' };
}

function merged<T>(parts: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}
