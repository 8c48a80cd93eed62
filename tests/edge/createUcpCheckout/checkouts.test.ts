import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { expectUcpError, UCP_SCHEMAS, ucpCart, ucpSend } from '../../support/ucp.ts';

const gateway = useSharedGateway();
const CART = ucpCart(SAMPLE_OFFER.id);
const SESSIONS = '/checkout-sessions';

interface Checkout {
  readonly id: string;
  readonly status: string;
  readonly continue_url: string;
  readonly line_items: { readonly item: { readonly id: string } }[];
  readonly messages: { readonly code: string }[];
}
const checkoutIn = async (response: Response, status = 200): Promise<Checkout> => {
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text: expect.any(String) as unknown });
  const checkout = JSON.parse(text) as Checkout;
  expect(UCP_SCHEMAS?.faults('shopping/checkout.json', checkout) ?? []).toEqual([]);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return checkout;
};
const open = async (): Promise<Checkout> => checkoutIn(await ucpSend(gateway, SESSIONS, CART), 201);

describe('createUcpCheckout 201 application/json', () => {
  test('a session with a hosted checkout that names it', async () => {
    const checkout = await open();
    expect(checkout.id).toMatch(/^cs_[0-9a-f]{32}$/);
    expect(checkout).toMatchObject({ status: 'requires_escalation', line_items: [{ item: { id: SAMPLE_OFFER.id } }] });
    expect(checkout.continue_url).toBe(`${SAMPLE_OFFER.checkout}?client_reference_id=${checkout.id}`);
  });

  test('one for an idempotency key, which comes back; a repetition says that it is one', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const all = await Promise.all(Array.from({ length: 4 }, () => ucpSend(gateway, SESSIONS, CART, headers)));
    expect(new Set(all.map((response) => response.headers.get('idempotency-key')))).toEqual(new Set([headers['Idempotency-Key']]));
    expect(all.filter((response) => response.headers.get('idempotent-replayed') === 'true')).toHaveLength(3);
    const ids = await Promise.all(all.map(async (response) => (await checkoutIn(response, 201)).id));
    expect(new Set(ids).size).toBe(1);
  });

  test('the prices, totals and states of a request have no effect', async () => {
    const body = {
      line_items: [{ id: 'x', item: { id: SAMPLE_OFFER.id, title: 'Free', price: 0 }, quantity: 1, totals: [] }],
      totals: [{ type: 'total', amount: 0 }],
      status: 'completed',
      currency: 'EUR',
      id: 'mine',
    };
    expect(await checkoutIn(await ucpSend(gateway, SESSIONS, body), 201)).toMatchObject({
      status: 'requires_escalation',
      currency: 'USD',
      totals: [{ amount: 12_000 }, { amount: 12_000 }],
    });
  });
});

describe('createUcpCheckout 200 application/json', () => {
  test('what cannot be sold in one session is answered with the page of the cart', async () => {
    const response = await ucpSend(gateway, SESSIONS, ucpCart(SAMPLE_OFFER.id, 2));
    const [message] = await expectUcpError(response, 200, 'quantity_exceeded');
    expect(message?.content).toContain(`${TEST_BASE_URL}/checkout?items=${SAMPLE_OFFER.id}:2`);
    await expectUcpError(await ucpSend(gateway, SESSIONS, ucpCart('no-such-offer')), 200, 'item_unavailable');
  });
});

describe('getUcpCheckout 200 application/json', () => {
  test('a session as it is, for whoever knows its id', async () => {
    const { id } = await open();
    expect(await checkoutIn(await ucpSend(gateway, `${SESSIONS}/${id}`, undefined, {}, 'GET'))).toMatchObject({
      id,
      status: 'requires_escalation',
    });
    const other = { 'UCP-Agent': 'profile="https://other.example/p"' };
    expect((await ucpSend(gateway, `${SESSIONS}/${id}`, undefined, other, 'GET')).status).toBe(200);
    await expectUcpError(await ucpSend(gateway, `${SESSIONS}/cs_${'1'.repeat(32)}`, undefined, {}, 'GET'), 200, 'not_found');
  });
});

describe('updateUcpCheckout 200 application/json', () => {
  test('another content, or the same with the reason why not', async () => {
    const { id } = await open();
    const put = (body: object) => ucpSend(gateway, `${SESSIONS}/${id}`, body, {}, 'PUT');
    expect(await checkoutIn(await put(ucpCart('readiness-review')))).toMatchObject({ line_items: [{ item: { id: 'readiness-review' } }] });
    const refused = await checkoutIn(await put(ucpCart('no-such-offer')));
    expect(refused).toMatchObject({ ucp: { status: 'error' }, line_items: [{ item: { id: 'readiness-review' } }] });
    expect(refused.messages[0]).toMatchObject({ code: 'item_unavailable', severity: 'recoverable' });
  });
});

describe('completeUcpCheckout 200 application/json', () => {
  test('says that a person pays, and never that it was paid', async () => {
    const { id } = await open();
    const instruments = [{ id: 'i', handler_id: 'h', type: 'card', credential: { type: 'token', token: 'x' } }];
    for (const body of [{ payment: { instruments } }, {}])
      expect(await checkoutIn(await ucpSend(gateway, `${SESSIONS}/${id}/complete`, body))).toMatchObject({
        status: 'requires_escalation',
        messages: [{ code: 'payment_unsupported' }, { code: 'payment_required' }, {}],
      });
  });
});

describe('cancelUcpCheckout 200 application/json', () => {
  test('gives a session up, with or without a body', async () => {
    for (const body of ['', '{}']) {
      const { id } = await open();
      expect(await checkoutIn(await ucpSend(gateway, `${SESSIONS}/${id}/cancel`, body))).toMatchObject({ id, status: 'canceled' });
    }
  });
});
