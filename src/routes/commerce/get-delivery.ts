import * as z from 'zod';
import { offersOfOrders } from '../../gateway/commerce/catalog/unsold-offers.ts';
import { deliver } from '../../gateway/commerce/orders/deliver.ts';
import { ok, outage, refuse } from '../../gateway/result.ts';
import { defineRoute, jsonResponse } from '../../http/define-route.ts';
import { Registration } from '../../schemas/agents/registration.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { deliveryPath } from '../../schemas/paths.ts';

const DeliveryParameters = z.object({
  receipt: z.string().max(LIMITS.idMaxLength).describe('Receipt of the order. Anyone who has it can download the deliveries.'),
  delivery: z.string().min(1).max(LIMITS.idMaxLength).describe('Name of the delivery, as listed in the order.'),
});

/** Keeps deliveries out of search indexes and their addresses out of Referer headers. */
const PRIVATE = { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' } as const;

export const getDeliveryRoute = defineRoute({
  id: 'getDelivery',
  feature: 'shop',
  method: 'GET',
  path: deliveryPath('{receipt}', '{delivery}'),
  summary: 'Download a delivery',
  description:
    'What the offers of the order deliver, such as a file, a text or a key with a raised limit. It stays available until the full price of the order is refunded; a key, until it is replaced, revoked or expired. Browsers get a page for errors.',
  capability: 'commerce',
  access: 'open',
  pathParameters: DeliveryParameters,
  responses: [
    { status: 200, description: 'A file.', content: { type: 'application/octet-stream', schema: z.string() } },
    { status: 200, description: 'A text.', content: { type: 'text/plain', schema: z.string() } },
    { status: 200, description: 'The text of a capsule.', content: { type: 'text/markdown', schema: z.string() } },
    jsonResponse('A key.', Registration),
  ],
  needs: ['orders', 'secrets'],
  errors: ['order_not_found', 'delivery_withdrawn', 'capsule_not_found', 'index_unavailable'],
  rateLimit: 'buy',
  refusalPage: (refusal) => ({ page: 'error', props: { subject: 'delivery', refusal }, visibility: 'secret' }),
  handle: async ({ path }, { agents, clock, commerce, corpus, deployment, features, secrets }) => {
    const order = await commerce.orders.orderByReceipt(path.receipt).catch(() => 'unknown' as const);
    if (order === 'unknown') return outage('state_unavailable', 'The database did not respond.');
    if (order === undefined) return refuse('order_not_found', 'No order has this receipt.');
    const { baseUrl, keyPrefix } = deployment;
    const offers = offersOfOrders(deployment);
    const mint = { baseUrl, keyPrefix, secrets, features };
    const delivered = await deliver(order, path.delivery, { agents, clock, offers, corpus, mint });
    if (!delivered.ok) return delivered;
    const { value } = delivered;
    switch (value.kind) {
      case 'key':
        return ok({ kind: 'json', status: 200, value: value.registration, headers: PRIVATE });
      case 'text':
        return ok({ kind: 'text', contentType: value.contentType, body: value.text, headers: PRIVATE });
      case 'bytes':
        return ok({
          kind: 'bytes',
          contentType: value.contentType,
          body: value.bytes,
          headers: { ...PRIVATE, 'Content-Disposition': `attachment; filename="${value.fileName}"` },
        });
    }
  },
});
