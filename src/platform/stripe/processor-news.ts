import type { ProcessorNews } from '../../gateway/orders/take-processor-event.ts';
import { StripeCharge, StripeCheckout, StripeIntent } from '../../schemas/stripe-event.ts';

const OTHER: ProcessorNews = { kind: 'other' };

/** Types of messages that say something to orders: the ones that an endpoint at Stripe has to send (content/docs/selling.md). */
export const READ_EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'charge.refunded',
] as const;

/**
 * What a message of Stripe says to orders.
 *
 * @returns `undefined` if the members of the object are not those of its type.
 */
export function newsOf(type: string, object: unknown): ProcessorNews | undefined {
  switch (type as (typeof READ_EVENT_TYPES)[number]) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed': {
      const checkout = StripeCheckout.safeParse(object);
      return checkout.success ? checkoutNews(checkout.data, type.endsWith('_failed')) : undefined;
    }
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed': {
      const intent = StripeIntent.safeParse(object);
      return intent.success ? intentNews(intent.data, type.endsWith('_failed')) : undefined;
    }
    case 'charge.refunded': {
      const charge = StripeCharge.safeParse(object);
      if (!charge.success) return undefined;
      return { kind: 'refunded', paymentReference: charge.data.payment_intent, amountMinor: charge.data.amount_refunded };
    }
    default:
      return OTHER;
  }
}

/** A checkout that is completed is not always paid: some ways to pay take days, and a message of their own says how it ended. */
function checkoutNews(checkout: StripeCheckout, hasFailed: boolean): ProcessorNews | undefined {
  const { mode, payment_status, amount_total, currency, payment_intent, subscription, customer_details } = checkout;
  const sessionId = checkout.client_reference_id ?? checkout.metadata['checkout_session_id'];
  if (hasFailed) return { kind: 'failed', sessionId, attempt: undefined, reason: 'payment_failed' };
  if (mode === 'setup' || payment_status === 'unpaid') return OTHER;
  if (typeof amount_total !== 'number' || typeof currency !== 'string') return undefined;
  return {
    kind: 'paid',
    sessionId,
    paymentReference: payment_intent ?? subscription,
    amountMinor: amount_total,
    currency: currency.toUpperCase(),
    email: customer_details?.email ?? undefined,
  };
}

/** A payment of another business of the account names no session, and says nothing to orders. */
function intentNews({ id, amount_received, currency, metadata, last_payment_error }: StripeIntent, hasFailed: boolean): ProcessorNews {
  const sessionId = metadata['checkout_session_id'];
  if (sessionId === undefined) return OTHER;
  if (hasFailed)
    return {
      kind: 'failed',
      sessionId,
      attempt: metadata['attempt'],
      reason: last_payment_error?.decline_code ?? last_payment_error?.code ?? 'payment_failed',
    };
  return {
    kind: 'paid',
    sessionId,
    paymentReference: id,
    amountMinor: amount_received,
    currency: currency.toUpperCase(),
    email: undefined,
  };
}
