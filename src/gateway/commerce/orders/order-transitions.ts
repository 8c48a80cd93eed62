import { toHex } from '../../../provenance/bytes-and-sha256.ts';
import type { Randomness } from '../../platform-ports.ts';
import type { Order, Session, SessionChange, SessionStep } from '../cart/checkout-ports.ts';

export function refundStateOf({ totalMinor, refundedMinor }: Pick<Order, 'totalMinor' | 'refundedMinor'>): 'none' | 'part' | 'all' {
  if (refundedMinor <= 0) return 'none';
  return refundedMinor >= totalMinor ? 'all' : 'part';
}

/** @param payment `reference` is the payment at the payment processor; `undefined` if nothing was due. */
export function completionStep(
  session: Session,
  payment: { readonly reference: string | undefined; readonly by: 'agent' | 'processor' },
  randomness: Randomness,
  nowMs: number,
): SessionStep & { readonly order: Order } {
  const { owner, channel, currency, lines, totalMinor, buyer, notifyUrl } = session;
  const order: Order = {
    id: `ord_${toHex(randomness.bytes(12))}`,
    receipt: `rct_${toHex(randomness.bytes(16))}`,
    sessionId: session.id,
    ...{ owner, channel, currency, lines, totalMinor, buyer, notifyUrl },
    refundedMinor: 0,
    paymentReference: payment.reference,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return {
    session: { ...session, state: 'completed', revision: session.revision + 1, updatedAtMs: nowMs },
    isNew: false,
    order,
    log: [
      {
        kind: 'order_created',
        atMs: nowMs,
        detail: { order: order.id, total_minor: order.totalMinor, ...(order.totalMinor > 0 && { paid_by: payment.by }) },
      },
    ],
    counts: order.lines.map(({ offerId }) => ({ event: 'order' as const, offerId })),
    notify: order.notifyUrl === undefined ? undefined : 'order_create',
  };
}

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

/** `undefined` if the running total of refunds, in minor units, is already recorded. */
export function refundStep(session: Session, order: Order, refundedMinor: number, nowMs: number): SessionChange | undefined {
  const recorded = Math.min(refundedMinor, order.totalMinor);
  if (recorded <= order.refundedMinor) return undefined;
  const refunded: Order = { ...order, refundedMinor: recorded, updatedAtMs: nowMs };
  return {
    session: { ...session, revision: session.revision + 1, updatedAtMs: nowMs },
    isNew: false,
    order: refunded,
    log: [{ kind: 'order_refunded', atMs: nowMs, detail: { order: order.id, refunded_minor: recorded } }],
    counts: refundStateOf(refunded) === 'all' ? order.lines.map(({ offerId }) => ({ event: 'refund' as const, offerId })) : [],
    notify: order.notifyUrl === undefined ? undefined : 'order_update',
    nowMs,
  };
}
