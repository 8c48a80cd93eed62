import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChargeOutcome, PaymentProcessor } from '../../../src/gateway/commerce/cart/checkout-ports.ts';
import { handlePaymentEvent } from '../../../src/gateway/commerce/orders/handle-payment-event.ts';
import { d1Orders } from '../../../src/platform/d1/order-store.ts';
import { AcpCheckoutSession } from '../../../src/protocols/acp/acp-schemas.ts';
import { ACP_MARKET, ACP_SESSIONS, type AcpSender, acpErrorOf, acpHeaders, acpSessionPath } from '../../support/acp.ts';
import { type AcpShop, openAcpShop } from '../../support/acp-shop.ts';
import { useBudgets } from '../../support/budget-rows.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { officialAcp } from '../../support/official-schemas.ts';
import { paidEvent } from '../../support/orders.ts';

type Charge = Parameters<PaymentProcessor['charge']>[0];
const official = officialAcp();
const gateway = useSharedGateway();
let charge: (request: Charge) => Promise<ChargeOutcome>;
let charges: Charge[];
const paid = async ({ metadata, amountMinor }: Charge): Promise<ChargeOutcome> => ({
  kind: 'paid',
  paymentReference: `pi_${metadata['checkout_session_id']}`,
  amountMinor,
  currency: 'usd',
});
const processor: PaymentProcessor = {
  takesRealMoney: false,
  charge: async (request) => {
    charges.push(request);
    return charge(request);
  },
  openCheckout: async () => 'https://checkout.example/r',
};
const shop: AcpShop = await openAcpShop(processor);
const links: AcpShop = await openAcpShop();
const withoutAccount: AcpShop = await openAcpShop(processor, { merchantId: undefined });
beforeEach(() => {
  charge = paid;
  charges = [];
});
afterAll(() => {
  shop.database.close();
  links.database.close();
  withoutAccount.database.close();
});

const PAYMENT = {
  payment_data: { handler_id: 'card_tokenized', instrument: { type: 'card', credential: { type: 'spt', token: 'spt_of_this_test' } } },
};
const open = async (body: object = { line_items: [{ id: 'review' }] }, at = shop, sender: AcpSender = {}): Promise<string> =>
  AcpCheckoutSession.parse(await (await at.send(ACP_SESSIONS, await acpHeaders(sender), { ...ACP_MARKET, ...body })).json()).id;
const complete = async (id: string, body: unknown = PAYMENT, sender: AcpSender = {}, at = shop): Promise<Response> =>
  at.send(acpSessionPath(id, 'complete'), await acpHeaders(sender), body);
const completed = async (response: Response): Promise<AcpCheckoutSession> => {
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  const session = AcpCheckoutSession.parse(JSON.parse(text));
  expect(official('CheckoutSessionWithOrder', session)).toEqual([]);
  return session;
};
const statusOf = async (id: string, at = shop): Promise<string> =>
  AcpCheckoutSession.parse(await (await at.send(acpSessionPath(id), await acpHeaders())).json()).status;
const ordersOf = (id: string): Record<string, unknown>[] => shop.database.look('SELECT id FROM orders WHERE session_id = ?1', id);

