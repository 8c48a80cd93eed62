import type { AgentStore } from '../../agents/agent-ports.ts';
import { revocationForGood } from '../../agents/revocation.ts';
import type { RevocationList } from '../../agents/revocation-list.ts';
import type { Clock, Randomness } from '../../ports.ts';
import { outage, ok, type Result } from '../../result.ts';
import { completion } from './make-order.ts';
import type { KnownSession, OrderStore, ProcessorEvent, SessionChange } from './order-ports.ts';
import { type Order, refundStateOf } from './order.ts';
import { agentOfOrder } from './order-key.ts';
import { canTransition, type Session } from '../sessions/session.ts';

/** What a message of the processor says, in the words of this service. */
export type PaymentEvent =
  | {
      readonly kind: 'paid';
      /** Session that the checkout was opened for, as its message names it. */
      readonly sessionId: string | undefined;
      readonly paymentReference: string | undefined;
      readonly amountMinor: number;
      /** ISO 4217, upper case. */
      readonly currency: string;
      readonly email: string | undefined;
    }
  /** A payment of an agent that was under way was refused at last. */
  | {
      readonly kind: 'failed';
      readonly sessionId: string | undefined;
      /** Which attempt it was, by its idempotency key at the processor; see {@link Session.attempt}. */
      readonly attempt: string | undefined;
      readonly reason: string;
    }
  | {
      readonly kind: 'refunded';
      readonly paymentReference: string | undefined;
      /** All that was paid back by now, in minor units. */
      readonly amountMinor: number;
      /** ISO 4217, upper case. */
      readonly currency: string;
    }
  | { readonly kind: 'other' };

/** A message whose signature was checked. */
export interface ProcessorMessage {
  readonly id: string;
  /** Type in the words of the processor. */
  readonly type: string;
  readonly news: PaymentEvent;
}

/** What taking a message needs. */
export interface PaymentEventDependencies {
  readonly store: OrderStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** `undefined` where no database is bound. */
  readonly agents: AgentStore | undefined;
  /** Revocations that this isolate knows of, which the one of an order's key is added to at once. */
  readonly revocations?: Pick<RevocationList, 'add'>;
}

/** What became of a message. All but `applied` change no session. */
export type EventOutcome =
  | 'applied'
  | 'duplicate'
  | 'waiting'
  | 'ignored'
  | 'no_session'
  | 'already_paid'
  | 'session_canceled'
  | 'amount_differs'
  | 'currency_differs';

/** How often a message is tried again when a change of its session came first. */
const ATTEMPTS_MAX = 5;

/**
 * Takes a message of the processor. Its effect happens once, keyed by the message and by the session, in whatever order messages come
 * and however often. Money that belongs to no open session is kept for the publisher to look at.
 *
 * @returns What became of it, once that is stored; a refusal means that the processor shall send it again.
 */
export async function handlePaymentEvent(message: ProcessorMessage, deps: PaymentEventDependencies): Promise<Result<EventOutcome>> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const outcome = await takeOnce(message, deps);
      if (outcome !== 'again') return ok(outcome);
    }
  } catch (error) {
    // What is stored and cannot be read is a mistake of ours and no outage.
    if (error instanceof TypeError || error instanceof SyntaxError) throw error;
    return outage('state_unavailable', 'The message could not be stored, or it is not known whether it was; send it again.');
  }
  return outage('state_unavailable', 'Other changes of the session came first; send the message again.');
}

async function takeOnce(message: ProcessorMessage, deps: PaymentEventDependencies): Promise<EventOutcome | 'again'> {
  const { news } = message;
  if (news.kind === 'other') return 'ignored';
  if (await deps.store.hasEvent(message.id)) return 'duplicate';
  if (news.kind === 'refunded') return takeRefund(message, news, deps);
  const known = news.sessionId === undefined ? undefined : await deps.store.look(undefined, news.sessionId, deps.clock.nowMs());
  return news.kind === 'paid' ? takePayment(message, news, known, deps) : takeFailure(message, news, known, deps);
}

async function takePayment(
  message: ProcessorMessage,
  news: PaymentEvent & { readonly kind: 'paid' },
  known: KnownSession | undefined,
  deps: PaymentEventDependencies,
): Promise<EventOutcome | 'again'> {
  const nowMs = deps.clock.nowMs();
  const session = known?.session;
  const event = (outcome: EventOutcome): ProcessorEvent => ({
    id: message.id,
    kind: message.type,
    receivedAtMs: nowMs,
    sessionId: session?.id,
    paymentReference: news.paymentReference,
    amountMinor: news.amountMinor,
    currency: news.currency,
    isRefund: false,
    outcome,
  });
  const paidBefore = news.paymentReference === undefined ? undefined : await deps.store.sessionOfPayment(news.paymentReference);
  const isOthers = paidBefore?.session !== undefined && paidBefore.session.id !== session?.id;
  const whyNot = session === undefined ? 'no_session' : isOthers ? 'already_paid' : rejectionReason(session, known?.order, news);
  if (session === undefined || whyNot !== undefined) {
    await deps.store.saveEvent(event(whyNot ?? 'no_session'));
    return whyNot ?? 'no_session';
  }
  const email = session.buyer?.email ?? news.email;
  const paid: Session = email === undefined ? session : { ...session, buyer: { ...session.buyer, email } };
  const step = completion(paid, { reference: news.paymentReference, by: 'processor' }, deps.randomness, nowMs);
  const { applied } = await deps.store.apply({ ...step, processorEvent: event('applied'), nowMs });
  return applied ? 'applied' : 'again';
}

