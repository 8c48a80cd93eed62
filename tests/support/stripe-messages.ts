import { createHmac } from 'node:crypto';

export const [OLD_WEBHOOK_SECRET, NEW_WEBHOOK_SECRET] = ['whsec_for_tests_only_000000000001', 'whsec_for_tests_only_000000000002'] as const;
export const TEST_WEBHOOK_SECRETS = `${OLD_WEBHOOK_SECRET},${NEW_WEBHOOK_SECRET}`;

/** A message of Stripe (docs.stripe.com/api/events/object), as far as anybody looks. */
export interface TestEvent {
  readonly id: string;
  readonly object: 'event';
  readonly type: string;
  readonly data: { readonly object: unknown };
}

/** A message. @param id Its id; the same for the same type and object without one. */
export function eventOf(type: string, object: unknown, id?: string): TestEvent {
  const derived = createHmac('sha256', 'id')
    .update(JSON.stringify([type, object]))
    .digest('hex')
    .slice(0, 24);
  return { id: id ?? `evt_${derived}`, object: 'event', type, data: { object } };
}

export function checkoutCompleted(
  sessionId: string | null,
  amountMinor: number,
  more: Readonly<Record<string, unknown>> = {},
  id?: string,
): TestEvent {
  const checkout = {
    object: 'checkout.session',
    mode: 'payment',
    payment_status: 'paid',
    client_reference_id: sessionId,
    metadata: {},
    amount_total: amountMinor,
    currency: 'usd',
    payment_intent: `pi_of_${sessionId}`,
    subscription: null,
    customer_details: { email: 'buyer@agents.example' },
    ...more,
  };
  return eventOf('checkout.session.completed', checkout, id);
}

/** How a payment of an agent ended. */
export function intentMessage(
  how: 'succeeded' | 'payment_failed',
  intent: { readonly id: string; readonly amount_received: number; readonly metadata: Readonly<Record<string, string>> },
): TestEvent {
  const error = how === 'succeeded' ? null : { code: 'card_declined', decline_code: 'insufficient_funds' };
  return eventOf(`payment_intent.${how}`, { object: 'payment_intent', currency: 'usd', last_payment_error: error, ...intent });
}

export function chargeRefunded(paymentIntent: string | null, amountRefunded: number, id?: string): TestEvent {
  const charge = { object: 'charge', payment_intent: paymentIntent, amount_refunded: amountRefunded, currency: 'usd' };
  return eventOf('charge.refunded', charge, id);
}

export interface Signing {
  readonly atMs?: number;
  readonly secret?: string;
}

export function signatureOf(payload: string | Uint8Array, { atMs = Date.now(), secret = OLD_WEBHOOK_SECRET }: Signing = {}): string {
  const seconds = Math.floor(atMs / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.`).update(payload).digest('hex')}`;
}

export function signedMessage(event: unknown, signing: Signing = {}) {
  const body = JSON.stringify(event, null, 2);
  return { method: 'POST', headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signatureOf(body, signing) }, body };
}
