import { SignedAuthorization } from '../../schemas/x402.ts';
import type { Clock } from '../ports.ts';
import { askedPayment, plainReason } from './ask-facilitator.ts';
import type { PaidResource } from './paid-resource.ts';
import type { Facilitator, PaymentClaim, PaymentClaims, Settled } from './payment-ports.ts';
import { type PaymentTerms, requirementsOf } from './payment-terms.ts';

/** What settling needs. */
export interface SettleDependencies {
  readonly terms: PaymentTerms;
  readonly facilitator: Facilitator;
  readonly claims: PaymentClaims;
  readonly clock: Clock;
}

/** What became of an attempt to settle a claim. */
export type SettleOutcome =
  | { readonly kind: 'settled'; readonly claim: PaymentClaim }
  /** It is certain that nothing was settled. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Not known yet: the next attempt finds out. */
  | { readonly kind: 'open' }
  /** An attempt before this one may have settled it, and nobody can find out any more by asking. */
  | { readonly kind: 'unresolved' };

/** The network has seen the nonce of the authorization before (@x402/evm; the second is the name in facilitators of version 1). */
const NONCE_USED: readonly string[] = ['invalid_exact_evm_nonce_already_used', 'authorization_already_used'];

/** The authorization is over: the facilitator says so before it looks whether the nonce was used. */
const EXPIRED: readonly string[] = ['invalid_exact_evm_payload_authorization_valid_before'];

/** Reasons from which it follows that the authorization was never settled, not by an earlier attempt either. */
const NEVER_SETTLED: readonly string[] = [
  'invalid_exact_evm_signature',
  'invalid_exact_evm_payload_signature',
  'invalid_exact_evm_insufficient_balance',
  'insufficient_funds',
];

/**
 * Has the authorization of a claim settled, by what was stored of it, and notes the outcome.
 *
 * @param isOpen Whether an earlier attempt ended without an answer. Then a nonce that was used means that this attempt has settled it:
 *   the facilitator had found the authorization good before the first attempt, so that nobody had used it. On a first attempt it means
 *   that somebody else has used it, and nothing is given.
 */
export async function settleClaim(
  claim: PaymentClaim,
  isOpen: boolean,
  resource: PaidResource,
  deps: SettleDependencies,
): Promise<SettleOutcome> {
  const signed = SignedAuthorization.parse(JSON.parse(claim.signed));
  const requirements = { ...requirementsOf(resource, deps.terms), amount: claim.amount, payTo: signed.authorization.to };
  const answer = await deps.facilitator.settle(askedPayment(signed, requirements, resource));
  const outcome = outcomeOf(answer, isOpen);
  const nowMs = deps.clock.nowMs();
  if (outcome === 'settled') {
    const transaction = 'transaction' in answer && /^0x[0-9a-fA-F]{64}$/.test(answer.transaction) ? answer.transaction : '';
    // The payment is settled, whether this can be noted or not: a repetition will find it used, and answer the same.
    await deps.claims.settled(claim, transaction, nowMs).catch(() => undefined);
    return { kind: 'settled', claim: { ...claim, state: 'settled', transaction, settledAtMs: nowMs } };
  }
  const isCertain = outcome === 'refused';
  // If this is not noted either, the lease ends by itself, and the next attempt takes it for open.
  await deps.claims.giveUp(claim, claim.attempt, isCertain ? 'failed' : 'settling', nowMs).catch(() => undefined);
  return isCertain ? { kind: 'refused', reason: answer.kind === 'refused' ? plainReason(answer.reason) : '' } : { kind: outcome };
}

function outcomeOf(answer: Settled, isOpen: boolean): SettleOutcome['kind'] {
  if (answer.kind === 'settled') return 'settled';
  if (answer.kind !== 'refused') return 'open';
  if (!isOpen || NEVER_SETTLED.includes(answer.reason)) return 'refused';
  if (NONCE_USED.includes(answer.reason)) return 'settled';
  return EXPIRED.includes(answer.reason) ? 'unresolved' : 'open';
}
