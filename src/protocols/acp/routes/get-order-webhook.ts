import { ORDER_EVENT_HEADERS, orderWebhookSecret } from '../order-event.ts';
import { ok, refuse } from '../../../gateway/result.ts';
import { AcpOrderWebhook } from '../schemas/checkout-session.ts';
import { PATHS } from '../../../schemas/paths.ts';
import { defineRoute } from '../../../http/define-route.ts';
import { ACP_SITE_BINDING } from '../http-binding.ts';
import { ACP_OPERATION, ownerOf } from './operation.ts';

export const getOrderWebhookRoute = defineRoute({
  ...ACP_OPERATION,
  id: 'getOrderWebhook',
  method: 'GET',
  path: `${PATHS.acp}/order_webhook`,
  summary: 'Read how events of orders are sent',
  description:
    'Where an agent names the address that gets events of its orders (order_create, order_update), on which hosts it may be, and the secret with which events for this agent are signed. The protocol leaves this to agreement between the two sides, so this operation is of this site and not of the protocol.',
  protocol: ACP_SITE_BINDING,
  responses: [{ status: 200, description: 'What an agent needs to know.', content: { type: 'application/json', schema: AcpOrderWebhook } }],
  errors: [],
  handle: async (input, { secrets, deployment }) => {
    if ('missing' in secrets) return refuse('not_configured', secrets.missing);
    const value: AcpOrderWebhook = {
      object: 'order_webhook',
      request_member: 'metadata.order_webhook_url',
      allowed_hosts: [...deployment.commerce.webhookHosts],
      signature_header: 'Merchant-Signature',
      headers: [...ORDER_EVENT_HEADERS],
      signing_secret: await orderWebhookSecret(ownerOf(input), secrets[0]),
    };
    return ok({ kind: 'json', status: 200, value });
  },
});
