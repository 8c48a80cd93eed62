import type { ProcessorReceipt } from '../../../schemas/commerce/orders.ts';
import type { AgentStore } from '../../agents/agent-ports.ts';
import { revocationForGood } from '../../agents/change-keys.ts';
import type { RevocationList } from '../../agents/revocation-list.ts';
import type { Clock, Randomness } from '../../platform-ports.ts';
import { isBug, ok, type Result, refuse } from '../../result.ts';
import type { Order, OrderStore, PaymentEventRecord, Session } from '../cart/checkout-ports.ts';
import { agentOfOrder } from './order-deliveries.ts';
import type { FailedEvent, PaidEvent, PaymentEvent, RefundedEvent } from './order-ports.ts';
import { completionStep, refundStateOf, refundStep, releaseStep } from './order-transitions.ts';

export interface PaymentEventDependencies {
  readonly store: OrderStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly agents: AgentStore | undefined;
  readonly revocations?: Pick<RevocationList, 'add'>;
}

/** The outcome of an event. Only `applied` changes a session. */
export type EventOutcome = ProcessorReceipt['outcome'];

type Attempt = EventOutcome | 'conflict';

const ATTEMPTS_MAX = 5;

/**
 * Applies an event of the payment processor, once for each event and session, in any order. Payments without an open session are stored for
 * review by the publisher. A refusal asks the payment processor to resend the event.
 */
export async function handlePaymentEvent(event: PaymentEvent, deps: PaymentEventDependencies): Promise<Result<EventOutcome>> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const outcome = await applyEvent(event, deps);
      if (outcome !== 'conflict') return ok(outcome);
    }
  } catch (error) {
    if (isBug(error)) throw error;
    return refuse('state_unavailable', 'The event could not be stored, or the outcome is unknown. Send it again.');
  }
  return refuse('state_unavailable', 'Other changes of the session came first. Send the event again.');
}

async function applyEvent(event: PaymentEvent, deps: PaymentEventDependencies): Promise<Attempt> {
  if (event.kind === 'other') return 'ignored';
  if (await deps.store.hasEvent(event.id)) return 'duplicate';
  switch (event.kind) {
    case 'paid':
      return applyPayment(event, deps);
    case 'failed':
      return applyFailure(event, deps);
    case 'refunded':
      return applyRefund(event, deps);
  }
}

async function applyPayment(event: PaidEvent, deps: PaymentEventDependencies): Promise<Attempt> {
  const { store, randomness } = deps;
  const nowMs = deps.clock.nowMs();
  const { session, order } = await loadSession(event.sessionId, store, nowMs);
  const reject = async (outcome: EventOutcome): Promise<EventOutcome> => {
    await store.saveEvent(recordOf(event, outcome, session?.id, nowMs));
    return outcome;
  };
  if (session === undefined) return reject('no_session');
  const paidBefore = event.paymentReference === undefined ? undefined : await store.sessionOfPayment(event.paymentReference);
  const isOthers = paidBefore?.session !== undefined && paidBefore.session.id !== session.id;
  const reason = isOthers ? 'already_paid' : rejectionReason(session, order, event);
  if (reason !== undefined) return reject(reason);
  const email = session.buyer?.email ?? event.email;
  const paid: Session = email === undefined ? session : { ...session, buyer: { ...session.buyer, email } };
  const step = completionStep(paid, { reference: event.paymentReference, by: 'processor' }, randomness, nowMs);
  const { applied } = await store.apply({ ...step, paymentEvent: recordOf(event, 'applied', session.id, nowMs), nowMs });
  return applied ? 'applied' : 'conflict';
}

function rejectionReason(session: Session, order: Order | undefined, event: PaidEvent): EventOutcome | undefined {
  if (session.state === 'completed') return order?.paymentReference === event.paymentReference ? 'duplicate' : 'already_paid';
  // A payment completes a session even after its expiry, because the money has been received.
  if (session.state !== 'open' && session.state !== 'charging') return 'session_canceled';
  return event.amountMinor === session.totalMinor && event.currency === session.currency ? undefined : 'amount_differs';
}

async function applyFailure(event: FailedEvent, { store, clock }: PaymentEventDependencies): Promise<Attempt> {
  const nowMs = clock.nowMs();
  const { session } = await loadSession(event.sessionId, store, nowMs);
  // An event of an earlier attempt must not affect the current one.
  if (session?.state !== 'charging' || session.attempt === undefined || session.attempt !== event.attempt) return 'ignored';
  const paymentEvent = recordOf(event, 'applied', session.id, nowMs);
  const { applied } = await store.apply({ ...releaseStep(session, event.reason, nowMs), paymentEvent });
  return applied ? 'applied' : 'conflict';
}

async function applyRefund(event: RefundedEvent, deps: PaymentEventDependencies): Promise<Attempt> {
  const { store } = deps;
  const nowMs = deps.clock.nowMs();
  const keep = (outcome: EventOutcome, sessionId?: string): Promise<boolean> => store.saveEvent(recordOf(event, outcome, sessionId, nowMs));
  if (event.paymentReference === undefined) {
    await keep('no_session');
    return 'no_session';
  }
  const { session, order } = await store.sessionOfPayment(event.paymentReference);
  // A refund that arrives before its order is applied when the order is created.
  if (session === undefined || order === undefined) return (await keep('waiting')) ? 'waiting' : 'conflict';
  const change = event.currency === order.currency ? refundStep(session, order, event.amountMinor, nowMs) : undefined;
  if (change === undefined) {
    const outcome = event.currency === order.currency ? 'ignored' : 'currency_differs';
    await keep(outcome, session.id);
    return outcome;
  }
  await revokeDeliveredKey(change.order ?? order, deps, nowMs);
  const { applied } = await store.apply({ ...change, paymentEvent: recordOf(event, 'applied', session.id, nowMs) });
  return applied ? 'applied' : 'conflict';
}

async function loadSession(id: string | undefined, store: OrderStore, nowMs: number) {
  return id === undefined ? { session: undefined, order: undefined } : store.load(undefined, id, nowMs);
}

function recordOf(
  event: Exclude<PaymentEvent, { readonly kind: 'other' }>,
  outcome: EventOutcome,
  sessionId: string | undefined,
  nowMs: number,
): PaymentEventRecord {
  const payment = event.kind === 'failed' ? undefined : event;
  return {
    id: event.id,
    kind: event.type,
    receivedAtMs: nowMs,
    sessionId,
    paymentReference: payment?.paymentReference,
    amountMinor: payment?.amountMinor,
    currency: payment?.currency,
    isRefund: event.kind === 'refunded',
    outcome,
  };
}

/** Revokes the key of a fully refunded order. Runs before its step is stored. @throws If the database cannot be reached. */
export async function revokeDeliveredKey(
  order: Order,
  deps: Pick<PaymentEventDependencies, 'agents' | 'revocations'>,
  nowMs: number,
): Promise<void> {
  if (refundStateOf(order) === 'all') await revokeOrderKey(order, deps, nowMs);
}

/** Revokes the key that an order delivered. @throws If the database cannot be reached. */
export async function revokeOrderKey(
  order: Order,
  { agents, revocations }: Pick<PaymentEventDependencies, 'agents' | 'revocations'>,
  nowMs: number,
): Promise<void> {
  const revocation = revocationForGood(await agentOfOrder(order), nowMs);
  await agents?.revoke(revocation, nowMs);
  revocations?.add([revocation], nowMs);
}
