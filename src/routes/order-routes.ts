import * as z from 'zod';
import { openedTexts, passOfOrder } from '../gateway/commerce/cart/access-passes.ts';
import type { Order, Pass } from '../gateway/commerce/cart/checkout-ports.ts';
import { allOffers, hasId, offersOfOrders } from '../gateway/commerce/catalog/find-offer.ts';
import { describeInvoiceRequest, describeOrder } from '../gateway/commerce/orders/describe-order.ts';
import { handlePaymentEvent } from '../gateway/commerce/orders/handle-payment-event.ts';
import { deliver, deliveredTexts, hasActiveKey } from '../gateway/commerce/orders/order-deliveries.ts';
import { ok, type Result, reached, refuse } from '../gateway/result.ts';
import { sendDueWebhooks } from '../http/checkout-dependencies.ts';
import { defineRoute, jsonResponse, pageResponse } from '../http/define-route.ts';
import type { DependenciesWith } from '../http/gateway-dependencies.ts';
import type { PageProps } from '../http/on-demand-page-props.ts';
import { PRIVATE } from '../http/security-headers.ts';
import { Registration } from '../schemas/agents.ts';
import { InvoiceReceipt, OrderReceipt, OrderResponse, ProcessorReceipt } from '../schemas/commerce/orders.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { LIMITS } from '../schemas/limits.ts';
import { deliveryPath, orderPath, PATHS } from '../schemas/paths.ts';

export const SHOP_ROUTE = { feature: 'shop', capability: 'commerce', access: 'open' } as const;

/** Any text is accepted: an invalid receipt gets the same response as an unknown one. */
const GetOrderPath = z.object({ receipt: z.string().max(64).describe('The receipt of an order or of an invoice request.') });

export const getOrderRoute = defineRoute({
  ...SHOP_ROUTE,
  id: 'getOrder',
  path: orderPath('{receipt}'),
  summary: 'Get an order or an invoice request',
  description:
    'Status, items, total, refunds and what happens next. Anyone who has the address can open it; it shows nothing about the buyer. A page by default, JSON with "Accept: application/json"; browsers get a page for errors, too.',
  pathParameters: GetOrderPath,
  responses: [pageResponse(), jsonResponse('The order.', OrderResponse)],
  needs: ['orders'],
  errors: ['order_not_found'],
  refusalPage: (refusal) => ({ page: 'error', props: { subject: 'order', refusal }, visibility: 'secret' }),
  handle: async ({ path, preferredType }, deps) => {
    const found = await findByReceipt(path.receipt, deps);
    if (!found.ok) return found;
    const { shown, order, passes = [] } = found.value;
    if (preferredType === 'application/json')
      return ok({ kind: 'json', status: 200, value: shown, headers: { Vary: 'Accept', ...PRIVATE } });
    const { secrets, deployment, corpus } = deps;
    const texts = order === undefined ? [] : await deliveredTexts(order, offersOfOrders(deployment), corpus);
    const opened = openedTexts(passes, deployment.soldTexts);
    const hasPass = order !== undefined && opened.length > 0 && !('missing' in secrets);
    const pass = hasPass ? { pass: { secret: await passOfOrder(order.id, secrets), opened } } : {};
    const sold = offersOfOrders(deployment);
    const awaitsWork = shown.lines.some(({ offer_id: id }) => sold.some((offer) => hasId(offer, id) && offer.delivers.length === 0));
    const props = { order: shown, demo: demoShareOf(shown, deployment), awaitsWork, texts, ...pass };
    return ok({ kind: 'page', page: 'order', props, visibility: 'secret' });
  },
});

/** How much of an order is a demonstration. The order says whether any is; which lines are, only the current catalog knows. */
function demoShareOf(order: OrderResponse, deployment: Deployment): PageProps['order']['demo'] {
  if (!order.demo) return 'none';
  const known = allOffers(deployment);
  const sold = order.lines.filter(({ offer_id: id }) => known.some((offer) => offer.id === id && !offer.demo));
  return sold.length > 0 && sold.length < order.lines.length ? 'part' : 'all';
}

