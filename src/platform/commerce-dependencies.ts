import type { CommerceDependencies, NotConfigured, PaymentProcessor } from '../gateway/commerce/orders/order-ports.ts';
import type { WriteOrderEvent } from '../gateway/commerce/orders/send-webhooks.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { clickCounter } from './click-counter.ts';
import { d1InvoiceRequests } from './d1/invoice-requests.ts';
import { d1Orders } from './d1/orders.ts';
import { d1WebhookDeliveries } from './d1/webhook-deliveries.ts';
import type { Environment } from './environment.ts';
import type { Runtime } from './runtime.ts';
import { readStripeSettings, stripeClient, takesRealMoney } from './stripe/stripe-client.ts';
import { stripeProcessor } from './stripe/stripe-payments.ts';
import { stripeWebhookReader } from './stripe/verify-stripe-signature.ts';
import { webhookSender } from './webhook-sender.ts';

/** What buying works with on Cloudflare. */
export function commerceDependencies(
  environment: Environment,
  deployment: Deployment,
  runtime: Runtime,
  writeOrderEvent: WriteOrderEvent,
): CommerceDependencies {
  const { STATE, ANALYTICS } = environment;
  const { clicks, pending } = clickCounter(ANALYTICS);
  return {
    clicks,
    orders: STATE ? d1Orders(STATE, runtime.randomness, pending) : undefined,
    webhooks: STATE ? d1WebhookDeliveries(STATE) : undefined,
    invoices: STATE ? d1InvoiceRequests(STATE) : undefined,
    processor: processorOf(environment, deployment),
    readPaymentWebhook: stripeWebhookReader(environment.STRIPE_WEBHOOK_SECRETS),
    writeOrderEvent,
    sendWebhook: webhookSender(deployment.commerce.webhookHosts, runtime.timers),
  };
}

/** Payments of agents are charged only where the build decided so. */
function processorOf(
  { STRIPE_SECRET_KEY, STRIPE_API_BASE }: Environment,
  { commerce, keyPrefix }: Deployment,
): PaymentProcessor | NotConfigured | undefined {
  if (commerce.processor !== 'stripe') return undefined;
  const settings = readStripeSettings(STRIPE_SECRET_KEY, STRIPE_API_BASE, keyPrefix === 'akg_live_' ? 'live' : 'local');
  return 'missing' in settings ? settings : stripeProcessor(stripeClient(settings), takesRealMoney(settings));
}
