import { formatMoney } from '../../publication/offers/money.ts';
import type { StoredPaymentEvent } from '../../platform/d1/order-lists.ts';
import { moment } from './describe-orders.ts';
import { terminalLine } from '../terminal-text.ts';

/** Why a message could not be applied, behind its amount, and what is to be done about it. */
interface Reason {
  readonly why: string;
  readonly todo: string;
}

const REASONS: Readonly<Record<string, Reason>> = {
  no_session: { why: 'was paid for no session of this service', todo: 'deliver what was bought, or give it back; Stripe knows who paid' },
  already_paid: { why: 'was paid for a session that was paid before', todo: 'give it back at Stripe' },
  session_canceled: { why: 'was paid for a session that was canceled', todo: 'give it back at Stripe' },
  amount_differs: {
    why: 'was paid, which is another amount or currency than the session costs',
    todo: 'deliver what was bought, or give it back at Stripe',
  },
  waiting: {
    why: 'was given back, and no order has this payment',
    todo: 'if it belongs to an order, as what is given back of a subscription does, note it there with npm run orders -- refund; nothing is to be done if it is from another business of the account',
  },
  currency_differs: {
    why: 'was given back, in another currency than that of the order, so it is not counted',
    todo: 'note what that is in the currency of the order: npm run orders -- refund',
  },
};

const REFUND_OF_NOTHING: Reason = {
  why: 'was given back, and the message names no payment',
  todo: 'find its order at Stripe, and note it there with npm run orders -- refund',
};

/** What became of a message that nobody has to look at. */
const SETTLED: Readonly<Record<string, string>> = {
  applied: 'it was applied',
  ignored: 'it changed nothing',
  duplicate: 'it said what was known already',
};

/** A message that needs a look, on one line. */
export function paymentEventLine(event: StoredPaymentEvent): string {
  const back = givenBack(event);
  return `  ${terminalLine(event.id)}  ${moment(event.receivedAtMs)}  ${amountOf(event)} ${reasonOf(event).why}${back === undefined ? '' : `; ${back}`}${named(event.paymentReference)}${named(event.sessionId)}`;
}

/** Everything about a message: what came, why it waits, and what to do. */
export function describePaymentEvent(event: StoredPaymentEvent): string[] {
  const { why, todo } = reasonOf(event);
  const { id, kind, receivedAtMs, paymentReference, sessionId, needsReview: isToLookAt } = event;
  const back = givenBack(event);
  return [
    terminalLine(id),
    `  came      ${moment(receivedAtMs)}, as ${terminalLine(kind)}`,
    ...(event.amountMinor === undefined
      ? []
      : [`  amount    ${amountOf(event)}${event.isRefund ? ', given back in all so far' : ', paid'}`]),
    ...(paymentReference === undefined ? [] : [`  payment   ${terminalLine(paymentReference)}`]),
    ...(sessionId === undefined ? [] : [`  session   ${terminalLine(sessionId)}`]),
    ...(back === undefined ? [] : [`  back      ${back}`]),
    ...(isToLookAt
      ? [`  waits     ${amountOf(event)} ${why}`, `  to do     ${todo}`, `  then      npm run orders -- done ${terminalLine(id)}`]
      : [`  state     ${paymentEventState(event)}`]),
  ];
}

/** What became of a message that nobody has to look at. */
export function paymentEventState(event: StoredPaymentEvent): string {
  const { outcome, isRefund, reviewedAtMs: lookedAtMs, counterparts } = event;
  if (lookedAtMs !== undefined) return `it was looked at ${moment(lookedAtMs)}`;
  if (counterparts.length === 0) return SETTLED[outcome] ?? 'its order took it into account';
  return isRefund
    ? `it was given back of a payment that was never made an order (${idsOf(event)}), and nothing is to be done`
    : 'all of it was given back, and nothing is to be done';
}

function reasonOf(event: StoredPaymentEvent): Reason {
  const { outcome, isRefund, counterparts, orderId } = event;
  if (isRefund && outcome === 'no_session') return REFUND_OF_NOTHING;
  if (isRefund && counterparts.length > 0) return refundOfNoOrder(event);
  const reason = REASONS[outcome] ?? { why: `is kept as ${terminalLine(outcome)}`, todo: 'look at it at Stripe' };
  if (isRefund) return reason;
  if (orderId !== undefined)
    return {
      why: `${reason.why}; the same payment made ${orderId}`,
      todo: `look at Stripe what the payment took, and give back only what is above the price of ${orderId}`,
    };
  return isAllBack(event) ? { ...reason, todo: 'nothing more: all of it was given back' } : reason;
}

/** A refund of a payment that is kept, because it was never made an order. To note it on one would refund what was not given back. */
function refundOfNoOrder(event: StoredPaymentEvent): Reason {
  return {
    why: `was given back, of a payment that was never made an order (${idsOf(event)})`,
    todo: isAllBack(event)
      ? `nothing more: all of the payment was given back, and no order is to note it; then also ${commands(event, 'done')}`
      : `no order is to note it; ${commands(event, 'show')} says what becomes of the rest of the payment`,
  };
}

/** Whether a payment that made no order was given back whole, as far as its messages say. */
function isAllBack(event: StoredPaymentEvent): boolean {
  const { amountMinor = 0, isRefund } = event;
  return sumsOf(event).some((sum) => (isRefund ? amountMinor >= sum : sum >= amountMinor));
}

/** What was given back of a payment that made no order. */
function givenBack(event: StoredPaymentEvent): string | undefined {
  const sums = sumsOf(event);
  if (event.isRefund || sums.length === 0) return undefined;
  return `${amountOf({ ...event, amountMinor: Math.max(...sums) })} of it was given back so far (${idsOf(event)})`;
}

function sumsOf({ counterparts, currency }: StoredPaymentEvent): number[] {
  return counterparts.flatMap((other) =>
    other.amountMinor !== null && (other.currency ?? undefined) === currency ? [other.amountMinor] : [],
  );
}

function idsOf({ counterparts }: StoredPaymentEvent): string {
  return counterparts.map(({ id }) => terminalLine(id)).join(', ');
}

function commands({ counterparts }: StoredPaymentEvent, task: string): string {
  return counterparts.map(({ id }) => `npm run orders -- ${task} ${terminalLine(id)}`).join(', ');
}

/** The amount of a message; one of before currencies were kept is shown in hundredths without one. */
function amountOf({ amountMinor, currency }: Pick<StoredPaymentEvent, 'amountMinor' | 'currency'>): string {
  if (amountMinor === undefined) return 'an unknown amount';
  return currency === undefined ? `${(amountMinor / 100).toFixed(2)} of an unknown currency` : formatMoney({ amountMinor, currency });
}

function named(reference: string | undefined): string {
  return reference === undefined ? '' : `  ${terminalLine(reference)}`;
}