/** Why a payment completes no session. */
function rejectionReason(
  session: Session,
  order: Order | undefined,
  news: PaymentEvent & { readonly kind: 'paid' },
): EventOutcome | undefined {
  if (session.state === 'completed') return order?.paymentReference === news.paymentReference ? 'duplicate' : 'already_paid';
  if (!canTransition(session.state, 'completed')) return 'session_canceled';
  return news.amountMinor === session.totalMinor && news.currency === session.currency ? undefined : 'amount_differs';
}

async function takeFailure(
  message: ProcessorMessage,
  news: PaymentEvent & { readonly kind: 'failed' },
  known: KnownSession | undefined,
  deps: PaymentEventDependencies,
): Promise<EventOutcome | 'again'> {
  const nowMs = deps.clock.nowMs();
  const session = known?.session;
  // News of an earlier attempt say nothing of the one that is under way.
  if (session?.state !== 'charging' || session.attempt === undefined || session.attempt !== news.attempt) return 'ignored';
  const change: SessionChange = {
    ...releaseStep(session, news.reason, nowMs),
    processorEvent: {
      id: message.id,
      kind: message.type,
      receivedAtMs: nowMs,
      sessionId: session.id,
      paymentReference: undefined,
      amountMinor: undefined,
      currency: undefined,
      isRefund: false,
      outcome: 'applied',
    },
  };
  return (await deps.store.apply(change)).applied ? 'applied' : 'again';
}

/**
 * The step by which a session whose payment was under way, and was not made, is open again.
 *
 * @param reason Why it was not made, for the log: a code of the processor, or of whoever looked.
 */
export function releaseStep(session: Session, reason: string, nowMs: number): SessionChange {
  return {
    session: { ...session, state: 'open', revision: session.revision + 1, updatedAtMs: nowMs },
    isNew: false,
    log: [{ kind: 'payment_declined', atMs: nowMs, detail: { reason } }],
    counts: [],
    notify: undefined,
    nowMs,
  };
}

async function takeRefund(
  message: ProcessorMessage,
  news: PaymentEvent & { readonly kind: 'refunded' },
  deps: PaymentEventDependencies,
): Promise<EventOutcome | 'again'> {
  const nowMs = deps.clock.nowMs();
  const event = (outcome: EventOutcome, sessionId?: string): ProcessorEvent => ({
    id: message.id,
    kind: message.type,
    receivedAtMs: nowMs,
    sessionId,
    paymentReference: news.paymentReference,
    amountMinor: news.amountMinor,
    currency: news.currency,
    isRefund: true,
    outcome,
  });
  if (news.paymentReference === undefined) {
    await deps.store.saveEvent(event('no_session'));
    return 'no_session';
  }
  const { session, order } = await deps.store.sessionOfPayment(news.paymentReference);
  if (session === undefined || order === undefined) {
    // The order takes it into account when it is made.
    return (await deps.store.saveEvent(event('waiting'))) ? 'waiting' : 'again';
  }
  if (news.currency !== order.currency) {
    await deps.store.saveEvent(event('currency_differs', session.id));
    return 'currency_differs';
  }
  const change = refundStep(session, order, news.amountMinor, nowMs);
  if (change === undefined) {
    await deps.store.saveEvent(event('ignored', session.id));
    return 'ignored';
  }
  await revokeDeliveredKey(change.order ?? order, deps, nowMs);
  return (await deps.store.apply({ ...change, processorEvent: event('applied', session.id) })).applied ? 'applied' : 'again';
}

/**
 * Revokes the key that an order delivered, once its whole price was paid back. Doing it twice does nothing, so it comes before what it
 * belongs to is stored: a message that broke off in between comes again.
 *
 * @throws If the database cannot be reached.
 */
export async function revokeDeliveredKey(
  order: Order,
  { agents, revocations }: Pick<PaymentEventDependencies, 'agents' | 'revocations'>,
  nowMs: number,
): Promise<void> {
  if (refundStateOf(order) !== 'all') return;
  const revocation = revocationForGood(await agentOfOrder(order), nowMs);
  await agents?.revoke(revocation, nowMs);
  revocations?.add([revocation], nowMs);
}

/**
 * The step by which an order takes note of what was paid back; `undefined` if it knows of as much already.
 *
 * @param refundedMinor All that was paid back by now, in minor units.
 */
export function refundStep(session: Session, order: Order, refundedMinor: number, nowMs: number): SessionChange | undefined {
  const known = Math.min(refundedMinor, order.totalMinor);
  if (known <= order.refundedMinor) return undefined;
  return {
    session: { ...session, revision: session.revision + 1, updatedAtMs: nowMs },
    isNew: false,
    order: { ...order, refundedMinor: known, updatedAtMs: nowMs },
    log: [{ kind: 'order_refunded', atMs: nowMs, detail: { order: order.id, refunded_minor: known } }],
    counts:
      refundStateOf({ ...order, refundedMinor: known }) === 'all'
        ? order.lines.map(({ offerId }) => ({ event: 'refund' as const, offerId }))
        : [],
    notify: order.notifyUrl === undefined ? undefined : 'order_update',
    nowMs,
  };
}
