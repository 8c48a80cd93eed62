import { toHex } from '../../../provenance/bytes.ts';
import type { Randomness } from '../../ports.ts';
import type { SessionStep } from '../sessions/change-session.ts';
import type { LogEntry } from './order-ports.ts';
import type { Order } from './order.ts';
import type { Session } from '../sessions/session.ts';

/** The order of a session that is paid. */
function makeOrder(session: Session, paymentReference: string | undefined, randomness: Randomness, nowMs: number): Order {
  return {
    id: `ord_${toHex(randomness.bytes(12))}`,
    receipt: `rct_${toHex(randomness.bytes(16))}`,
    sessionId: session.id,
    owner: session.owner,
    channel: session.channel,
    currency: session.currency,
    lines: session.lines,
    totalMinor: session.totalMinor,
    refundedMinor: 0,
    paymentReference,
    buyer: session.buyer,
    notifyUrl: session.notifyUrl,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/**
 * The step by which a session becomes an order: the only one that makes orders, whoever brings the news of the payment.
 *
 * @param paymentReference The payment at the processor; `undefined` where nothing was to be paid.
 */
export function completion(
  session: Session,
  payment: { readonly reference: string | undefined; readonly by: 'agent' | 'processor' },
  randomness: Randomness,
  nowMs: number,
): SessionStep & { readonly order: Order } {
  const order = makeOrder(session, payment.reference, randomness, nowMs);
  const log: LogEntry[] = [
    { kind: 'order_created', atMs: nowMs, detail: { order: order.id, total_minor: order.totalMinor, paid_by: payment.by } },
  ];
  return {
    session: { ...session, state: 'completed', revision: session.revision + 1, updatedAtMs: nowMs },
    isNew: false,
    order,
    log,
    counts: order.lines.map(({ offerId }) => ({ event: 'order' as const, offerId })),
    notify: order.notifyUrl === undefined ? undefined : 'order_create',
  };
}
