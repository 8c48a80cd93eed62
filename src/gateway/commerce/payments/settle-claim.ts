import { SignedAuthorization } from '../../../schemas/commerce/eip3009.ts';
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
 * Has the authorization of a claim settled, by what was stored of it, and notes the outcome. Only two things count as a settlement: the
 * facilitator's success for this very authorization with its transaction, and a transfer that the network has recorded.
 *
 * @param isFirst Whether nobody asked for the settlement before. Once somebody did and got no answer, no refusal shows that nothing was
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
 * Asks the network what became of a claim, where a node is configured, and notes it.
 *
 * @param otherwise What is noted if the network proves nothing.
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
  // The text is given whether this is noted or not: it is paid. If it is not noted, the next request has to prove it again.
  const note = (): Promise<void> => claims.settled(claim, transaction, nowMs);
  await note()
    .catch(note)
    .catch(() => undefined);
  return { kind: 'settled', claim: { ...claim, state: 'settled', transaction, settledAtMs: nowMs } };
}

/** A refusal is certain only if it is noted: otherwise another attempt may have begun, and may settle. */
async function noteRefused(
  claim: PaymentClaim,
  reason: string,
  { claims, clock }: Pick<SettleDependencies, 'claims' | 'clock'>,
): Promise<SettleOutcome> {
  const isNoted = await claims.unsettled(claim, claim.attempt, { state: 'failed' }, clock.nowMs()).catch(() => false);
  return isNoted ? { kind: 'refused', reason } : { kind: 'open' };
}

/** If this is not noted, the lease ends by itself, and the next attempt takes it for open. */
async function noteOpen(
  claim: PaymentClaim,
  outcome: UnsettledAttempt,
  { claims, clock }: Pick<SettleDependencies, 'claims' | 'clock'>,
): Promise<SettleOutcome> {
  if (claim.state !== 'unresolved') await claims.unsettled(claim, claim.attempt, outcome, clock.nowMs()).catch(() => undefined);
  return { kind: outcome.state === 'unresolved' ? 'unresolved' : 'open' };
}
