import type { OrderStore, SessionChange } from '../gateway/commerce/cart/checkout-ports.ts';
import type { CheckoutDependencies, SessionResponse } from '../gateway/commerce/cart/checkout-sessions.ts';
import { sendWebhooks } from '../gateway/commerce/orders/send-webhooks.ts';
import { ok, type Result, refuse } from '../gateway/result.ts';
import type { Outcome, RouteInput } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';

/** Webhooks that one request sends after its response: those of its order, and a few older ones. */
const WEBHOOKS_MAX = 4;

type WebhookDependencies = Pick<GatewayDependencies, 'commerce' | 'secrets' | 'deployment' | 'clock'>;

/** Dependencies of operations on checkout sessions, or why there are none. Each step that they store sends the due webhooks. */
export function checkoutDependencies(
  deps: WebhookDependencies & Pick<GatewayDependencies, 'quotas' | 'randomness' | 'insights'>,
  { defer, network }: Pick<RouteInput<unknown, unknown, unknown>, 'defer' | 'network'>,
): Result<CheckoutDependencies> {
  const { commerce, quotas, deployment, clock, randomness } = deps;
  if (commerce.orders === undefined) return refuse('state_unavailable', 'No database is bound to this deployment.');
  if (quotas === undefined) return refuse('not_configured', 'This deployment has no signing secret, so it counts no quotas.');
  if (commerce.processor !== undefined && 'missing' in commerce.processor) return refuse('not_configured', commerce.processor.missing);
  const store = afterSteps(commerce.orders, ({ session, isNew }) => {
    // The page of a cart has counted those of people.
    if (isNew && session.channel !== 'page') for (const { offerId } of session.lines) deps.insights?.count('cart', offerId);
    // A payment in progress sends them once it is settled.
    if (session.state !== 'charging') defer(sendDueWebhooks(deps));
  });
  return ok({ deployment, store, clock, randomness, quotas, network, processor: commerce.processor });
}

function afterSteps(store: OrderStore, follow: (change: SessionChange) => void): OrderStore {
  return {
    ...store,
    apply: async (change) => {
      const stored = await store.apply(change);
      if (stored.applied) follow(change);
      return stored;
    },
  };
}

/** Sends a few due order webhooks. Operations that may leave one defer this; later requests, the companion or a command send the others. */
export async function sendDueWebhooks({ commerce, secrets, deployment, clock }: WebhookDependencies): Promise<void> {
  const { webhooks: deliveries, orders, writeOrderEvent, sendWebhook } = commerce;
  if (deliveries === undefined || orders === undefined || 'missing' in secrets) return;
  const sending = { deliveries, orders, writeOrderEvent, sendWebhook, secrets, baseUrl: deployment.baseUrl };
  await sendWebhooks(sending, clock.nowMs(), WEBHOOKS_MAX);
}

/** The outcome of an operation on a session, in any protocol; replays are marked. */
export function sessionOutcome(result: Result<SessionResponse>): Result<Outcome> {
  if (!result.ok) return result;
  const { status, body, isReplay, refusal } = result.value;
  return ok({
    kind: 'text',
    status: status === 201 ? 201 : 200,
    contentType: 'application/json',
    body,
    refusal,
    ...(isReplay ? { headers: { 'Idempotent-Replayed': 'true' } } : {}),
  });
}
