import { describe, expect, test } from 'vitest';
import { LIMITS, QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { NOW_HEADER, useEdgeGateway } from '../../support/edge-gateway.ts';
import { type FunctionRoute, refusing, SAMPLE_OFFER, UCP_ROUTES } from '../../support/function-routes.ts';
import { expectUcpError, PROBED_UCP_SESSION, ucpCart, ucpSend } from '../../support/ucp.ts';

const gateway = useEdgeGateway();
const SESSIONS = '/checkout-sessions';
const CART = ucpCart(SAMPLE_OFFER.id);

/** Sends the request of an operation to a session, with another body where a test names one. */
const send = (
  { path, init }: FunctionRoute,
  id: string,
  body: unknown = init.body ?? '',
  headers: Record<string, string> = {},
): Promise<Response> =>
  ucpSend(gateway, path.replace('/api/v1/ucp', '').replace(PROBED_UCP_SESSION, id), body, headers, init.method ?? 'GET');
const create = (headers: Record<string, string> = {}): Promise<Response> => ucpSend(gateway, SESSIONS, CART, headers);
const open = async (): Promise<string> => ((await (await create()).json()) as { id: string }).id;
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
    const database = await gateway.running().miniflare.getD1Database('STATE');
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
    test('a session that was canceled, or whose time is over', async () => {
      const id = await open();
      expect((await send(operation('cancelUcpCheckout'), id)).status).toBe(200);
      await expectUcpError(await send(each, id), 409, 'session_closed');
      const later = { [NOW_HEADER]: String(Date.now() + LIMITS.sessionHours * 3_600_000 + 60_000) };
      await expectUcpError(await send(each, await open(), undefined, later), 409, 'session_closed');
    });
  },
);

test('a platform whose profile is at an address of this machine is not asked for it', async () => {
  const response = await send(operation('getUcpCheckout'), 'x', undefined, { 'UCP-Agent': 'profile="http://127.0.0.1:1/p"' });
  expect(response.status).toBe(200);
});
