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

/** The outcome of an attempt to settle a claim. */
export type SettleOutcome =
  | { readonly kind: 'settled'; readonly claim: PaymentClaim }
  /** It is certain that the authorization has paid nothing. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Unknown: the next attempt determines the outcome. */
  | { readonly kind: 'open' }
  /** It may have been settled, and the facilitator can no longer determine the outcome. */
  | { readonly kind: 'unresolved' };

/**
 * Settles the stored authorization of a claim and stores the outcome. Only two things prove a settlement: the facilitator's success for
 * this authorization with its transaction, and a transfer recorded by the network.
 *
 * @param isFirst Whether this is the first attempt. After an attempt without a response, no refusal proves that nothing was paid: the
 *   earlier settlement may have used the nonce, emptied the account or preceded a change of the wallet's keys.
 */
export async function settleClaim(
  claim: PaymentClaim,
  isFirst: boolean,
  resource: PaidResource,
  deps: SettleDependencies,
): Promise<SettleOutcome> {
  const signed = SignedAuthorization.parse(JSON.parse(claim.signed));
  const { terms } = deps;
  const settled = await deps.facilitator.settle({ signed, resource, terms, amount: claim.amount, payTo: signed.authorization.to });
  if (settled.kind === 'settled') return markSettled(claim, settled.transaction, deps);
  const isExpired = BigInt(signed.authorization.validBefore) * 1_000n <= BigInt(deps.clock.nowMs());
  const state = stateAfter(settled, isFirst, isExpired);
  if (state === 'failed' && settled.kind === 'refused') return markRefused(claim, settled.reason, deps);
  const named = 'transaction' in settled && settled.transaction !== undefined ? { transaction: settled.transaction } : {};
  return isFirst && state === 'settling' ? markOpen(claim, { state, ...named }, deps) : resolveClaim(claim, { state, ...named }, deps);
}

/** Looks up a claim on the network, where a node is configured, and stores its outcome. */
export async function resolveClaim(
  claim: PaymentClaim,
  otherwise: UnsettledAttempt,
  deps: Pick<SettleDependencies, 'ledger' | 'claims' | 'clock'>,
): Promise<SettleOutcome> {
  const recorded = await deps.ledger?.find(claim);
  if (recorded?.kind === 'paid') return markSettled(claim, recorded.transaction, deps);
  if (recorded?.kind === 'never') return markRefused(claim, recorded.reason, deps);
  return markOpen(claim, otherwise, deps);
}

function stateAfter(settled: Settled, isFirst: boolean, isExpired: boolean): UnsettledAttempt['state'] {
  if (settled.kind !== 'refused') return 'settling';
  if (isFirst && settled.transaction === undefined && settled.cause === 'nothing_sent') return 'failed';
  return settled.cause === 'nonce_used' || isExpired ? 'unresolved' : 'settling';
}

async function markSettled(
  claim: PaymentClaim,
  transaction: string,
  { claims, clock }: Pick<SettleDependencies, 'claims' | 'clock'>,
): Promise<SettleOutcome> {
  const nowMs = clock.nowMs();
  // The text is paid and delivered even if this cannot be stored; the next request then has to prove the payment again.
  const mark = (): Promise<void> => claims.settled(claim, transaction, nowMs);
  await mark()
    .catch(mark)
    .catch(() => undefined);
  return { kind: 'settled', claim: { ...claim, state: 'settled', transaction, settledAtMs: nowMs } };
}

/** A refusal is certain only if it is stored: otherwise another attempt may have started, and may settle. */
async function markRefused(
  claim: PaymentClaim,
  reason: string,
  { claims, clock }: Pick<SettleDependencies, 'claims' | 'clock'>,
): Promise<SettleOutcome> {
  const isStored = await claims.unsettled(claim, claim.attempt, { state: 'failed' }, clock.nowMs()).catch(() => false);
  return isStored ? { kind: 'refused', reason } : { kind: 'open' };
}

/** If this cannot be stored, the lease expires, and the next attempt treats the outcome as open. */
async function markOpen(
  claim: PaymentClaim,
  outcome: UnsettledAttempt,
  { claims, clock }: Pick<SettleDependencies, 'claims' | 'clock'>,
): Promise<SettleOutcome> {
  if (claim.state !== 'unresolved') await claims.unsettled(claim, claim.attempt, outcome, clock.nowMs()).catch(() => undefined);
  return { kind: outcome.state === 'unresolved' ? 'unresolved' : 'open' };
}
