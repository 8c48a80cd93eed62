import { UserError } from '../../build/user-error.ts';
import { revokeDeliveredKey } from '../../gateway/commerce/orders/handle-payment-event.ts';
import { type Order, refundStateOf, refundStep } from '../../gateway/commerce/orders/order.ts';
import { agentStore } from '../../platform/d1/agent-store.ts';
import type { Database } from '../../platform/d1/database.ts';
import { d1Orders } from '../../platform/d1/orders.ts';
import { systemRuntime } from '../../platform/runtime.ts';
import { formatMoney, minorDigits } from '../../publication/offers/money.ts';
import { LIMITS } from '../../schemas/limits.ts';

/**
 * Notes what was given back at the processor by hand, where its message did not come or could not be counted. The amount is a running
 * total, as in the processor's own messages: so the same note made twice, or beside a message, counts once.
 *
 * @param amount All that was given back so far, as a number in the currency of the order; `undefined` for the whole price.
 * @returns The lines to show.
 * @throws {UserError} If nothing is changed: the amount is none, more than the order cost, or no more than is noted already.
 */
export async function recordRefund(order: Order, amount: string | undefined, database: Database, nowMs: number): Promise<string[]> {
  const { id, currency, totalMinor } = order;
  const text = (amountMinor: number): string => formatMoney({ amountMinor, currency });
  const given = amount === undefined ? totalMinor : minorOf(amount, currency);
  if (given > totalMinor) throw new UserError(`${id} cost ${text(totalMinor)}, so no more than that can be refunded`);
  const store = d1Orders(database, systemRuntime.randomness);
  const { session, order: before } = await store.load(undefined, order.sessionId, nowMs);
  if (session === undefined || before === undefined) throw new UserError(`${id} has no session any more`);
  const step = refundStep(session, before, given, nowMs);
  if (step === undefined) throw new UserError(`${id}: nothing was changed. ${whyNot(before, given, text)}`);
  const isAll = refundStateOf({ totalMinor, refundedMinor: given }) === 'all';
  await revokeDeliveredKey(step.order ?? before, { agents: agentStore(database) }, nowMs);
  const { applied } = await store.apply(step);
  if (!applied) throw new UserError(`${id} was changed at the same moment; show it and try again`);
  return [
    `${id}: ${text(given)} of ${text(totalMinor)} recorded as refunded in total; before it was ${text(before.refundedMinor)}`,
    isAll
      ? `That is the whole price: its page delivers nothing any more. A key that it delivered is revoked: changes refuse it at once, everything else within ${LIMITS.revocationMaxSeconds} seconds.`
      : 'What it delivers stays with the buyer until the whole price is refunded.',
    'This moves no money: make the refund itself at the payment processor.',
  ];
}

function whyNot({ id, currency, totalMinor, refundedMinor }: Order, given: number, text: (amountMinor: number) => string): string {
  if (totalMinor === 0) return 'It cost nothing.';
  if (refundedMinor >= totalMinor) return `Its whole price, ${text(totalMinor)}, is recorded as refunded already.`;
  const known = `${text(refundedMinor)} of ${text(totalMinor)} is recorded as refunded already, and the amount is the total refunded so far.`;
  const sum = given + refundedMinor;
  if (sum > totalMinor) return known;
  return `${known} If ${text(given)} more was refunded, the total is ${text(sum)}: npm run orders -- refund ${id} ${plainAmount(sum, currency)}`;
}

/** Minor units of an amount that somebody typed; `6.5` is `6.50`. */
function minorOf(amount: string, currency: string): number {
  const [whole = '', decimals = ''] = amount.split('.');
  const digits = minorDigits(currency);
  if (decimals.length > digits) throw new UserError(`"${amount}" is no amount in ${currency}, such as ${plainAmount(1_950, currency)}`);
  return Number(whole) * 10 ** digits + Number(decimals.padEnd(digits, '0'));
}

/** An amount as somebody would type it: `120`, `19.50`. */
function plainAmount(amountMinor: number, currency: string): string {
  const digits = minorDigits(currency);
  const major = amountMinor / 10 ** digits;
  return Number.isInteger(major) ? String(major) : major.toFixed(digits);
}
