import { formatMoney } from '../catalog/offer.ts';
import { CHARGE_LEASE_MS } from '../gateway/orders/complete-session.ts';
import type { ProcessorEvent } from '../gateway/orders/order-ports.ts';
import { isExpired, type Session } from '../gateway/orders/session.ts';
import type { KeptEvent, Puzzles, StuckSession } from '../platform/d1/order-lists.ts';
import { moment } from './describe-orders.ts';
import { terminalLine } from './intake/terminal-text.ts';

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

/** What needs a look, under a heading; no lines if nothing does. */
export function puzzleLines({ events, charging, givenUp, newInvoiceRequests }: Puzzles): string[] {
  const lines = [
    ...events.map(
      (event) =>
        `  ${terminalLine(event.id)}  ${moment(event.receivedAtMs)}  ${amountOf(event)} ${reasonOf(event).why}${named(event.paymentReference)}${named(event.sessionId)}`,
    ),
    ...charging.map(stuckLine),
    ...(givenUp === 0
      ? []
      : [
          `  ${givenUp === 1 ? '1 notice of an order was' : `${givenUp} notices of orders were`} given up: npm run orders -- notices, then retry`,
        ]),
    ...(newInvoiceRequests === 0
      ? []
      : [
          `  ${newInvoiceRequests === 1 ? '1 request for an invoice waits' : `${newInvoiceRequests} requests for invoices wait`}: npm run orders -- invoices`,
        ]),
  ];
  const hint = events.length + charging.length === 0 ? '' : ' (npm run orders -- show <id> says what to do)';
  return lines.length === 0 ? [] : ['', `needs a look:${hint}`, ...lines];
}

function stuckLine({ id, total_minor, currency, updated_at_ms }: StuckSession): string {
  return `  ${id}  ${moment(updated_at_ms)}  ${formatMoney({ amountMinor: total_minor, currency })} was to be paid, and what became of it was never told: look for it at Stripe`;
}

/** Everything about a message: what came, why it waits, and what to do. */
export function describeMessage(event: KeptEvent): string[] {
  const { why, todo } = reasonOf(event);
  const { id, kind, receivedAtMs, paymentReference, sessionId, isToLookAt } = event;
  return [
    terminalLine(id),
    `  came      ${moment(receivedAtMs)}, as ${terminalLine(kind)}`,
    ...(event.amountMinor === undefined
      ? []
      : [`  amount    ${amountOf(event)}${event.isRefund ? ', given back in all so far' : ', paid'}`]),
    ...(paymentReference === undefined ? [] : [`  payment   ${terminalLine(paymentReference)}`]),
    ...(sessionId === undefined ? [] : [`  session   ${terminalLine(sessionId)}`]),
    ...(isToLookAt
      ? [`  waits     ${amountOf(event)} ${why}`, `  to do     ${todo}`, `  then      npm run orders -- done ${terminalLine(id)}`]
      : [`  state     ${stateOfMessage(event)}`]),
  ];
}

/** What became of a message that nobody has to look at. */
export function stateOfMessage({ outcome, lookedAtMs }: KeptEvent): string {
  if (lookedAtMs !== undefined) return `it was looked at ${moment(lookedAtMs)}`;
  return SETTLED[outcome] ?? 'its order took it into account';
}

/** A session that has no order, and what to do where its payment never ended. */
export function describeSession(session: Session, nowMs: number): string[] {
  const { id, state, channel, owner, lines, totalMinor, currency, createdAtMs, updatedAtMs } = session;
  const isStuck = state === 'charging' && nowMs >= updatedAtMs + CHARGE_LEASE_MS;
  return [
    `${id}  ${isExpired(session, nowMs) ? 'expired' : state}`,
    `  opened    ${moment(createdAtMs)}, by ${channel}, of ${terminalLine(owner)}`,
    ...lines.map(
      ({ quantity, offerId, unitMinor }) => `  line      ${quantity} × ${offerId} at ${formatMoney({ amountMinor: unitMinor, currency })}`,
    ),
    `  total     ${formatMoney({ amountMinor: totalMinor, currency })}`,
    ...(isStuck
      ? [
          `  waits     a payment was begun ${moment(updatedAtMs)}, and what became of it was never told`,
          `  to do     look at Stripe for a payment whose metadata name checkout_session_id ${id}`,
          '            paid: send its message payment_intent.succeeded again from the Dashboard; that makes the order',
          '            processing: wait; its message ends it',
          `            none, or failed or canceled: npm run orders -- done ${id}`,
        ]
      : []),
  ];
}

function reasonOf({ outcome, isRefund }: ProcessorEvent): Reason {
  if (isRefund && outcome === 'no_session') return REFUND_OF_NOTHING;
  return REASONS[outcome] ?? { why: `is kept as ${terminalLine(outcome)}`, todo: 'look at it at Stripe' };
}

/** The amount of a message; one of before currencies were kept is shown in hundredths without one. */
function amountOf({ amountMinor, currency }: ProcessorEvent): string {
  if (amountMinor === undefined) return 'an unknown amount';
  return currency === undefined ? `${(amountMinor / 100).toFixed(2)} of an unknown currency` : formatMoney({ amountMinor, currency });
}

function named(reference: string | undefined): string {
  return reference === undefined ? '' : `  ${terminalLine(reference)}`;
}
