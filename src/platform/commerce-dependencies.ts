import { type ClickCounter, PendingClicks } from '../gateway/commerce/catalog/click-counts.ts';
import type { CommerceDependencies, NotConfigured, PaymentProcessor } from '../gateway/commerce/orders/order-ports.ts';
import type { WriteOrderEvent } from '../gateway/commerce/orders/send-webhooks.ts';
import type { PaymentDependencies } from '../gateway/commerce/payments/pay-for-resource.ts';
import type { PostToFacilitator } from '../gateway/commerce/payments/payment-ports.ts';
import type { PaymentAdapters } from '../gateway/commerce/payments/payment-scheme.ts';
import { paymentTerms } from '../gateway/commerce/payments/payment-terms.ts';
import type { ReturnableQuotas, SigningSecrets, Timers } from '../gateway/ports.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { d1InvoiceRequests } from './d1/invoice-requests.ts';
import { d1Orders } from './d1/orders.ts';
import { paymentClaims } from './d1/payment-claims.ts';
import { d1WebhookDeliveries } from './d1/webhook-deliveries.ts';
import { DeadlineError } from './deadline.ts';
import type { Environment } from './environment.ts';
import { rpcTransferLedger } from './ethereum-rpc-ledger.ts';
import { type Fetch, postJson, ResponseError, systemFetch } from './post-json.ts';
import type { Runtime } from './runtime.ts';
import { readStripeSettings, stripeClient, stripeProcessor, takesRealMoney } from './stripe/stripe-payments.ts';
import { stripeWebhookReader } from './stripe/verify-stripe-signature.ts';
import { webhookSender } from './webhook-sender.ts';

/** What checkouts and orders need on Cloudflare. */
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

function processorOf(
  { STRIPE_SECRET_KEY, STRIPE_API_BASE }: Environment,
  { commerce, keyPrefix }: Deployment,
): PaymentProcessor | NotConfigured | undefined {
  if (commerce.processor !== 'stripe') return undefined;
  const settings = readStripeSettings(STRIPE_SECRET_KEY, STRIPE_API_BASE, keyPrefix === 'akg_live_' ? 'live' : 'local');
  return 'missing' in settings ? settings : stripeProcessor(stripeClient(settings), takesRealMoney(settings));
}

/**
 * Counts clicks in Analytics Engine where a dataset is bound, else in the memory of the isolate, as `pending` for the order engine to store.
 * A data point has the offer as its index, `buy_click` and the offer as blobs, and the number of clicks as its double.
 */
export function clickCounter(dataset: AnalyticsEngineDataset | undefined): {
  readonly clicks: ClickCounter;
  readonly pending: PendingClicks | undefined;
} {
  if (dataset === undefined) {
    const pending = new PendingClicks();
    return { clicks: pending, pending };
  }
  const count = (offerId: string): void => {
    try {
      dataset.writeDataPoint({ indexes: [offerId], blobs: ['buy_click', offerId], doubles: [1] });
    } catch (error) {
      // A failed count must not prevent a checkout.
      console.error(JSON.stringify({ level: 'error', what: 'analytics', reason: String(error) }));
    }
  };
  return { clicks: { count }, pending: undefined };
}

/** Addresses that an RPC node may have: https, or this machine. */
const NODE_ADDRESS = /^(https:\/\/|http:\/\/127\.0\.0\.1:\d{1,5}(\/|$))/;

/**
 * What selling capsules needs on Cloudflare, or why it is not configured; `undefined` while payments are off. Without signing secrets MPP
 * issues no challenges; x402 works.
 */
export function paymentDependencies(
  { STATE, PAYMENT_RPC_URL = '' }: Pick<Environment, 'STATE' | 'PAYMENT_RPC_URL'>,
  secrets: SigningSecrets | NotConfigured,
  deployment: Deployment,
  { clock, randomness, timers }: Runtime,
  quotas: ReturnableQuotas | undefined,
  { schemes, facilitator }: PaymentAdapters,
): PaymentDependencies | NotConfigured | undefined {
  const terms = paymentTerms(deployment);
  if (terms === undefined || deployment.payments === undefined) return undefined;
  if (STATE === undefined) return { missing: 'This deployment has no database, so it can take no payments.' };
  if (PAYMENT_RPC_URL !== '' && !(NODE_ADDRESS.test(PAYMENT_RPC_URL) && URL.canParse(PAYMENT_RPC_URL)))
    return { missing: 'PAYMENT_RPC_URL is not an https address, so no payments are taken.' };
  return {
    terms,
    schemes,
    facilitator: facilitator(facilitatorPost(deployment.payments.facilitator, timers)),
    ledger: PAYMENT_RPC_URL === '' ? undefined : rpcTransferLedger(PAYMENT_RPC_URL, terms.network, timers),
    claims: paymentClaims(STATE),
    quotas,
    secrets: 'missing' in secrets ? undefined : secrets,
    clock,
    randomness,
    seller: deployment.payments.sellerName ?? deployment.name,
  };
}

/**
 * Posts JSON to a facilitator. A response that is late, too long or not JSON counts as none.
 *
 * @param address Without a slash at the end.
 */
export function facilitatorPost(address: string, timers: Timers, fetch: Fetch = systemFetch): PostToFacilitator {
  return async (path, body, deadlineMs) => {
    try {
      return await postJson(address + path, body, deadlineMs, `the facilitator's ${path}`, timers, fetch);
    } catch (error) {
      const reason = error instanceof DeadlineError || error instanceof ResponseError ? error.message : String(error);
      console.error(JSON.stringify({ level: 'error', what: 'facilitator', path, reason }));
      return undefined;
    }
  };
}
