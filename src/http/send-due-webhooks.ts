import { sendWebhooks } from '../gateway/commerce/orders/send-webhooks.ts';
import type { GatewayDependencies } from './define-route.ts';

/** Webhooks that one request sends after its response: those of the order that it changed, and a few older ones. */
const WEBHOOKS_MAX = 4;

/**
 * Sends a few webhooks of orders that are due; passed to `defer` by every operation that may have left one. What it cannot send is sent by
 * a later request, the companion or the publisher's command.
 */
export async function sendDueWebhooks({ commerce, secrets, deployment, clock }: GatewayDependencies): Promise<void> {
  const { webhooks: deliveries, orders, writeOrderEvent, sendWebhook } = commerce;
  if (deliveries === undefined || orders === undefined || 'missing' in secrets) return;
  const deps = { deliveries, orders, writeOrderEvent, sendWebhook, secrets, baseUrl: deployment.baseUrl };
  await sendWebhooks(deps, clock.nowMs(), WEBHOOKS_MAX);
}
