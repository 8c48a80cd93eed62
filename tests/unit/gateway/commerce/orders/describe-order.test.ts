import { expect, test } from 'vitest';
import type { Order } from '../../../../../src/gateway/commerce/cart/checkout-ports.ts';
import { describeInvoiceRequest, describeOrder } from '../../../../../src/gateway/commerce/orders/describe-order.ts';
import type { InvoiceRequestRecord } from '../../../../../src/gateway/commerce/orders/order-ports.ts';
import { paidOrder } from '../../../../support/orders.ts';
import { soldOffer } from '../../../../support/sold-offer.ts';

const NOW = Date.UTC(2027, 0, 1);
const OFFERS = [
  soldOffer({ id: 'review', demo: false, delivers: [{ kind: 'text', name: 'notes', title: 'Notes', text: 'Sold.' }] }),
  soldOffer({ id: 'digest', demo: true }),
];
const shop = { baseUrl: 'https://signpost.example', contactEmail: 'desk@signpost.example', offers: OFFERS };
const lineOf = (offerId: string, demo: boolean): Order['lines'][number] => ({
  ...{ id: `li_${offerId}`, offerId, name: `The ${offerId}`, cadence: 'one_time', unitMinor: 1_200, quantity: 2, demo },
});
const order = paidOrder({
  ...{ id: 'ord_1', receipt: 'rct_1', totalMinor: 4_800, lines: [lineOf('review', false), lineOf('digest', true)] },
  ...{ buyer: { email: 'ada@buyer.example' }, notifyUrl: 'https://agent.example/', updatedAtMs: NOW + 1_000 },
});
const described = {
  ...{ created_at: '2027-01-01T00:00:00.000Z', updated_at: '2027-01-01T00:00:01.000Z', currency: 'USD', total_minor: 4_800 },
  next: OFFERS.map(({ id, delivery, refund }) => ({ offer_id: id, delivery, refund })),
  contact: { email: shop.contactEmail, url: 'https://signpost.example/contact' },
};
const line = (id: string) => ({ offer_id: id, name: `The ${id}`, unit_minor: 1_200, quantity: 2, total_minor: 2_400 });

test('describes an order with its deliveries, and without its buyer and payment', () => {
  expect(describeOrder(order, shop)).toEqual({
    ...{ kind: 'order', id: 'ord_1', receipt: 'rct_1', state: 'confirmed', url: 'https://signpost.example/orders/rct_1', ...described },
    lines: [line('review'), line('digest')].map((sold) => ({ ...sold, cadence: 'one_time' })),
    adjustments: [],
    refunded_minor: 0,
    deliveries: [expect.objectContaining({ name: 'notes', kind: 'text', url: 'https://signpost.example/orders/rct_1/notes' }) as unknown],
    demo: true,
  });
});

test.each([
  [1, 'partly_refunded', 2],
  [4_800, 'refunded', 0],
])('an order of which %i was refunded is %s', (refundedMinor, state, next) => {
  const expected = { state, refunded_minor: refundedMinor, next: described.next.slice(0, next) };
  expect(describeOrder({ ...order, refundedMinor }, shop)).toMatchObject(expected);
});

test('the lines and adjustments of a demonstration that took nothing are its total', () => {
  expect(describeOrder({ ...order, totalMinor: 0 }, shop)).toMatchObject({
    total_minor: 0,
    adjustments: [{ reason: 'demonstration', amount_minor: -4_800 }],
  });
});

test('an order is a demonstration if one of its lines is', () => {
  expect(describeOrder({ ...order, lines: [lineOf('digest', false)] }, shop).demo).toBe(false);
});

test('describes an invoice request without its sender', () => {
  const request: InvoiceRequestRecord = {
    ...{ receipt: 'inv_1', currency: 'USD', totalMinor: 4_800, name: 'Ada', email: 'ada@buyer.example', state: 'new' },
    items: ['review', 'digest'].map((offerId) => ({ offerId, name: `The ${offerId}`, unitMinor: 1_200, quantity: 2 })),
    ...{ company: undefined, address: undefined, taxId: undefined, note: undefined, createdAtMs: NOW, updatedAtMs: NOW + 1_000 },
  };
  expect(describeInvoiceRequest(request, shop)).toEqual({
    ...{ kind: 'invoice_request', receipt: 'inv_1', state: 'new', url: 'https://signpost.example/orders/inv_1', ...described },
    lines: [line('review'), line('digest')],
    demo: true,
  });
  expect(describeInvoiceRequest({ ...request, items: request.items.slice(0, 1) }, shop).demo).toBe(false);
});
