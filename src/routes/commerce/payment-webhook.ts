import { handlePaymentEvent } from '../../gateway/commerce/orders/handle-payment-event.ts';
import { ok } from '../../gateway/result.ts';
import { sendDueWebhooks } from '../../http/checkout-dependencies.ts';
import { defineRoute, jsonResponse } from '../../http/define-route.ts';
import { ProcessorReceipt } from '../../schemas/commerce/orders.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

export const paymentWebhookRoute = defineRoute({
  id: 'takeProcessorMessage',
  feature: 'shop',
  method: 'POST',
  path: PATHS.stripeWebhook,
  summary: 'Payment webhook',
  description:
    'For Stripe only: events about hosted checkouts, payments and refunds, signed with a secret of this deployment. The response is 200 once the effect of an event is stored. An event takes effect once, however often and in whatever order events arrive. After any other response Stripe sends the event again.',
  capability: 'commerce',
  access: 'open',
  headers: [
    {
      name: 'Stripe-Signature',
      description: `Timestamp and signatures of the event, at most ${LIMITS.signatureMaxAgeSeconds} seconds from now (docs.stripe.com/webhooks/signature).`,
      minLength: 10,
      maxLength: 2_000,
      example: `t=1798761600,v1=${'0'.repeat(64)}`,
      required: true,
    },
  ],
  acceptsBytes: true,
  bodyLimits: { maxBytes: LIMITS.processorEventMaxBytes, maxStringLength: LIMITS.processorEventMaxBytes },
  responses: [jsonResponse('The event is stored.', ProcessorReceipt)],
  needs: ['paymentWebhook', 'orders'],
  errors: ['signature_invalid', 'invalid_json'],
  rateLimit: 'network',
  handle: async ({ bytes, headers, defer }, deps) => {
    const { commerce, clock, randomness, agents, revocations } = deps;
    const event = await commerce.readPaymentWebhook(bytes, headers['stripe-signature'] ?? '', clock.nowMs());
    if (!event.ok) return event;
    const handled = await handlePaymentEvent(event.value, { store: commerce.orders, clock, randomness, agents, revocations });
    if (!handled.ok) return handled;
    if (handled.value === 'applied') defer(sendDueWebhooks(deps));
    const value: ProcessorReceipt = { received: true, outcome: handled.value };
    return ok({ kind: 'json', status: 200, value });
  },
});
