import type { PaymentClaim } from '../../gateway/commerce/payments/payment-ports.ts';
import { CHARGE_LEASE_MS } from '../../gateway/commerce/sessions/complete-session.ts';
import { isExpired, type Session } from '../../gateway/commerce/sessions/session.ts';
import type { TruncatedList } from '../../platform/d1/database.ts';
import type { ReviewIssues, StuckSession } from '../../platform/d1/order-administration.ts';
import { formatMoney } from '../../publication/offers/money.ts';
import { terminalLine } from '../terminal-text.ts';
import { moment, moreLines } from './describe-orders.ts';
import { paymentEventLine } from './describe-payment-event.ts';
import { paymentLine } from './review-payments.ts';

/**
 * What needs review, under a heading; no lines if nothing does.
 *
 * @param payments Payments for capsules whose outcome is not known.
 */
export function reviewIssueLines(
  { events, charging, givenUp, newInvoiceRequests }: ReviewIssues,
  payments: TruncatedList<PaymentClaim>,
): string[] {
  const lines = [
    ...events.shown.map(paymentEventLine),
    ...moreLines(events, 'list', '  '),
    ...charging.shown.map(stuckLine),
    ...moreLines(charging, 'list', '  '),
    ...payments.shown.map(paymentLine),
    ...moreLines(payments, 'list', '  '),
    ...(givenUp === 0
      ? []
      : [`  ${givenUp === 1 ? '1 webhook was' : `${givenUp} webhooks were`} given up: npm run orders -- notices, then retry`]),
    ...(newInvoiceRequests === 0
      ? []
      : [
          `  ${newInvoiceRequests === 1 ? '1 invoice request is waiting' : `${newInvoiceRequests} invoice requests are waiting`}: npm run orders -- invoices`,
        ]),
  ];
  const hint =
    events.shown.length + charging.shown.length + payments.shown.length === 0 ? '' : ' (npm run orders -- show <id> says what to do)';
  return lines.length === 0 ? [] : ['', `needs review:${hint}`, ...lines];
}

function stuckLine({ id, totalMinor, currency, updatedAtMs }: StuckSession): string {
  return `  ${id}  ${moment(updatedAtMs)}  ${formatMoney({ amountMinor: totalMinor, currency })} was being paid, and the outcome is unknown: find it at Stripe`;
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
          `  waits     a payment began ${moment(updatedAtMs)}, and its outcome is unknown`,
          `  to do     find the payment at Stripe whose metadata names checkout_session_id ${id}`,
          '            paid: resend its event payment_intent.succeeded from the Dashboard; that creates the order',
          '            processing: wait for its event',
          `            none, or failed or canceled: npm run orders -- done ${id}`,
        ]
      : []),
  ];
}
