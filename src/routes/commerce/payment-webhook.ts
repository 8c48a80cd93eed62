import { handlePaymentEvent } from '../../gateway/commerce/orders/handle-payment-event.ts';
import { ok, outage, refuse } from '../../gateway/result.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { ProcessorReceipt } from '../../schemas/commerce/orders.ts';
import { sendDueWebhooks } from '../../http/send-due-webhooks.ts';
import { defineRoute } from '../../http/define-route.ts';

export const paymentWebhookRoute = defineRoute({
  id: 'takeProcessorMessage',
  method: 'POST',
  path: PATHS.stripeWebhook,
  summary: 'Take a message of the payment processor',
  description:
    'For Stripe alone: events about hosted checkouts, payments and refunds, signed with a secret of this deployment. A message is answered with 200 once its effect is stored. It has its effect once, however often and in whatever order messages come. With any other answer Stripe sends it again.',
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  headers: [
    {
      name: 'Stripe-Signature',
      description: `Time and signatures of the message, at most ${LIMITS.signatureMaxAgeSeconds} seconds from now (docs.stripe.com/webhooks/signature).`,
      minLength: 10,
      maxLength: 2_000,
      example: `t=1798761600,v1=${'0'.repeat(64)}`,
      required: true,
    },
  ],
  takesBytes: true,
  bodyLimits: { maxBytes: LIMITS.processorEventMaxBytes, maxStringLength: LIMITS.processorEventMaxBytes },
  answers: [{ status: 200, description: 'The message is stored.', content: { type: 'application/json', schema: ProcessorReceipt } }],
  errors: ['signature_invalid', 'invalid_json', 'not_configured', 'state_unavailable'],
  rateLimit: 'network',
  cache: 'no-store',
  handle: async ({ bytes, headers, defer }, deps) => {
    const { commerce, clock, randomness, agents, revocations } = deps;
    if (typeof commerce.messages !== 'function') return refuse('not_configured', commerce.messages.missing);
    if (commerce.orders === undefined) return outage('state_unavailable', 'No database is bound to this deployment.');
    const message = await commerce.messages(bytes, headers['stripe-signature'] ?? '', clock.nowMs());
    if (!message.ok) return message;
    const taken = await handlePaymentEvent(message.value, { store: commerce.orders, clock, randomness, agents, revocations });
    if (!taken.ok) return taken;
    if (taken.value === 'applied') defer(sendDueWebhooks(deps));
    const value: ProcessorReceipt = { received: true, outcome: taken.value };
    return ok({ kind: 'json', status: 200, value });
  },
});