async function findByReceipt(
  receipt: string,
  deps: DependenciesWith<'orders'>,
): Promise<Result<{ readonly shown: OrderResponse; readonly order?: Order; readonly passes?: readonly Pass[] }>> {
  const { commerce, deployment } = deps;
  const none = refuse('order_not_found', 'There is no order and no invoice request at this address.');
  if (InvoiceReceipt.safeParse(receipt).success) {
    const request = await reached(commerce.invoices.byReceipt(receipt), NO_RESPONSE);
    if (!request.ok) return request;
    return request.value === undefined ? none : ok({ shown: describeInvoiceRequest(request.value, deployment) });
  }
  if (!OrderReceipt.safeParse(receipt).success) return none;
  const order = await reached(commerce.orders.orderByReceipt(receipt), NO_RESPONSE);
  if (!order.ok || order.value === undefined) return order.ok ? none : order;
  const isActive = await hasActiveKey(order.value, offersOfOrders(deployment), deps);
  if (!isActive.ok) return isActive;
  const passes = await passesOf(order.value, deps);
  if (!passes.ok) return passes;
  return ok({ shown: describeOrder(order.value, deployment, isActive.value, passes.value), order: order.value, passes: passes.value });
}

function passesOf({ id }: Order, { commerce, clock }: DependenciesWith<'orders'>): Promise<Result<readonly Pass[]>> {
  return reached(commerce.orders.passes({ orderId: id }, undefined, clock.nowMs()), NO_RESPONSE);
}

const NO_RESPONSE = 'The database did not respond.';

const DeliveryParameters = z.object({
  receipt: z.string().max(LIMITS.idMaxLength).describe('Receipt of the order. Anyone who has it can download the deliveries.'),
  delivery: z.string().min(1).max(LIMITS.idMaxLength).describe('Name of the delivery, as listed in the order.'),
});

export const getDeliveryRoute = defineRoute({
  ...SHOP_ROUTE,
  id: 'getDelivery',
  path: deliveryPath('{receipt}', '{delivery}'),
  summary: 'Download a delivery',
  description:
    'What the offers of the order deliver, such as a file, a text or a key with a raised limit. It stays available until the full price of the order is refunded; a key, until it is replaced, revoked or expired. Browsers get a page for errors.',
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
  handle: async ({ path }, deps) => {
    const order = await reached(deps.commerce.orders.orderByReceipt(path.receipt), NO_RESPONSE);
    if (!order.ok) return order;
    if (order.value === undefined) return refuse('order_not_found', 'No order has this receipt.');
    const passes = await passesOf(order.value, deps);
    if (!passes.ok) return passes;
    const mint = { ...deps.deployment, secrets: deps.secrets, features: deps.features };
    const offers = offersOfOrders(deps.deployment);
    const delivered = await deliver(order.value, path.delivery, { ...deps, offers, mint, passes: passes.value });
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

export const paymentWebhookRoute = defineRoute({
  ...SHOP_ROUTE,
  id: 'takeProcessorMessage',
  method: 'POST',
  path: PATHS.stripeWebhook,
  summary: 'Payment webhook',
  description:
    'For Stripe only: events about hosted checkouts, payments and refunds, signed with a secret of this deployment. The response is 200 once the effect of an event is stored. An event takes effect once, however often and in whatever order events arrive. After any other response Stripe sends the event again.',
  headers: [
    {
      name: 'Stripe-Signature',
      description: `Timestamp and signatures of the event, at most ${LIMITS.signatureMaxAgeSeconds} seconds from now (docs.stripe.com/webhooks/signature).`,
      minLength: 10,
      maxLength: 2_000,
      example: `t=1798761600,v1=${'0'.repeat(64)}`,
      required: true,
    },
  ],
  acceptsBytes: true,
  bodyLimits: { maxBytes: LIMITS.processorEventMaxBytes, maxStringLength: LIMITS.processorEventMaxBytes },
  responses: [jsonResponse('The event is stored.', ProcessorReceipt)],
  needs: ['paymentWebhook', 'orders'],
  errors: ['signature_invalid', 'invalid_json'],
  handle: async ({ bytes, headers, defer }, deps) => {
    const { commerce, clock } = deps;
    const event = await commerce.readPaymentWebhook(bytes, headers['stripe-signature'] ?? '', clock.nowMs());
    if (!event.ok) return event;
    const handled = await handlePaymentEvent(event.value, { ...deps, store: commerce.orders });
    if (!handled.ok) return handled;
    if (handled.value === 'applied') defer(sendDueWebhooks(deps));
    const value: ProcessorReceipt = { received: true, outcome: handled.value };
    return ok({ kind: 'json', status: 200, value });
  },
});
