import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Order } from '../../../../src/gateway/commerce/cart/checkout-ports.ts';
import type { SigningSecret } from '../../../../src/gateway/platform-ports.ts';
import { AcpOrder } from '../../../../src/protocols/acp/acp-schemas.ts';
import { ORDER_EVENT_HEADERS, orderEvent, orderWebhookSecret, signedEventHeaders } from '../../../../src/protocols/acp/order-event.ts';
import { officialAcp } from '../../../support/official-schemas.ts';
import { paidOrder } from '../../../support/orders.ts';

const official = officialAcp();
const BASE_URL = 'https://signpost.example';
const NOW = Date.UTC(2027, 0, 1, 12, 0, 0, 250);

const order = (facts: Partial<Order> = {}): Order =>
  paidOrder({
    sessionId: 'cs_0123456789abcdef0123456789abcdef',
    lines: [{ id: 'li_1', offerId: 'review', name: 'Review', cadence: 'one_time', unitMinor: 24_000, quantity: 2, demo: false }],
    totalMinor: 48_000,
    buyer: { email: 'ada@example.com', full_name: 'Ada', phone_number: '+12025550123' },
    notifyUrl: 'https://agent.example/events',
    createdAtMs: NOW,
    updatedAtMs: NOW,
    ...facts,
  });
const secretOf = async (fill: number): Promise<SigningSecret> => ({
  id: 1,
  key: await crypto.subtle.importKey('raw', new Uint8Array(32).fill(fill), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
});

describe('orderEvent()', () => {
  test.each([
    ['a new order', 'order_create', 'confirmed', 2, {}],
    ['an order of which a part was paid back', 'order_update', 'confirmed', 2, { refundedMinor: 47_999 }],
    ['an order that was paid back', 'order_update', 'canceled', 0, { refundedMinor: 48_000, updatedAtMs: NOW + 5_000 }],
    ['a digital order', 'order_create', 'completed', 2, { lines: order().lines.map((line) => ({ ...line, isDigital: true as const })) }],
    ['a free order', 'order_create', 'confirmed', 2, { totalMinor: 0, lines: order().lines.map((line) => ({ ...line, unitMinor: 0 })) }],
  ] as const)('%s is a whole Order by the official schema, and by ours', (_case, kind, status, current, facts) => {
    const event = JSON.parse(orderEvent(kind, order(facts), BASE_URL)) as { type: string; data: AcpOrder };
    expect(Object.keys(event)).toEqual(['type', 'data']);
    expect(event.type).toBe(kind);
    expect(official('Order', event.data)).toEqual([]);
    expect(AcpOrder.parse(event.data)).toEqual(event.data);
    // What the description of webhooks asks for besides (openapi.agentic_checkout_webhook.yaml, EventDataOrder).
    expect(event.data).toMatchObject({ type: 'order', status, permalink_url: `${BASE_URL}/orders/${order().receipt}` });
    expect(event.data.line_items.map(({ quantity }) => quantity)).toEqual([{ ordered: 2, current }]);
  });

  test('the total stays what was charged, and what was paid back stands beside it', () => {
    const { data } = JSON.parse(orderEvent('order_update', order({ refundedMinor: 4_000 }), BASE_URL)) as { data: AcpOrder };
    expect(data.totals.map(({ type, amount }) => [type, amount])).toEqual([
      ['items_base_amount', 48_000],
      ['subtotal', 48_000],
      ['total', 48_000],
      ['amount_refunded', 4_000],
    ]);
    expect(data.adjustments).toMatchObject([{ type: 'refund', amount: 4_000, currency: 'usd' }]);
  });

  test('tells nothing of the buyer, the payment or the owner', () => {
    const text = orderEvent('order_create', order(), BASE_URL);
    for (const secret of ['ada@example.com', 'Ada', '2025550123', 'pi_1', 'agt_', 'agent.example']) expect(text).not.toContain(secret);
  });

  test('a demonstration says that it is one', () => {
    const lines = order().lines.map((line) => ({ ...line, demo: true }));
    const { data } = JSON.parse(orderEvent('order_create', order({ lines }), BASE_URL)) as { data: AcpOrder };
    expect(data.line_items[0]?.title).toContain('demonstration');
  });

  test('a demonstration that took nothing says why its total is not that of its lines', () => {
    const { data } = JSON.parse(orderEvent('order_create', order({ totalMinor: 0 }), BASE_URL)) as { data: AcpOrder };
    expect(official('Order', data)).toEqual([]);
    expect(data.totals.map(({ type, amount }) => [type, amount])).toEqual([
      ['items_base_amount', 48_000],
      ['subtotal', 48_000],
      ['discount', 48_000],
      ['total', 0],
    ]);
  });
});

describe('signedEventHeaders()', () => {
  test('the signature is the HMAC-SHA256 of time and body that a receiver works out', async () => {
    const body = orderEvent('order_create', order(), BASE_URL);
    const secret = await orderWebhookSecret(order().owner, await secretOf(1));
    const headers = await signedEventHeaders(body, secret, NOW);
    expect(Object.keys(headers)).toEqual([...ORDER_EVENT_HEADERS]);
    const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['Merchant-Signature']) ?? [];
    expect(Number(seconds)).toBe(Math.floor(NOW / 1_000));
    expect(signature).toBe(createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'));
    expect(headers.Timestamp).toBe(new Date(NOW).toISOString());
  });

  test('the same event has the same Request-Id at another time, another event another one', async () => {
    const body = orderEvent('order_create', order(), BASE_URL);
    const first = await signedEventHeaders(body, 'whsec_x', NOW);
    const later = await signedEventHeaders(body, 'whsec_x', NOW + 60_000);
    const other = await signedEventHeaders(orderEvent('order_update', order(), BASE_URL), 'whsec_x', NOW);
    expect(later['Request-Id']).toBe(first['Request-Id']);
    expect(later['Merchant-Signature']).not.toBe(first['Merchant-Signature']);
    expect(other['Request-Id']).not.toBe(first['Request-Id']);
  });
});

test('orderWebhookSecret() differs by agent and by signing secret, and is the same again', async () => {
  const [one, two] = [await secretOf(1), await secretOf(2)];
  const secrets = [
    await orderWebhookSecret('agt_00000000000000aa', one),
    await orderWebhookSecret('agt_00000000000000ab', one),
    await orderWebhookSecret('agt_00000000000000aa', two),
  ];
  expect(new Set(secrets).size).toBe(3);
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  expect(await orderWebhookSecret('agt_00000000000000aa', one)).toBe(secrets[0]);
});
