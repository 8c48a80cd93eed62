import { sendWebhooks } from '../gateway/commerce/orders/send-webhooks.ts';
import type { GatewayDependencies } from './define-route.ts';

/** Notices that one request sends after its answer: those of the order that it changed, and a few older ones. */
const NOTICES_MAX = 4;

/**
 * Sends a few notices of orders that are due; given to `defer` by every operation that may have left one. What it cannot send is sent by
 * a later request, the companion or the publisher's command.
 */
export async function sendDueWebhooks({ commerce, secrets, deployment, clock }: GatewayDependencies): Promise<void> {
  const { notices, orders, sendNotice } = commerce;
  if (notices === undefined || orders === undefined || 'missing' in secrets) return;
  await sendWebhooks({ notices, orders, sendNotice, secrets, baseUrl: deployment.baseUrl }, clock.nowMs(), NOTICES_MAX);
}
