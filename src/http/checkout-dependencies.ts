import type { CheckoutDependencies } from '../gateway/commerce/sessions/checkout-sessions.ts';
import type { OrderStore } from '../gateway/commerce/orders/order-ports.ts';
import { ok, outage, type Result, refuse } from '../gateway/result.ts';
import type { GatewayDependencies, RouteInput } from './define-route.ts';
import { sendDueWebhooks } from './send-due-webhooks.ts';

/** What operations on checkout sessions work with, or why they cannot. Every step that they store sends webhooks that are due. */
export function checkoutDependencies(
  deps: GatewayDependencies,
  { defer, network }: Pick<RouteInput<unknown, unknown, unknown>, 'defer' | 'network'>,
): Result<CheckoutDependencies> {
  const { commerce, quotas, deployment, clock, randomness } = deps;
  if (commerce.orders === undefined) return outage('state_unavailable', 'No database is bound to this deployment.');
  if (quotas === undefined) return refuse('not_configured', 'This deployment has no signing secret, so it counts no quotas.');
  if (commerce.processor !== undefined && 'missing' in commerce.processor) return refuse('not_configured', commerce.processor.missing);
  const store = sendingWebhooks(commerce.orders, () => defer(sendDueWebhooks(deps)));
  return ok({ deployment, store, clock, randomness, quotas, network, processor: commerce.processor });
}

/** The same store; after a step that it has stored, webhooks are sent. The claim of a payment waits for what the payment comes to. */
function sendingWebhooks(store: OrderStore, send: () => void): OrderStore {
  return {
    ...store,
    apply: async (change) => {
      const stored = await store.apply(change);
      if (stored.applied && change.session.state !== 'charging') send();
      return stored;
    },
  };
}
