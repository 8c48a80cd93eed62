import { UserError } from '../../build/user-error.ts';
import { type PaymentClaim, paymentIdOf } from '../../gateway/commerce/payments/payment-ports.ts';
import { PAYMENT_TIMEOUT_SECONDS } from '../../gateway/commerce/payments/payment-terms.ts';
import type { Database, TruncatedList } from '../../platform/d1/database.ts';
import { findPayment, type PaymentVerdict, reviewPayment, unsettledPayments } from '../../platform/d1/payment-claims.ts';
import { paymentNetwork, SignedAuthorization } from '../../schemas/commerce/payments.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { terminalLine } from '../terminal-text.ts';
import { moment } from './describe-orders.ts';

/** Whether a text is the id of a payment for a capsule. */
export function isPayment(id: string): boolean {
  return id.startsWith('pay_');
}

/** Payments for capsules that need a review: the buyer has had the time of an authorization to send one again. */
export function paymentsToReview(database: Database, nowMs: number, limit: number): Promise<TruncatedList<PaymentClaim>> {
  return unsettledPayments(database, nowMs - PAYMENT_TIMEOUT_SECONDS * 1_000, limit);
}

/** A payment that needs a review, on one line. */
export function paymentLine(claim: PaymentClaim): string {
  return `  ${paymentIdOf(claim)}  ${moment(claim.claimedAtMs)}  ${amountOf(claim)} for ${claim.capsuleId} may have been paid by ${claim.payer}: look it up on the network`;
}

/**
 * Everything about a payment, and how to find out what became of it.
 *
 * @throws {UserError} If there is no such payment.
 */
export async function showCapsulePayment(id: string, database: Database): Promise<string[]> {
  const claim = (await findPayment(database, id)) ?? noPayment(id);
  const { authorization } = SignedAuthorization.parse(JSON.parse(claim.signed));
  const isOpen = claim.state === 'settling' || claim.state === 'unresolved';
  return [
    `${id}  ${claim.state}`,
    `  began     ${moment(claim.claimedAtMs)}${claim.reviewedAtMs === undefined ? '' : `, reviewed ${moment(claim.reviewedAtMs)}`}`,
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
          '  waits     its settlement began, and nobody learned how it ended',
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
 * Notes what the publisher found out about a payment. Doing it twice changes nothing and says so.
 *
 * @throws {UserError} If there is no such payment, a request is settling it, or it is known to have ended otherwise.
 */
export async function reviewCapsulePayment(id: string, verdict: PaymentVerdict, database: Database, nowMs: number): Promise<string[]> {
  if ((await reviewPayment(database, id, verdict, nowMs)) !== undefined)
    return verdict.state === 'settled'
      ? [`${id} is noted as settled: the same payment gets the text, for ${LIMITS.paymentRepeatHours} hours from now`]
      : [`${id} is noted as unpaid: the same payment is refused, unless it can still be settled`];
  const claim = (await findPayment(database, id)) ?? noPayment(id);
  if (claim.state === 'settling' || claim.state === 'unresolved')
    throw new UserError(`${id} is being settled by a request at the moment; look again in a minute`);
  const isSame =
    verdict.state === 'settled' ? claim.state === 'settled' && claim.transaction === verdict.transaction : claim.state === 'failed';
  const known = `${id} was noted as ${claim.state === 'failed' ? 'unpaid' : `settled by ${claim.transaction || 'an unnamed transaction'}`} before; nothing was changed`;
  if (!isSame) throw new UserError(known);
  return [known];
}

function amountOf({ amount, network }: PaymentClaim): string {
  const { asset } = paymentNetwork(network) ?? {};
  return asset === undefined ? `${amount} units` : `${Number(amount) / 10 ** asset.decimals} USDC`;
}

function networkOf({ network }: PaymentClaim): string {
  return paymentNetwork(network)?.name ?? network;
}

/** End of an authorization; its seconds can be more than a date has. */
function expiry(validBefore: string): string {
  const ms = Number(validBefore) * 1_000;
  return ms <= 8.64e15 ? moment(ms) : `second ${validBefore}`;
}

function noPayment(id: string): never {
  throw new UserError(`there is no payment "${terminalLine(id)}"; npm run orders -- list names those that need a review`);
}
