import { announcedDelivery } from '../../../schemas/commerce/offers.ts';
import type { InvoiceRequest, OrderResponse } from '../../../schemas/commerce/orders.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { deliveryPath, orderPath, PATHS } from '../../../schemas/paths.ts';
import { deliveredPass } from '../cart/access-passes.ts';
import type { Order, Pass } from '../cart/checkout-ports.ts';
import { demoDiscount } from '../cart/price-cart.ts';
import { allOffers, offersOfOrders } from '../catalog/find-offer.ts';
import { deliveriesOf } from './order-deliveries.ts';
import type { InvoicedItem, InvoiceRequestRecord } from './order-ports.ts';
import { refundStateOf } from './order-transitions.ts';

type Shop = Pick<Deployment, 'baseUrl' | 'contactEmail' | 'offers' | 'quoteOnlyOffers' | 'discontinuedOffers'>;

const REFUND_STATES = { none: 'confirmed', part: 'partly_refunded', all: 'refunded' } as const;

/** An order as shown to the holder of its receipt, without buyer data. */
export function describeOrder(order: Order, shop: Shop, isKeyActive = true, passes: readonly Pass[] = []): OrderResponse {
  const refunds = refundStateOf(order);
  const discount = demoDiscount(order);
  const deliveries = deliveriesOf(order, offersOfOrders(shop), isKeyActive).map(({ delivery }) => announcedDelivery(delivery));
  return {
    kind: 'order',
    id: order.id,
    receipt: order.receipt,
    state: REFUND_STATES[refunds],
    ...described(order, refunds === 'all' ? [] : order.lines, shop),
    lines: order.lines.map((line) => ({ ...lineOf(line), cadence: line.cadence })),
    adjustments: discount > 0 ? [{ reason: 'demonstration', amount_minor: -discount }] : [],
    refunded_minor: order.refundedMinor,
    deliveries: [...deliveries, ...passes.flatMap((pass) => deliveredPass(pass) ?? [])].map((delivery) => ({
      ...delivery,
      url: shop.baseUrl + deliveryPath(order.receipt, delivery.name),
    })),
    demo: order.lines.some(({ demo }) => demo),
  };
}

/** An invoice request as shown to the holder of its receipt, without data of its sender. */
export function describeInvoiceRequest(request: InvoiceRequestRecord, shop: Shop): InvoiceRequest {
  return {
    kind: 'invoice_request',
    receipt: request.receipt,
    state: request.state,
    ...described(request, request.items, shop),
    lines: request.items.map(({ unitMinor, ...item }) =>
      unitMinor === undefined ? { offer_id: item.offerId, name: item.name, quantity: item.quantity } : lineOf({ ...item, unitMinor }),
    ),
    demo: request.items.some(({ offerId }) => allOffers(shop).some(({ id, demo }) => id === offerId && demo)),
  };
}

/** @param toCome Lines that are still to be delivered. */
function described(
  record: Pick<Order, 'receipt' | 'createdAtMs' | 'updatedAtMs' | 'currency' | 'totalMinor'>,
  toCome: readonly { readonly offerId: string }[],
  shop: Shop,
) {
  const bought = [...new Set(toCome.map(({ offerId }) => offerId))].flatMap((id) => allOffers(shop).filter((offer) => offer.id === id));
  return {
    url: shop.baseUrl + orderPath(record.receipt),
    created_at: new Date(record.createdAtMs).toISOString(),
    updated_at: new Date(record.updatedAtMs).toISOString(),
    currency: record.currency,
    total_minor: record.totalMinor,
    next: bought.flatMap(({ id, delivery, refund }) =>
      delivery === undefined && refund === undefined
        ? []
        : [{ offer_id: id, ...(delivery === undefined ? {} : { delivery }), ...(refund === undefined ? {} : { refund }) }],
    ),
    contact: { email: shop.contactEmail, url: shop.baseUrl + PATHS.contact },
  };
}

function lineOf({ offerId, name, unitMinor, quantity }: InvoicedItem & { readonly unitMinor: number }) {
  return { offer_id: offerId, name, unit_minor: unitMinor, quantity, total_minor: unitMinor * quantity };
}
