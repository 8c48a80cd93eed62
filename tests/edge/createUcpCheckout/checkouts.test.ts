import { describe, expect, test } from 'vitest';
import { LIMITS, QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { type FunctionRoute, refusing, SAMPLE_OFFER, UCP_ROUTES } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { checkoutCompleted, signedMessage } from '../../support/stripe-messages.ts';
import { expectUcpError, PROBED_UCP_SESSION, UCP_SCHEMAS, ucpCart, ucpSend } from '../../support/ucp.ts';

const gateway = useInProcessGateway({ blocks: 'none' });
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

const send = (
  { path, init }: FunctionRoute,
  id: string,
  body: unknown = init.body ?? '',
  headers: Record<string, string> = {},
): Promise<Response> =>
  ucpSend(gateway, path.replace('/api/v1/ucp', '').replace(PROBED_UCP_SESSION, id), body, headers, init.method ?? 'GET');
const create = (headers: Record<string, string> = {}): Promise<Response> => ucpSend(gateway, SESSIONS, CART, headers);
const operation = (id: string): FunctionRoute => {
  const route = UCP_ROUTES.find((each) => each.id === id);
  if (route === undefined) throw new Error(`there is no ${id}`);
  return route;
};

const badCart = (id: string): void => {
  test.each([
    [{}, '$.line_items'],
    [{ line_items: [] }, '$.line_items'],
    [{ line_items: [{ item: {}, quantity: 1 }] }, '$.line_items[0].item.id'],
    [{ line_items: [{ item: { id: 'a' }, quantity: 0 }] }, '$.line_items[0].quantity'],
    [{ line_items: [{ item: { id: 'a' } }] }, '$.line_items[0].quantity'],
    [{ line_items: Array.from({ length: LIMITS.cartItemsMax + 1 }, () => ({ item: { id: 'a' }, quantity: 1 })) }, '$.line_items'],
    [{ ...CART, buyer: { email: 1 } }, '$.buyer.email'],
    [{ ...CART, buyer: { email: 'ada' } }, '$.buyer.email'],
    [{ ...CART, buyer: { first_name: 'Ada\u2066' } }, '$.buyer.first_name'],
    [{ ...CART, buyer: { phone_number: '1\u0000' } }, '$.buyer.phone_number'],
  ])('%j', async (body, path) => {
    expect((await expectUcpError(await send(operation(id), 'x', body), 400, 'invalid_request'))[0]?.path).toBe(path);
  });
};
const tooLong = (id: string): void => {
  test('an id that is too long, and a header that is', async () => {
    await expectUcpError(await send(operation(id), 'a'.repeat(LIMITS.shortTextMaxLength + 1)), 400, 'invalid_request');
    await expectUcpError(await send(operation(id), 'x', undefined, { 'Request-Id': 'a'.repeat(256) }), 400, 'invalid_request');
  });
};

describe('createUcpCheckout 201 application/json', () => {
  test('is not refused for what a platform adds to its address', async () => {
    await checkoutIn(await ucpSend(gateway, `${SESSIONS}?currency=EUR&context=app`, CART), 201);
  });

  test('a session with a hosted checkout that names it', async () => {
    const checkout = await open();
    expect(checkout.id).toMatch(/^cs_[0-9a-f]{32}$/);
    expect(checkout).toMatchObject({ status: 'requires_escalation', line_items: [{ item: { id: SAMPLE_OFFER.id } }] });
    expect(checkout.continue_url).toBe(`${TEST_BASE_URL}/checkout/${checkout.id}`);
  });
});

test('createUcpCheckout 200 application/json: what cannot be sold in one session is answered with the page of the cart', async () => {
  const response = await ucpSend(gateway, SESSIONS, ucpCart(SAMPLE_OFFER.id, 2));
  const [message] = await expectUcpError(response, 200, 'quantity_exceeded');
  expect(message?.content).toContain(`${TEST_BASE_URL}/checkout?items=${SAMPLE_OFFER.id}:2`);
  await expectUcpError(await ucpSend(gateway, SESSIONS, ucpCart('no-such-offer')), 200, 'item_unavailable');
});

test('getUcpCheckout 200 application/json: a session as it is, for whoever knows its id', async () => {
  const { id } = await open();
  expect(await checkoutIn(await ucpSend(gateway, `${SESSIONS}/${id}`, undefined, {}, 'GET'))).toMatchObject({
    id,
    status: 'requires_escalation',
  });
  const other = { 'UCP-Agent': 'profile="https://other.example/p"' };
  expect((await ucpSend(gateway, `${SESSIONS}/${id}`, undefined, other, 'GET')).status).toBe(200);
  await expectUcpError(await ucpSend(gateway, `${SESSIONS}/cs_${'1'.repeat(32)}`, undefined, {}, 'GET'), 200, 'not_found');
});

test('updateUcpCheckout 200 application/json: another content, or the same with the reason why not', async () => {
  const { id } = await open();
  const put = (body: object) => ucpSend(gateway, `${SESSIONS}/${id}`, body, {}, 'PUT');
  const buyer = { email: 'test@buyer.example', first_name: 'Test', last_name: 'User' };
  const changed = await checkoutIn(await put({ ...ucpCart('readiness-review'), buyer }));
  expect(changed).toMatchObject({ buyer, line_items: [{ item: { id: 'readiness-review' } }] });
  const refused = await checkoutIn(await put(ucpCart('no-such-offer')));
  expect(refused).toMatchObject({ ucp: { status: 'error' }, line_items: [{ item: { id: 'readiness-review' } }] });
  expect(refused.messages[0]).toMatchObject({ code: 'item_unavailable', severity: 'recoverable' });
});

test('completeUcpCheckout 200 application/json: says that a person pays, and never that it was paid', async () => {
  const { id } = await open();
  const instruments = [{ id: 'i', handler_id: 'h', type: 'card', credential: { type: 'token', token: 'x' } }];
  for (const body of [{ payment: { instruments } }, {}])
    expect(await checkoutIn(await ucpSend(gateway, `${SESSIONS}/${id}/complete`, body))).toMatchObject({
      status: 'requires_escalation',
      messages: [{ code: 'payment_unsupported' }, { code: 'payment_required' }, {}],
    });
});

test('cancelUcpCheckout 200 application/json: gives a session up, with or without a body', async () => {
  for (const body of ['', '{}']) {
    const { id } = await open();
    expect(await checkoutIn(await ucpSend(gateway, `${SESSIONS}/${id}/cancel`, body))).toMatchObject({ id, status: 'canceled' });
  }
});

describe('createUcpCheckout 400 invalid_request', () => badCart('createUcpCheckout'));
describe('getUcpCheckout 400 invalid_request', () => tooLong('getUcpCheckout'));
describe('updateUcpCheckout 400 invalid_request', () => {
  badCart('updateUcpCheckout');
  tooLong('updateUcpCheckout');
});
describe('completeUcpCheckout 400 invalid_request', () => {
  tooLong('completeUcpCheckout');
  test.each(['card', { instruments: {} }])('a payment of %j', async (payment) => {
    await expectUcpError(await send(operation('completeUcpCheckout'), 'x', { payment }), 400, 'invalid_request');
  });
});
describe('cancelUcpCheckout 400 invalid_request', () => tooLong('cancelUcpCheckout'));

describe('createUcpCheckout 429 quota_exceeded', () => {
  test('a network opens the published number of sessions in a day', async () => {
    const from = { 'CF-Connecting-IP': '198.51.100.9' };
    expect((await create(from)).status).toBe(201);
    const database = gateway.state();
    await database.prepare("UPDATE quotas SET count = ?1 WHERE name = 'network_checkouts'").bind(QUOTAS.network_checkouts.requests).run();
    await expectUcpError(await create(from), 429, 'quota_exceeded');
    expect((await create({ 'CF-Connecting-IP': '198.51.101.9' })).status).toBe(201);
  });

  test('beside the rate limit of all operations of UCP from one network', async () => {
    const from = { 'CF-Connecting-IP': '198.51.102.9', [NOW_HEADER]: String(Date.UTC(2031, 0, 1)) };
    for (let left = RATE_LIMITS.buy.requests; left > 0; left -= 1)
      await (await ucpSend(gateway, '/catalog/product', { id: 'x' }, from)).arrayBuffer();
    const [message] = await expectUcpError(await create(from), 429, 'rate_limited');
    expect(message?.content).toContain('"buy"');
  });
});

describe.each(refusing('session_closed', 'updateCheckoutSession', 'completeCheckoutSession', 'cancelCheckoutSession'))(
  '$id session_closed',
  (each) => {
    test('a session that was canceled or paid, or whose time is over', async () => {
      const id = (await open()).id;
      expect((await send(operation('cancelUcpCheckout'), id)).status).toBe(200);
      await expectUcpError(await send(each, id), 409, 'session_closed');
      const paid = (await open()).id;
      await gateway.fetch(PATHS.stripeWebhook, signedMessage(checkoutCompleted(paid, 12_000)));
      await expectUcpError(await send(each, paid), 409, 'session_closed');
      const later = { [NOW_HEADER]: String(Date.now() + LIMITS.sessionHours * 3_600_000 + 60_000) };
      await expectUcpError(await send(each, (await open()).id, undefined, later), 409, 'session_closed');
    });
  },
);

test('a platform whose profile is at an address of this machine is not asked for it', async () => {
  const response = await send(operation('getUcpCheckout'), 'x', undefined, { 'UCP-Agent': 'profile="http://127.0.0.1:1/p"' });
  expect(response.status).toBe(200);
});
