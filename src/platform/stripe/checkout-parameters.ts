import type { Stripe } from 'stripe';
import type { PaymentProcessor } from '../../gateway/commerce/orders/order-ports.ts';
import type { Line } from '../../gateway/commerce/sessions/session.ts';

type CheckoutRequest = Parameters<PaymentProcessor['openCheckout']>[0];
type LineItem = NonNullable<Stripe.Checkout.SessionCreateParams['line_items']>[number];

/** Periods of Stripe by ours; what is paid once has none. */
const INTERVALS: Readonly<Partial<Record<Line['cadence'], 'month' | 'year'>>> = { monthly: 'month', annual: 'year' };

/**
 * What a hosted checkout is made with: the lines at our prices, and the session in every message about it. It can be paid for 24 hours,
 * which is Stripe's own rule: a time of ours would have to be the same in every repetition of the request.
 */
export function checkoutParameters({ sessionId, lines, currency, email, returnUrl }: CheckoutRequest): Stripe.Checkout.SessionCreateParams {
  const metadata = { checkout_session_id: sessionId };
  const isPaidAgain = lines.some(({ cadence }) => INTERVALS[cadence] !== undefined);
  return {
    ...(isPaidAgain ? { mode: 'subscription', subscription_data: { metadata } } : { mode: 'payment', payment_intent_data: { metadata } }),
    line_items: lines.map((line) => lineItem(line, currency)),
    client_reference_id: sessionId,
    metadata,
    success_url: returnUrl,
    cancel_url: returnUrl,
    ...(email === undefined ? {} : { customer_email: email }),
  };
}

function lineItem({ name, offerId, unitMinor, quantity, cadence }: Line, currency: string): LineItem {
  const interval = INTERVALS[cadence];
  return {
    quantity,
    price_data: {
      currency: currency.toLowerCase(),
      unit_amount: unitMinor,
      product_data: { name, metadata: { offer_id: offerId } },
      ...(interval === undefined ? {} : { recurring: { interval } }),
    },
  };
}
