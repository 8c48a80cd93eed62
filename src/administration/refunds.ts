import type { Order } from '../gateway/commerce/cart/checkout-ports.ts';
import { revokeDeliveredKey, revokeOrderKey } from '../gateway/commerce/orders/handle-payment-event.ts';
import { refundStateOf, refundStep } from '../gateway/commerce/orders/order-transitions.ts';
import { agentStore } from '../platform/d1/agent-store.ts';
import type { Database } from '../platform/d1/database.ts';
import { withdrawOrder } from '../platform/d1/order-administration.ts';
import { d1Orders } from '../platform/d1/order-store.ts';
import { systemRuntime } from '../platform/runtime.ts';
import { minorDigits } from '../schemas/commerce/terms.ts';
import { LIMITS } from '../schemas/limits.ts';
import { formatMoney } from '../text/prices.ts';
import { ActionError } from './action-error.ts';

/** Checks an amount as typed; how many decimals it may have depends on the currency of the order. @throws {ActionError} If the text is no amount. */
export function readAmount(text: string): string {
  if (/^\d{1,9}(\.\d{1,4})?$/.test(text) && Number(text) > 0) return text;
  throw new ActionError('An amount is a positive number without a currency sign, such as 120 or 19.50: the total refunded so far.');
}

/**
 * Records a refund that was made at the payment processor and not reported by its webhook. The amount is a running total, as in webhooks,
 * so that recording it twice, or in addition to a webhook, counts once.
 *
 * @param amount Total refunded so far, in the currency of the order; `undefined` for the whole price.
 * @throws {ActionError} If the amount is invalid, above the price, or not above the recorded total.
 */
export async function recordRefund(order: Order, amount: string | undefined, database: Database, nowMs: number): Promise<string[]> {
  const { id, currency, totalMinor } = order;
  const text = (amountMinor: number): string => formatMoney({ amountMinor, currency });
  const refunded = amount === undefined ? totalMinor : minorOf(amount, currency);
  if (refunded > totalMinor) throw new ActionError(`${id} cost ${text(totalMinor)}; give an amount of at most that`);
  const store = d1Orders(database, systemRuntime.randomness);
  const { session, order: before } = await store.load(undefined, order.sessionId, nowMs);
  if (session === undefined || before === undefined) throw new ActionError(`the session of ${id} was deleted, so nothing can be recorded`);
  const step = refundStep(session, before, refunded, nowMs);
  if (step === undefined) throw new ActionError(`${id}: nothing was changed. ${whyUnchanged(before, refunded, text)}`);
  const isAll = refundStateOf({ totalMinor, refundedMinor: refunded }) === 'all';
  await revokeDeliveredKey(step.order ?? before, { agents: agentStore(database) }, nowMs);
  const { applied } = await store.apply(step);
  if (!applied) throw new ActionError(`${id} was changed at the same time; show it, then try again`);
  return [
    `${id}: ${text(refunded)} of ${text(totalMinor)} recorded as refunded in total; it was ${text(before.refundedMinor)} before`,
    isAll
      ? `That is the whole price: the order no longer delivers anything. A key that it delivered is revoked: changes refuse it at once, everything else within ${LIMITS.revocationMaxSeconds} seconds.`
      : 'It delivers until the whole price is refunded.',
    'No money was moved: make the refund itself at the payment processor.',
  ];
}

/** Ends what an order delivers, its passes and its key included, without a refund. @throws {ActionError} If that was done before. */
export async function withdrawDelivery(order: Order, database: Database, nowMs: number): Promise<string[]> {
  await revokeOrderKey(order, { agents: agentStore(database) }, nowMs);
  if (!(await withdrawOrder(database, order, nowMs))) throw new ActionError(`${order.id} was withdrawn before; nothing was changed`);
  return [`${order.id}: it no longer delivers anything, and its passes open nothing. No money was moved.`];
}

function whyUnchanged({ id, currency, totalMinor, refundedMinor }: Order, refunded: number, text: (amountMinor: number) => string): string {
  if (totalMinor === 0) return 'It cost nothing.';
  if (refundedMinor >= totalMinor) return `Its whole price, ${text(totalMinor)}, is recorded as refunded already.`;
  const recorded = `${text(refundedMinor)} of ${text(totalMinor)} is recorded as refunded already, and the amount is the total refunded so far.`;
  const sum = refunded + refundedMinor;
  if (sum > totalMinor) return recorded;
  return `${recorded} If ${text(refunded)} more was refunded, the total is ${text(sum)}: npm run orders -- refund ${id} ${plainAmount(sum, currency)}`;
}

/** Minor units of a typed amount; `6.5` is `6.50`. */
function minorOf(amount: string, currency: string): number {
  const [whole = '', decimals = ''] = amount.split('.');
  const digits = minorDigits(currency);
  if (decimals.length > digits)
    throw new ActionError(`"${amount}" is not an amount in ${currency}, such as ${plainAmount(1_950, currency)}`);
  return Number(whole) * 10 ** digits + Number(decimals.padEnd(digits, '0'));
}

function plainAmount(amountMinor: number, currency: string): string {
  const digits = minorDigits(currency);
  const major = amountMinor / 10 ** digits;
  return Number.isInteger(major) ? String(major) : major.toFixed(digits);
}