describe('completeCheckoutSession 200 application/json', () => {
  test('a token pays exactly the total, once, and the answer has the order', async () => {
    const id = await open({ line_items: [{ id: 'review', quantity: 2 }] });
    const body = {
      ...PAYMENT,
      buyer: { email: 'ada@example.com', first_name: 'Ada' },
      risk_signals: { user_agent: 'x' },
      order_notes: 'n',
    };
    expect(official('CheckoutSessionCompleteRequest', body)).toEqual([]);
    const session = await completed(await complete(id, body, { idempotencyKey: 'pay' }));
    expect(session).toMatchObject({ id, status: 'completed', buyer: { email: 'ada@example.com', first_name: 'Ada' } });
    expect(session.order?.totals.at(-1)).toMatchObject({ type: 'total', amount: 48_000 });
    expect(charges).toEqual([
      {
        metadata: { checkout_session_id: id, attempt: expect.stringContaining(id) as unknown },
        token: 'spt_of_this_test',
        amountMinor: 48_000,
        currency: 'USD',
        idempotencyKey: expect.stringContaining(id) as unknown,
      },
    ]);
    const again = await complete(id, body, { idempotencyKey: 'pay' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await completed(again)).toEqual(session);
    expect([charges.length, ordersOf(id).length]).toEqual([1, 1]);
  });

  test('the token is kept nowhere', async () => {
    await completed(await complete(await open()));
    for (const table of ['checkout_sessions', 'orders', 'order_log', 'idempotency'])
      expect(JSON.stringify(shop.database.look(`SELECT * FROM ${table}`))).not.toContain('spt_of_this_test');
  });
});

test.each([
  ['no payment', {}, '$.payment_data'],
  ['a payment that is none', { payment_data: 'x' }, '$.payment_data'],
  ['no handler', { payment_data: { instrument: PAYMENT.payment_data.instrument } }, '$.payment_data'],
  [
    'no credential',
    { payment_data: { handler_id: 'card_tokenized', instrument: { type: 'card' } } },
    '$.payment_data.instrument.credential',
  ],
  ['the form of before', { payment_data: { token: 'spt_123', provider: 'stripe' } }, '$.payment_data'],
  ['a buyer without an address', { ...PAYMENT, buyer: {} }, '$.buyer.email'],
])('completeCheckoutSession 400 invalid_request: %s', async (_case, body, param) => {
  expect(await acpErrorOf(await complete(await open(), body))).toMatchObject({ status: 400, code: 'invalid_request', param });
});

describe('completeCheckoutSession 400 payment_unsupported', () => {
  test.each([
    ['another handler', { payment_data: { ...PAYMENT.payment_data, handler_id: 'other' } }],
    [
      'another credential',
      { payment_data: { ...PAYMENT.payment_data, instrument: { type: 'card', credential: { type: 'card', token: '4242424242424242' } } } },
    ],
    ['a purchase order', { payment_data: { purchase_order_number: '7', payment_terms: 'net_30' } }],
  ])('%s charges nothing', async (_case, body) => {
    const id = await open();
    const error = await acpErrorOf(await complete(id, body));
    expect(error).toMatchObject({ status: 400, type: 'invalid_request', code: 'unsupported' });
    expect(JSON.stringify(error)).not.toContain('4242');
    expect([charges.length, await statusOf(id)]).toEqual([0, 'ready_for_payment']);
  });

  test('what is paid every month, and every session where hosted links alone are paid or no account for tokens is named', async () => {
    const monthly = await open({ line_items: [{ id: 'digest' }] });
    expect(await acpErrorOf(await complete(monthly))).toMatchObject({ status: 400, code: 'unsupported' });
    const linked = await open(undefined, links);
    expect(await acpErrorOf(await complete(linked, PAYMENT, {}, links))).toMatchObject({ status: 400, code: 'unsupported' });
    expect(await statusOf(linked, links)).toBe('requires_escalation');
    const unnamed = await open(undefined, withoutAccount);
    expect(await acpErrorOf(await complete(unnamed, PAYMENT, {}, withoutAccount))).toMatchObject({ status: 400, code: 'unsupported' });
    expect(charges).toEqual([]);
    const response = await gateway.post(ACP_SESSIONS, { ...ACP_MARKET, line_items: [{ id: SAMPLE_OFFER.id }] }, await acpHeaders());
    const { id } = AcpCheckoutSession.parse(await response.json());
    expect(await acpErrorOf(await gateway.post(acpSessionPath(id, 'complete'), PAYMENT, await acpHeaders()))).toMatchObject({
      code: 'unsupported',
    });
  });
});

test('completeCheckoutSession 402 payment_declined: leaves the session open, for another token or for its buyer', async () => {
  const id = await open();
  charge = async () => ({ kind: 'declined', reason: 'insufficient_funds' });
  const declined = await acpErrorOf(await complete(id, PAYMENT, { idempotencyKey: 'declined' }));
  expect(declined).toMatchObject({ status: 402, type: 'processing_error', code: 'payment_declined' });
  expect([await statusOf(id), ordersOf(id).length]).toEqual(['ready_for_payment', 0]);
  charge = paid;
  expect((await completed(await complete(id))).status).toBe('completed');
});

test('completeCheckoutSession 409 session_closed: canceled, completed by the processor, or over', async () => {
  const [canceled, bought, late] = [await open(), await open(), await open()];
  await shop.send(acpSessionPath(canceled, 'cancel'), await acpHeaders(), {});
  const store = d1Orders(shop.database.binding(), { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) });
  const deps = {
    store,
    agents: undefined,
    clock: { nowMs: () => Date.now() },
    randomness: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
  };
  expect(await handlePaymentEvent(paidEvent(bought, 24_000), deps)).toMatchObject({ value: 'applied' });
  shop.database.look('UPDATE checkout_sessions SET expires_at_ms = 1 WHERE id = ?1', late);
  for (const id of [canceled, bought, late])
    expect(await acpErrorOf(await complete(id))).toMatchObject({ status: 409, type: 'invalid_request', code: 'session_closed' });
  expect(charges).toEqual([]);
});

test('completeCheckoutSession 409 request_in_flight: a payment that is not settled yet is told to come back, and completed by the message of the processor', async () => {
  const id = await open();
  charge = async () => ({ kind: 'pending', paymentReference: `pi_${id}` });
  const response = await complete(id, PAYMENT, { idempotencyKey: 'slow' });
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await acpErrorOf(response)).toMatchObject({ status: 409, type: 'invalid_request', code: 'idempotency_in_flight' });
  expect(await statusOf(id)).toBe('complete_in_progress');
  expect(await acpErrorOf(await complete(id))).toMatchObject({ code: 'idempotency_in_flight' });
  expect(charges).toHaveLength(1);
});

test('completeCheckoutSession 503 processor_unavailable: the same request finds out later what the processor did, and asks for the same charge', async () => {
  const id = await open();
  charge = async () => Promise.reject(new Error('lost'));
  const response = await complete(id, PAYMENT, { idempotencyKey: 'lost' });
  expect(response.headers.get('retry-after')).toBe('60');
  expect(await acpErrorOf(response)).toMatchObject({ status: 503, type: 'service_unavailable', code: 'processor_unavailable' });
  await shop.time.advance(61_000);
  charge = paid;
  // Others use up the budget meanwhile: what began before is no further attempt.
  const nowMs = shop.time.nowMs;
  await useBudgets(shop.database.binding(), ({ requests }) => requests, { nowMs });
  await completed(await complete(id, PAYMENT, { idempotencyKey: 'lost' }));
  await useBudgets(shop.database.binding(), () => 0, { nowMs });
  expect(new Set(charges.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(ordersOf(id)).toHaveLength(1);
});
