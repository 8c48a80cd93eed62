import * as z from 'zod';
import { offersOfOrders } from '../../gateway/commerce/catalog/unsold-offers.ts';
import { hasActiveKey } from '../../gateway/commerce/orders/deliver.ts';
import { describeInvoiceRequest, describeOrder } from '../../gateway/commerce/orders/describe-order.ts';
import { ok, outage, type Result, refuse } from '../../gateway/result.ts';
import { defineRoute, jsonResponse, pageResponse } from '../../http/define-route.ts';
import type { DependenciesWith } from '../../http/gateway-dependencies.ts';
import type { PageProps } from '../../http/on-demand-pages.ts';
import { InvoiceReceipt, OrderReceipt, OrderResponse } from '../../schemas/commerce/orders.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { orderPath } from '../../schemas/paths.ts';

/** Any text is accepted: an invalid receipt gets the same response as an unknown one. */
const GetOrderPath = z.object({ receipt: z.string().max(64).describe('The receipt of an order or of an invoice request.') });

export const getOrderRoute = defineRoute({
  id: 'getOrder',
  feature: 'shop',
  method: 'GET',
  path: orderPath('{receipt}'),
  summary: 'Get an order or an invoice request',
  description:
    'Status, items, total, refunds and what happens next. Anyone who has the address can open it; it shows nothing about the buyer. A page by default, JSON with "Accept: application/json"; browsers get a page for errors, too.',
  capability: 'commerce',
  access: 'open',
  pathParameters: GetOrderPath,
  responses: [pageResponse(), jsonResponse('The order.', OrderResponse)],
  needs: ['orders'],
  errors: ['order_not_found'],
  rateLimit: 'network',
  refusalPage: (refusal) => ({ page: 'error', props: { subject: 'order', refusal }, visibility: 'secret' }),
  handle: async ({ path, preferredType }, deps) => {
    const found = await findByReceipt(path.receipt, deps);
    if (!found.ok) return found;
    if (preferredType !== 'application/json') {
      const props = { order: found.value, demo: demoShareOf(found.value, deps.deployment) };
      return ok({ kind: 'page', page: 'order', props, visibility: 'secret' });
    }
    return ok({
      kind: 'json',
      status: 200,
      value: found.value,
      headers: { Vary: 'Accept', 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' },
    });
  },
});

/** How much of an order is a demonstration. The order says whether any is; which lines are, only the current catalog knows. */
function demoShareOf(
  order: OrderResponse,
  { offers, quoteOnlyOffers = [], discontinuedOffers = [] }: Pick<Deployment, 'offers' | 'quoteOnlyOffers' | 'discontinuedOffers'>,
): PageProps['order']['demo'] {
  if (!order.demo) return 'none';
  const known = [...offers, ...quoteOnlyOffers, ...discontinuedOffers];
  const sold = order.lines.filter(({ offer_id: id }) => known.some((offer) => offer.id === id && !offer.demo));
  return sold.length > 0 && sold.length < order.lines.length ? 'part' : 'all';
}

async function findByReceipt(receipt: string, deps: DependenciesWith<'orders'>): Promise<Result<OrderResponse>> {
  const { commerce, deployment } = deps;
  const none = refuse('order_not_found', 'There is no order and no invoice request at this address.');
  const isOrder = OrderReceipt.safeParse(receipt).success;
  if (!isOrder && !InvoiceReceipt.safeParse(receipt).success) return none;
  const { orders, invoices } = commerce;
  const unknown = outage('state_unavailable', 'The database did not respond.');
  if (isOrder) {
    const order = await orders.orderByReceipt(receipt).catch(() => 'unknown' as const);
    if (order === 'unknown') return unknown;
    if (order === undefined) return none;
    const isActive = await hasActiveKey(order, offersOfOrders(deployment), deps);
    return isActive.ok ? ok(describeOrder(order, deployment, isActive.value)) : isActive;
  }
  const request = await invoices.byReceipt(receipt).catch(() => 'unknown' as const);
  if (request === 'unknown') return unknown;
  return request === undefined ? none : ok(describeInvoiceRequest(request, deployment));
}
