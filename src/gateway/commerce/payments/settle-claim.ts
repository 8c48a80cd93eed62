import { SignedAuthorization } from '../../../schemas/commerce/payments.ts';
import type { Clock } from '../../ports.ts';
import type { PaidResource } from './paid-resource.ts';
import type { Facilitator, PaymentClaim, PaymentClaims, Settled, TransferLedger, UnsettledAttempt } from './payment-ports.ts';
import type { PaymentTerms } from './payment-terms.ts';

/** What settling needs. */
export interface SettleDependencies {
  readonly terms: PaymentTerms;
  readonly facilitator: Facilitator;
  /** `undefined` where no node of the network is configured. */
  readonly ledger: TransferLedger | undefined;
  readonly claims: PaymentClaims;
  readonly clock: Clock;
}

/** What became of an attempt to settle a claim. */
export type SettleOutcome =
  | { readonly kind: 'settled'; readonly claim: PaymentClaim }
  /** It is certain that the authorization has paid nothing. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Not known yet: the next attempt finds out. */
  | { readonly kind: 'open' }
  /** It may have been settled, and the facilitator cannot find out any more. */
  | { readonly kind: 'unresolved' };

/**
 * Has the authorization of a claim settled, as it was stored, and stores the outcome. Only two things count as a settlement: the
 * facilitator's success for this very authorization with its transaction, and a transfer that the network has recorded.
 *
 * @param isFirst Whether this is the first attempt. Once an attempt got no response, no later refusal proves that nothing was
 *   paid: the earlier settlement may have used the nonce, emptied the account or come shortly before a wallet changed its keys.
 */
export async function settleClaim(
  claim: PaymentClaim,
  isFirst: boolean,
  resource: PaidResource,
  deps: SettleDependencies,
): Promise<SettleOutcome> {
  const signed = SignedAuthorization.parse(JSON.parse(claim.signed));
  const { terms } = deps;
  const answer = await deps.facilitator.settle({ signed, resource, terms, amount: claim.amount, payTo: signed.authorization.to });
  if (answer.kind === 'settled') return noteSettled(claim, answer.transaction, deps);
  const isExpired = BigInt(signed.authorization.validBefore) * 1_000n <= BigInt(deps.clock.nowMs());
  const state = stateAfter(answer, isFirst, isExpired);
  if (state === 'failed' && answer.kind === 'refused') return noteRefused(claim, answer.reason, deps);
  const named = 'transaction' in answer && answer.transaction !== undefined ? { transaction: answer.transaction } : {};
  return isFirst && state === 'settling' ? noteOpen(claim, { state, ...named }, deps) : resolveClaim(claim, { state, ...named }, deps);
}

/**
 * Looks a claim up on the network, where a node is configured, and stores its outcome.
 *
 * @param otherwise Outcome to store if the network proves nothing.
 */
export async function resolveClaim(
  claim: PaymentClaim,
  otherwise: UnsettledAttempt,
  deps: Pick<SettleDependencies, 'ledger' | 'claims' | 'clock'>,
): Promise<SettleOutcome> {
  const recorded = await deps.ledger?.find(claim);
  if (recorded?.kind === 'paid') return noteSettled(claim, recorded.transaction, deps);
  if (recorded?.kind === 'never') return noteRefused(claim, recorded.reason, deps);
  return noteOpen(claim, otherwise, deps);
}

function stateAfter(answer: Settled, isFirst: boolean, isExpired: boolean): UnsettledAttempt['state'] {
  if (answer.kind !== 'refused') return 'settling';
  if (isFirst && answer.transaction === undefined && answer.cause === 'nothing_sent') return 'failed';
  return answer.cause === 'nonce_used' || isExpired ? 'unresolved' : 'settling';
}

async function noteSettled(
  claim: PaymentClaim,
  transaction: string,
  { claims, clock }: Pick<SettleDependencies, 'claims' | 'clock'>,
): Promise<SettleOutcome> {
  const nowMs = clock.nowMs();
  // The text is delivered whether this is stored or not: it is paid. If it is not stored, the next request has to prove it again.
  const note = (): Promise<void> => claims.settled(claim, transaction, nowMs);
  await note()
    .catch(note)
    .catch(() => undefined);
  return { kind: 'settled', claim: { ...claim, state: 'settled', transaction, settledAtMs: nowMs } };
}

/** A refusal is certain only if it is stored: otherwise another attempt may have begun, and may settle. */
async function noteRefused(
  claim: PaymentClaim,
  reason: string,
  { claims, clock }: Pick<SettleDependencies, 'claims' | 'clock'>,
): Promise<SettleOutcome> {
  const isNoted = await claims.unsettled(claim, claim.attempt, { state: 'failed' }, clock.nowMs()).catch(() => false);
  return isNoted ? { kind: 'refused', reason } : { kind: 'open' };
}

/** If this is not stored, the lease expires, and the next attempt treats the outcome as open. */
async function noteOpen(
  claim: PaymentClaim,
  outcome: UnsettledAttempt,
  { claims, clock }: Pick<SettleDependencies, 'claims' | 'clock'>,
): Promise<SettleOutcome> {
  if (claim.state !== 'unresolved') await claims.unsettled(claim, claim.attempt, outcome, clock.nowMs()).catch(() => undefined);
  return { kind: outcome.state === 'unresolved' ? 'unresolved' : 'open' };
}
