import { UserError } from '../../build/user-error.ts';
import { releaseStep } from '../../gateway/commerce/orders/order.ts';
import { CHARGE_LEASE_MS } from '../../gateway/commerce/sessions/complete-session.ts';
import type { Database } from '../../platform/d1/database.ts';
import { findEvent, markEventReviewed, stepsOf, unsettledEventsOf } from '../../platform/d1/order-administration.ts';
import { d1Orders } from '../../platform/d1/orders.ts';
import { systemRuntime } from '../../platform/runtime.ts';
import { terminalLine } from '../terminal-text.ts';
import { moment, stepLine } from './describe-orders.ts';
import { describePaymentEvent, paymentEventState } from './describe-payment-event.ts';
import { describeSession } from './describe-review-issues.ts';

/** Whether a text is the id of a payment event. */
export function isPaymentEvent(id: string): boolean {
  return id.startsWith('evt_');
}

/**
 * A payment event, why it waits and what to do.
 *
 * @throws {UserError} If there is no such event.
 */
export async function showPaymentEvent(id: string, database: Database): Promise<string[]> {
  const [event, steps] = await Promise.all([findEvent(database, id), stepsOf(database, id)]);
  if (event === undefined) throw noPaymentEvent(id);
  return [...describePaymentEvent(event), ...steps.map(stepLine)];
}

/** The session if it has no order, else `undefined`. */
export async function showSession(id: string, database: Database, nowMs: number): Promise<string[] | undefined> {
  const { session } = await d1Orders(database, systemRuntime.randomness).load(undefined, id, nowMs);
  if (session === undefined) return undefined;
  const steps = await stepsOf(database, id);
  return [...describeSession(session, nowMs), ...steps.map(stepLine)];
}

/** The events of a payment without an order; `undefined` if it has none. */
export async function showPayment(reference: string, database: Database): Promise<string[] | undefined> {
  const events = await unsettledEventsOf(database, reference);
  if (events.length === 0) return undefined;
  return [`no order has the payment ${terminalLine(reference)}; these events name it`, ...events.flatMap(describePaymentEvent)];
}

/**
 * Marks a payment event as reviewed, or releases a session whose payment never ended, and logs it. Repeating it changes nothing and says
 * so.
 *
 * @throws {UserError} If nothing of this name needs review.
 */
export function markDone(id: string, database: Database, nowMs: number): Promise<string[]> {
  return isPaymentEvent(id) ? markReviewed(id, database, nowMs) : releaseSession(id, database, nowMs);
}

async function markReviewed(id: string, database: Database, nowMs: number): Promise<string[]> {
  if (await markEventReviewed(database, id, nowMs)) return [`${terminalLine(id)} is marked as reviewed and no longer listed`];
  const event = await findEvent(database, id);
  if (event === undefined) throw noPaymentEvent(id);
  if (event.reviewedAtMs === undefined) throw new UserError(`${terminalLine(id)} needs no review: ${paymentEventState(event)}`);
  return [`${terminalLine(id)} was reviewed before, ${moment(event.reviewedAtMs)}; nothing was changed`];
}

async function releaseSession(id: string, database: Database, nowMs: number): Promise<string[]> {
  const store = d1Orders(database, systemRuntime.randomness);
  const { session, order } = await store.load(undefined, id, nowMs);
  if (session === undefined)
    throw new UserError(`there is no payment event and no session "${terminalLine(id)}"; npm run orders -- list lists what needs review`);
  if (order !== undefined) throw new UserError(`${id} needs no review: it is paid, and its order is ${order.id}`);
  if (session.state !== 'charging') return [`${id}: no payment is under way; nothing was changed`];
  if (nowMs < session.updatedAtMs + CHARGE_LEASE_MS)
    throw new UserError(`the payment of ${id} began less than a minute ago; try again later`);
  const { applied } = await store.apply(releaseStep(session, 'given_up_by_publisher', nowMs));
  if (!applied) throw new UserError(`${id} was changed at the same moment; show it and try again`);
  return [
    `${id}: its payment is recorded as not made, and the session is open again unless it has expired`,
    'If the payment processor reports it as paid after all, the order is created.',
  ];
}

function noPaymentEvent(id: string): UserError {
  return new UserError(
    `there is no payment event "${terminalLine(id)}"; handled events are deleted after a while, and events that do not concern orders are not stored`,
  );
}
