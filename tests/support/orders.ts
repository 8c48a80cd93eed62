import { createHash } from 'node:crypto';
import type { Order, PaymentProcessor } from '../../src/gateway/commerce/cart/checkout-ports.ts';
import type { CheckoutDependencies, SessionOwner, WriteSession } from '../../src/gateway/commerce/cart/checkout-sessions.ts';
import type { PaymentEvent } from '../../src/gateway/commerce/orders/order-ports.ts';
import type { KeyedRequest } from '../../src/gateway/idempotency/bind-idempotency-key.ts';
import { d1Orders } from '../../src/platform/d1/order-store.ts';
import { soldOffer } from './sold-offer.ts';

export const OFFERS = [
  soldOffer({ id: 'review', aliases: ['check'], amountMinor: 24_000 }),
  soldOffer({ id: 'digest', amountMinor: 900, cadence: 'monthly' }),
  soldOffer({ id: 'support', amountMinor: 49_000, cadence: 'annual' }),
  soldOffer({ id: 'notes', amountMinor: 0, cadence: 'free' }),
  soldOffer({ id: 'past', validUntil: '2020-01-01' }),
];

export const AGENT: SessionOwner = { owner: 'agt_00000000000000aa', channel: 'acp', agent: '00000000000000aa' };

export const writeFacts: WriteSession = (session, order) => ({
  status: 200,
  body: JSON.stringify({ id: session.id, state: session.state, total: session.totalMinor, order: order?.id }),
});

export function requestOf(endpoint: string, idempotencyKey: string | undefined, sentBody: unknown = {}): KeyedRequest {
  return { caller: AGENT.owner, endpoint, idempotencyKey, sentBody };
}

/** Dependencies over a store, with a clock that a test sets and ids that follow one another. */
export function checkoutDependenciesFor(
  database: Parameters<typeof d1Orders>[0],
  clock: { nowMs: number },
  processor?: PaymentProcessor,
): CheckoutDependencies & { readonly agents: undefined } {
  let made = 0;
  const randomness: CheckoutDependencies['randomness'] = {
    bytes: (length) => {
      made += 1;
      return new Uint8Array(createHash('sha512').update(String(made)).digest().subarray(0, length));
    },
  };
  return {
    deployment: {
      offers: OFFERS,
      baseUrl: 'https://signpost.example',
      commerce: { acp: true, ucp: true, processor: processor ? 'stripe' : 'links', webhookHosts: [] },
    },
    store: d1Orders(database, randomness),
    clock: { nowMs: () => clock.nowMs },
    randomness,
    quotas: { take: async (_name, _subject, nowMs) => ({ allowed: true, remaining: 9, endsAtMs: nowMs + 1_000 }) },
    network: '192.0.2.0',
    processor,
    agents: undefined,
  };
}

/** A paid order of the offer `review`. */
export function paidOrder(more: Partial<Order> = {}): Order {
  return {
    ...{ id: 'ord_000000000000000000000001', receipt: `rct_${'0'.repeat(32)}`, sessionId: 'cs_1', owner: 'agt_1', channel: 'acp' },
    ...{ currency: 'USD', totalMinor: 8_000, refundedMinor: 0, paymentReference: 'pi_1' },
    lines: [{ id: 'li_1', offerId: 'review', name: 'Review', cadence: 'one_time', unitMinor: 8_000, quantity: 1, demo: false }],
    ...{ buyer: undefined, notifyUrl: undefined, createdAtMs: Date.UTC(2027, 0, 1), updatedAtMs: Date.UTC(2027, 0, 1) },
    ...more,
  };
}

export function paidEvent(
  sessionId: string,
  amountMinor: number,
  more: { id?: string; reference?: string; currency?: string } = {},
): PaymentEvent {
  const { id = `evt_${sessionId}`, reference = `pi_${sessionId}`, currency = 'USD' } = more;
  return {
    id,
    type: 'checkout.session.completed',
    kind: 'paid',
    sessionId,
    paymentReference: reference,
    amountMinor,
    currency,
    email: undefined,
  };
}

export function refundedEvent(reference: string, amountMinor: number, id: string, currency = 'USD'): PaymentEvent {
  return { id, type: 'charge.refunded', kind: 'refunded', paymentReference: reference, amountMinor, currency };
}
