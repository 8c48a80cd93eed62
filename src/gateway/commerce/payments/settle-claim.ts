import { SignedAuthorization } from '../../../protocols/x402/schemas.ts';
import type { Clock } from '../../ports.ts';
import { askedPayment, plainReason } from '../../../protocols/x402/facilitator-request.ts';
import type { PaidResource } from './paid-resource.ts';
import type { Facilitator, PaymentClaim, PaymentClaims, Settled, TransferLedger, UnsettledAttempt } from './payment-ports.ts';
import { type PaymentTerms, requirementsOf } from './payment-terms.ts';

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
 * The nonce of the authorization is used (@x402/evm 2.27; the second is its name in facilitators of version 1). That does not say by
 * which transfer: the payer can sign another authorization with the same nonce that pays somebody else, and have that one settled.
 */
const NONCE_USED: readonly string[] = ['invalid_exact_evm_nonce_already_used', 'authorization_already_used'];

/**
 * Reasons that a facilitator gives before it sends anything (@x402/evm 2.27, exact/facilitator/errors.ts, the errors of verification;
 * x402 specification version 2, section 9). `invalid_exact_evm_transaction_failed`, `invalid_transaction_state`,
 * `invalid_exact_evm_transfer_event_mismatch` and `unexpected_settle_error` are not among them: they are also given when a transaction
 * was sent whose outcome the facilitator could not read or store. A reason that is not known is not either.
 */
const NOTHING_SENT: ReadonlySet<string> = new Set([
  'asset_not_deployed_contract',
  'eip6492_factory_not_allowed',
  'insufficient_funds',
  'invalid_exact_evm_authorization_value',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_exact_evm_failed_to_parse_signature',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_value',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_payload_recipient_mismatch',
  'invalid_exact_evm_payload_signature',
  'invalid_exact_evm_payload_undeployed_smart_wallet',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'invalid_exact_evm_transaction_simulation_failed',
  'invalid_network',
  'invalid_payload',
  'invalid_payment_requirements',
  'invalid_scheme',
  'invalid_x402_version',
  'unsupported_scheme',
]);

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
  const requirements = { ...requirementsOf(resource, deps.terms), amount: claim.amount, payTo: signed.authorization.to };
  const answer = await deps.facilitator.settle(askedPayment(signed, requirements, resource));
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
  if (isFirst && answer.transaction === undefined && NOTHING_SENT.has(answer.reason)) return 'failed';
  return NONCE_USED.includes(answer.reason) || isExpired ? 'unresolved' : 'settling';
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
  return isNoted ? { kind: 'refused', reason: plainReason(reason) } : { kind: 'open' };
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
