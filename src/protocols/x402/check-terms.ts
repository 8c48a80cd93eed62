import type { PaymentRequirements, SignedAuthorization } from './schemas.ts';
import { hasTermsOf, isOwnChallenge, isSignedFor } from '../mpp/challenge.ts';
import type { PaidResource } from '../../gateway/commerce/payments/paid-resource.ts';
import type { PaymentTerms } from '../../gateway/commerce/payments/payment-terms.ts';
import type { PresentedPayment } from '../../gateway/commerce/payments/presented-payment.ts';
import type { SigningSecrets } from '../../gateway/ports.ts';

/** What is wrong with a payment: a name of x402 (specification version 2, section 9) and a sentence. */
export interface PaymentFault {
  readonly reason: string;
  readonly sentence: string;
}

/** Seconds that an authorization must still be good for, as facilitators ask (@x402/evm 2.27): it has to reach the network. */
const SETTLES_WITHIN_SECONDS = 6;

/**
 * What is wrong with a payment that is presented at an address, whether it was settled before or not: it was made for another one.
 *
 * @param secrets Under which challenges of MPP were made.
 */
export async function validateResource(
  payment: PresentedPayment,
  resource: PaidResource,
  secrets: SigningSecrets | undefined,
): Promise<PaymentFault | undefined> {
  if (payment.protocol === 'x402') {
    const named = payment.payload.resource?.url;
    if (named === undefined || named === resource.url) return undefined;
    return { reason: 'invalid_payload', sentence: 'The payment names another resource than the address of the request.' };
  }
  const { credential } = payment;
  if (secrets === undefined || !(await isOwnChallenge(credential.challenge, resource, secrets)))
    return { reason: 'invalid_challenge', sentence: 'The challenge was not made by this service for this address, or was changed.' };
  if (!isSignedFor(credential))
    return { reason: 'invalid_nonce', sentence: 'The nonce of the authorization is not the hash of the challenge.' };
  return undefined;
}

/** What is wrong with a payment that is to be settled now: it does not meet the terms, or not at this time. */
export function faultOfTerms(
  payment: PresentedPayment,
  resource: PaidResource,
  requirements: PaymentRequirements,
  terms: PaymentTerms,
  nowMs: number,
): PaymentFault | undefined {
  const accepted = payment.protocol === 'x402' ? faultOfAccepted(payment.payload.accepted, requirements) : undefined;
  if (accepted) return accepted;
  if (payment.protocol === 'mpp') {
    const { challenge } = payment.credential;
    if (!hasTermsOf(challenge, resource, terms))
      return { reason: 'invalid_payment_requirements', sentence: 'The challenge asks for other terms than those of now.' };
    if (!(Date.parse(challenge.expires) > nowMs)) return { reason: 'challenge_expired', sentence: 'The challenge is over.' };
  }
  return faultOfAuthorization(payment.signed, requirements, nowMs);
}

function faultOfAccepted(
  accepted: Pick<PaymentRequirements, 'scheme' | 'network' | 'amount' | 'asset' | 'payTo'>,
  requirements: PaymentRequirements,
): PaymentFault | undefined {
  if (accepted.scheme !== requirements.scheme) return { reason: 'unsupported_scheme', sentence: 'Only the scheme exact is taken.' };
  if (accepted.network !== requirements.network) return { reason: 'invalid_network', sentence: `Only ${requirements.network} is taken.` };
  const isSame =
    accepted.amount === requirements.amount &&
    isSameHex(accepted.asset, requirements.asset) &&
    isSameHex(accepted.payTo, requirements.payTo);
  return isSame
    ? undefined
    : { reason: 'invalid_payment_requirements', sentence: 'The payment accepts other terms than those that are offered here now.' };
}

function faultOfAuthorization(
  { authorization }: SignedAuthorization,
  requirements: PaymentRequirements,
  nowMs: number,
): PaymentFault | undefined {
  const now = BigInt(Math.floor(nowMs / 1_000));
  if (!isSameHex(authorization.to, requirements.payTo))
    return { reason: 'invalid_exact_evm_payload_recipient_mismatch', sentence: 'The authorization pays somebody else.' };
  if (authorization.value !== requirements.amount)
    return { reason: 'invalid_exact_evm_payload_authorization_value', sentence: 'The authorization is not over the price.' };
  if (BigInt(authorization.validAfter) > now)
    return { reason: 'invalid_exact_evm_payload_authorization_valid_after', sentence: 'The authorization is not good yet.' };
  if (BigInt(authorization.validBefore) < now + BigInt(SETTLES_WITHIN_SECONDS))
    return { reason: 'invalid_exact_evm_payload_authorization_valid_before', sentence: 'The authorization is over, or about to be.' };
  return undefined;
}

function isSameHex(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
