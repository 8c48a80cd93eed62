import { CHARGE_LEASE_MS } from '../../gateway/commerce/sessions/complete-session.ts';
import { releaseStep } from '../../gateway/commerce/orders/order-steps.ts';
import type { Database } from '../../platform/d1/database.ts';
import { findEvent, markEventReviewed, stepsOf, unsettledEventsOf } from '../../platform/d1/order-lists.ts';
import { d1Orders } from '../../platform/d1/orders.ts';
import { systemRuntime } from '../../platform/runtime.ts';
import { BuildSettingError } from '../../build/deployment.ts';
import { describePaymentEvent, paymentEventState } from './describe-message.ts';
import { describeSession } from './describe-review-issues.ts';
import { moment, stepLine } from './describe-orders.ts';
import { terminalLine } from '../terminal-text.ts';

/** Whether a name is that of a message of the processor. */
export function isMessage(id: string): boolean {
  return id.startsWith('evt_');
}

/**
 * What came with a message, why it waits and what to do.
 *
 * @throws {BuildSettingError} If there is no such message.
 */
export async function showMessage(id: string, database: Database): Promise<string[]> {
  const [event, steps] = await Promise.all([findEvent(database, id), stepsOf(database, id)]);
  if (event === undefined) throw noMessage(id);
  return [...describePaymentEvent(event), ...steps.map(stepLine)];
}

/** A session without an order; `undefined` if there is none. */
export async function showSession(id: string, database: Database, nowMs: number): Promise<string[] | undefined> {
  const { session } = await d1Orders(database, systemRuntime.randomness).load(undefined, id, nowMs);
  if (session === undefined) return undefined;
  const steps = await stepsOf(database, id);
  return [...describeSession(session, nowMs), ...steps.map(stepLine)];
}

/** The messages about a payment that has no order; `undefined` if there are none. */
export async function showPayment(reference: string, database: Database): Promise<string[] | undefined> {
  const events = await unsettledEventsOf(database, reference);
  if (events.length === 0) return undefined;
  return [`no order has the payment ${terminalLine(reference)}; these messages are about it`, ...events.flatMap(describePaymentEvent)];
}

/**
 * Takes a message, or a session whose payment never ended, from what needs a look, and notes that in the log. Doing it twice changes
 * nothing and says so.
 *
 * @throws {BuildSettingError} If there is nothing of this name that needs a look.
 */
export function markDone(id: string, database: Database, nowMs: number): Promise<string[]> {
  return isMessage(id) ? markMessage(id, database, nowMs) : releaseSession(id, database, nowMs);
}

async function markMessage(id: string, database: Database, nowMs: number): Promise<string[]> {
  if (await markEventReviewed(database, id, nowMs)) return [`${terminalLine(id)} is noted as looked at, and is listed no more`];
  const event = await findEvent(database, id);
  if (event === undefined) throw noMessage(id);
  if (event.reviewedAtMs === undefined) throw new BuildSettingError(`${terminalLine(id)} needs no look: ${paymentEventState(event)}`);
  return [`${terminalLine(id)} was looked at before, ${moment(event.reviewedAtMs)}; nothing was changed`];
}

async function releaseSession(id: string, database: Database, nowMs: number): Promise<string[]> {
  const store = d1Orders(database, systemRuntime.randomness);
  const { session, order } = await store.load(undefined, id, nowMs);
  if (session === undefined)
    throw new BuildSettingError(`there is no message and no session "${terminalLine(id)}"; npm run orders -- list names what needs a look`);
  if (order !== undefined) throw new BuildSettingError(`${id} needs no look: it is paid, and its order is ${order.id}`);
  if (session.state !== 'charging') return [`${id}: no payment is under way; nothing was changed`];
  if (nowMs < session.updatedAtMs + CHARGE_LEASE_MS)
    throw new BuildSettingError(`the payment of ${id} began less than a minute ago; look again later`);
  const { applied } = await store.apply(releaseStep(session, 'given_up_by_publisher', nowMs));
  if (!applied) throw new BuildSettingError(`${id} was changed at the same moment; look at it and try again`);
  return [
    `${id}: its payment is noted as not made, and the session is open again unless its time is over`,
    'Should the processor tell that it was paid all the same, the order is made.',
  ];
}

function noMessage(id: string): BuildSettingError {
  return new BuildSettingError(
    `there is no message "${terminalLine(id)}"; those that were dealt with are removed after a while, and those that say nothing to orders are not kept`,
  );
}
