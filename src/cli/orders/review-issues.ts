import { UserError } from '../../build/user-error.ts';
import { releaseStep } from '../../gateway/commerce/orders/order.ts';
import { CHARGE_LEASE_MS } from '../../gateway/commerce/sessions/complete-session.ts';
import { isExpired, type Session } from '../../gateway/commerce/sessions/session.ts';
import type { Database } from '../../platform/d1/database.ts';
import { findEvent, markEventReviewed, stepsOf, unsettledEventsOf } from '../../platform/d1/order-administration.ts';
import { d1Orders } from '../../platform/d1/orders.ts';
import { systemRuntime } from '../../platform/runtime.ts';
import { formatMoney } from '../../publication/offers/money.ts';
import { minuteText, terminalLine } from '../terminal-text.ts';
import { stepLine } from './describe-orders.ts';
import { describePaymentEvent, paymentEventState } from './describe-payment-event.ts';

/** Whether a text is the id of a payment event. */
export function isPaymentEvent(id: string): boolean {
  return id.startsWith('evt_');
}

/**
 * A payment event, its problem and what to do.
 *
 * @throws {UserError} If it does not exist.
 */
export async function showPaymentEvent(id: string, database: Database): Promise<string[]> {
  const [event, steps] = await Promise.all([findEvent(database, id), stepsOf(database, id)]);
  if (event === undefined) throw noPaymentEvent(id);
  return [...describePaymentEvent(event), ...steps.map(stepLine)];
}

/** Describes a session that has no order; `undefined` if there is no such session. */
export async function showSession(id: string, database: Database, nowMs: number): Promise<string[] | undefined> {
  const { session } = await d1Orders(database, systemRuntime.randomness).load(undefined, id, nowMs);
  if (session === undefined) return undefined;
  const steps = await stepsOf(database, id);
  return [...describeSession(session, nowMs), ...steps.map(stepLine)];
}

/** Describes the events of a payment that has no order; `undefined` if there are no events. */
export async function showPayment(reference: string, database: Database): Promise<string[] | undefined> {
  const events = await unsettledEventsOf(database, reference);
  if (events.length === 0) return undefined;
  return [`no order has the payment ${terminalLine(reference)}; its events:`, ...events.flatMap(describePaymentEvent)];
}

/**
 * Marks a payment event as reviewed, or reopens a session whose payment did not complete, and logs it. Repeating it changes nothing.
 *
 * @throws {UserError} If nothing with this id needs review.
 */
export function markDone(id: string, database: Database, nowMs: number): Promise<string[]> {
  return isPaymentEvent(id) ? markReviewed(id, database, nowMs) : releaseSession(id, database, nowMs);
}

async function markReviewed(id: string, database: Database, nowMs: number): Promise<string[]> {
  if (await markEventReviewed(database, id, nowMs)) return [`${terminalLine(id)} is marked as reviewed and no longer listed`];
  const event = await findEvent(database, id);
  if (event === undefined) throw noPaymentEvent(id);
  if (event.reviewedAtMs === undefined) throw new UserError(`${terminalLine(id)} needs no review: ${paymentEventState(event)}`);
  return [`${terminalLine(id)} was reviewed before, ${minuteText(event.reviewedAtMs)}; nothing was changed`];
}

async function releaseSession(id: string, database: Database, nowMs: number): Promise<string[]> {
  const store = d1Orders(database, systemRuntime.randomness);
  const { session, order } = await store.load(undefined, id, nowMs);
  if (session === undefined)
    throw new UserError(
      `there is no payment event or session "${terminalLine(id)}"; run "npm run orders -- list" to see what needs review`,
    );
  if (order !== undefined) throw new UserError(`${id} needs no review: it is paid, and its order is ${order.id}`);
  if (session.state !== 'charging') return [`${id}: no payment is in progress; nothing was changed`];
  if (nowMs < session.updatedAtMs + CHARGE_LEASE_MS)
    throw new UserError(`the payment of ${id} began less than a minute ago; try again later`);
  const { applied } = await store.apply(releaseStep(session, 'given_up_by_publisher', nowMs));
  if (!applied) throw new UserError(`${id} was changed at the same time; show it, then try again`);
  return [
    `${id}: its payment is recorded as not made; the session is open again unless it has expired`,
    'If the payment processor still reports it as paid, the order is created.',
  ];
}

function noPaymentEvent(id: string): UserError {
  return new UserError(
    `there is no payment event "${terminalLine(id)}"; reviewed events are deleted after a while, and events not about orders are not stored`,
  );
}

/** A session without an order, and what to do if its payment did not complete. */
function describeSession(session: Session, nowMs: number): string[] {
  const { id, state, channel, owner, lines, totalMinor, currency, createdAtMs, updatedAtMs } = session;
  const isStuck = state === 'charging' && nowMs >= updatedAtMs + CHARGE_LEASE_MS;
  return [
    `${id}  ${isExpired(session, nowMs) ? 'expired' : state}`,
    `  opened    ${minuteText(createdAtMs)}, by ${channel}, of ${terminalLine(owner)}`,
    ...lines.map(
      ({ quantity, offerId, unitMinor }) => `  line      ${quantity} × ${offerId} at ${formatMoney({ amountMinor: unitMinor, currency })}`,
    ),
    `  total     ${formatMoney({ amountMinor: totalMinor, currency })}`,
    ...(isStuck
      ? [
          `  problem   a payment began ${minuteText(updatedAtMs)}, and its outcome is unknown`,
          `  to do     find the payment at Stripe whose metadata names checkout_session_id ${id}`,
          '            paid: resend its event payment_intent.succeeded from the Dashboard; that creates the order',
          '            processing: wait for its event',
          `            none, or failed or canceled: npm run orders -- done ${id}`,
        ]
      : []),
  ];
}
