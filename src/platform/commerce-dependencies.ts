import type { CommerceDependencies, Missing } from '../gateway/orders/commerce-dependencies.ts';
import type { PaymentProcessor } from '../gateway/orders/order-ports.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { d1InvoiceRequests } from './d1/invoice-requests.ts';
import { d1Notices } from './d1/order-notices.ts';
import { d1Orders } from './d1/orders.ts';
import type { Environment } from './environment.ts';
import { noticeSender } from './notice-sender.ts';
import { stripeMessageReader } from './stripe/read-message.ts';
import { readStripeSettings, stripeClient, takesRealMoney } from './stripe/stripe-client.ts';
import { stripeProcessor } from './stripe/stripe-processor.ts';
import type { World } from './world.ts';

/** What buying works with on Cloudflare. */
export function commerceDependencies(environment: Environment, deployment: Deployment, world: World): CommerceDependencies {
  const { STATE } = environment;
  return {
    orders: STATE ? d1Orders(STATE, world.randomness) : undefined,
    notices: STATE ? d1Notices(STATE) : undefined,
    invoices: STATE ? d1InvoiceRequests(STATE) : undefined,
    processor: processorOf(environment, deployment),
    messages: stripeMessageReader(environment.STRIPE_WEBHOOK_SECRETS),
    sendNotice: noticeSender(deployment.commerce.webhookHosts, world.timers),
  };
}

/**
 * What charges payments of agents: nothing unless the build decided so. A key that takes real money is not used for a catalog that has
 * demonstrations, because their pages say that none is taken.
 */
export function processorOf(
  { STRIPE_SECRET_KEY, STRIPE_API_BASE }: Pick<Environment, 'STRIPE_SECRET_KEY' | 'STRIPE_API_BASE'>,
  { commerce, keyPrefix, offers }: Pick<Deployment, 'commerce' | 'keyPrefix' | 'offers'>,
): PaymentProcessor | Missing | undefined {
  if (commerce.processor !== 'stripe') return undefined;
  const settings = readStripeSettings(STRIPE_SECRET_KEY, STRIPE_API_BASE, keyPrefix === 'akg_live_' ? 'live' : 'local');
  if ('missing' in settings) return settings;
  if (takesRealMoney(settings) && offers.some(({ demo }) => demo))
    return { missing: 'The key of the payment processor takes real money, and some offers are demonstrations, for which none is taken.' };
  return stripeProcessor(stripeClient(settings));
}
