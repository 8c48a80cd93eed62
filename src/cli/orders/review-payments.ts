import { UserError } from '../../build/user-error.ts';
import { type PaymentClaim, paymentIdOf } from '../../gateway/commerce/payments/payment-ports.ts';
import { PAYMENT_TIMEOUT_SECONDS } from '../../gateway/commerce/payments/payment-terms.ts';
import type { Database, TruncatedList } from '../../platform/d1/database.ts';
import { findPayment, type PaymentVerdict, reviewPayment, unsettledPayments } from '../../platform/d1/payment-claims.ts';
import { paymentNetwork, SignedAuthorization } from '../../schemas/commerce/payments.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { minuteText, terminalLine } from '../terminal-text.ts';

/** Whether a text is the id of a payment for a capsule. */
export function isPayment(id: string): boolean {
  return id.startsWith('pay_');
}

/** Payments for capsules that need review: the buyer can no longer repeat the request with the same authorization. */
export function paymentsToReview(database: Database, nowMs: number, limit: number): Promise<TruncatedList<PaymentClaim>> {
  return unsettledPayments(database, nowMs - PAYMENT_TIMEOUT_SECONDS * 1_000, limit);
}

/** A payment that needs review, on one line. */
export function paymentLine(claim: PaymentClaim): string {
  return `  ${paymentIdOf(claim)}  ${minuteText(claim.claimedAtMs)}  ${amountOf(claim)} for ${claim.capsuleId} may have been paid by ${claim.payer}: look it up on the network`;
}

/**
 * Everything about a payment, and how to find its outcome.
 *
 * @throws {UserError} If it does not exist.
 */
export async function showCapsulePayment(id: string, database: Database): Promise<string[]> {
  const claim = (await findPayment(database, id)) ?? noPayment(id);
  const { authorization } = SignedAuthorization.parse(JSON.parse(claim.signed));
  const isOpen = claim.state === 'settling' || claim.state === 'unresolved';
  return [
    `${id}  ${claim.state}`,
    `  created   ${minuteText(claim.claimedAtMs)}${claim.reviewedAtMs === undefined ? '' : `, reviewed ${minuteText(claim.reviewedAtMs)}`}`,
    `  for       ${terminalLine(claim.resource)}, version ${claim.version}`,
    `  amount    ${amountOf(claim)} on ${networkOf(claim)}`,
    `  payer     ${claim.payer}`,
    `  payee     ${claim.payTo}`,
    `  nonce     ${claim.nonce}`,
    ...(claim.transaction === ''
      ? []
      : [`  by        ${claim.transaction}${isOpen ? ', named by the facilitator and not confirmed' : ''}`]),
    ...(isOpen
      ? [
          '  problem   its settlement began, and the outcome is unknown',
          `  to do     look in a block explorer of ${networkOf(claim)} for the event AuthorizationUsed of ${claim.asset} with this payer and nonce`,
          `            the next event of its transaction is a Transfer of ${claim.amount} units from payer to payee:`,
          `              npm run orders -- payment ${id} settled <transaction>`,
          `            another Transfer, AuthorizationCanceled instead, or no event although ${expiry(authorization.validBefore)} is past:`,
          `              npm run orders -- payment ${id} unpaid`,
        ]
      : []),
  ];
}

/**
 * Records the outcome of a payment that the publisher found. Repeating it changes nothing.
 *
 * @throws {UserError} If the payment does not exist, a request is settling it, or another outcome is recorded.
 */
export async function reviewCapsulePayment(id: string, verdict: PaymentVerdict, database: Database, nowMs: number): Promise<string[]> {
  if ((await reviewPayment(database, id, verdict, nowMs)) !== undefined)
    return verdict.state === 'settled'
      ? [`${id} is recorded as settled: for ${LIMITS.paymentRepeatHours} hours, the same payment gets the text`]
      : [`${id} is recorded as unpaid: the same payment is refused, unless it can still be settled`];
  const claim = (await findPayment(database, id)) ?? noPayment(id);
  if (claim.state === 'settling' || claim.state === 'unresolved')
    throw new UserError(`a request is settling ${id} now; try again in a minute`);
  const isSame =
    verdict.state === 'settled' ? claim.state === 'settled' && claim.transaction === verdict.transaction : claim.state === 'failed';
  const line = `${id} was recorded as ${claim.state === 'failed' ? 'unpaid' : `settled by ${claim.transaction || 'an unnamed transaction'}`} before; nothing was changed`;
  if (!isSame) throw new UserError(line);
  return [line];
}

function amountOf({ amount, network }: PaymentClaim): string {
  const { asset } = paymentNetwork(network) ?? {};
  return asset === undefined ? `${amount} units` : `${Number(amount) / 10 ** asset.decimals} USDC`;
}

function networkOf({ network }: PaymentClaim): string {
  return paymentNetwork(network)?.name ?? network;
}

/** End of an authorization; its seconds can exceed the range of a date. */
function expiry(validBefore: string): string {
  const ms = Number(validBefore) * 1_000;
  return ms <= 8.64e15 ? minuteText(ms) : `second ${validBefore}`;
}

function noPayment(id: string): never {
  throw new UserError(`there is no payment "${terminalLine(id)}"; run "npm run orders -- list" to see those that need review`);
}
