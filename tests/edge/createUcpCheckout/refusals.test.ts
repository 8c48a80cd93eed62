import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS, QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useSharedGateway } from '../../support/shared-gateway.ts';
import { expectUcpError, UCP_AGENT, ucpCart, ucpSend } from '../../support/ucp.ts';
import { type Requests, useEdgeGateway } from '../../support/use-edge-gateway.ts';

const gateway = useEdgeGateway();
const withoutTables = useSharedGateway({ state: 'empty' });
const withoutSecret = useSharedGateway({ signingSecrets: undefined });
const CART = ucpCart(SAMPLE_OFFER.id);

/** An operation on a session, as the tail of its path, its method and a body that it takes. */
interface Operation {
  readonly tail: string;
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly body: object;
}
const CREATE: Operation = { tail: '', method: 'POST', body: CART };
const GET: Operation = { tail: '/ID', method: 'GET', body: {} };
const UPDATE: Operation = { tail: '/ID', method: 'PUT', body: CART };
const COMPLETE: Operation = { tail: '/ID/complete', method: 'POST', body: {} };
const CANCEL: Operation = { tail: '/ID/cancel', method: 'POST', body: {} };

interface Sent {
  readonly id?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly by?: Requests;
}
const send = ({ tail, method, body }: Operation, sent: Sent = {}): Promise<Response> =>
  ucpSend(sent.by ?? gateway, `/checkout-sessions${tail.replace('ID', sent.id ?? 'x')}`, sent.body ?? body, sent.headers, method);
const open = async (): Promise<string> => ((await (await send(CREATE)).json()) as { id: string }).id;

const withoutProfile = (operation: Operation): void => {
  test.each(['', 'profile="..."', 'version="2026-08-25"'])('%j', async (header) => {
    await expectUcpError(await send(operation, { headers: { 'UCP-Agent': header } }), 400, 'invalid_profile_url');
  });
};
const notJson = (operation: Operation): void => {
  test.each(['[]', '{', '{"a":1,"a":2}'])('%s', async (body) => {
    await expectUcpError(await send(operation, { body }), 400, 'invalid_json');
  });
};
const tooLarge = (operation: Operation): void => {
  test('one byte too many', async () => {
    await expectUcpError(await send(operation, { body: 'x'.repeat(LIMITS.bodyMaxBytes + 1) }), 413, 'payload_too_large');
  });
};
const otherType = (operation: Operation): void => {
  test('plain text', async () => {
    await expectUcpError(await send(operation, { headers: { 'Content-Type': 'text/plain' } }), 415, 'unsupported_media_type');
  });
};
const badKey = (operation: Operation): void => {
  test.each(['x', 'a'.repeat(LIMITS.idempotencyKeyMinLength - 1), 'a'.repeat(256), `${'a'.repeat(30)} b`])('%s', async (key) => {
    await expectUcpError(await send(operation, { headers: { 'Idempotency-Key': key } }), 400, 'invalid_idempotency_key');
  });
};
const noSuchId = (operation: Operation): void => {
  test('an id that is too long, and a header that is', async () => {
    await expectUcpError(await send(operation, { id: 'a'.repeat(LIMITS.shortTextMaxLength + 1) }), 400, 'invalid_request');
    await expectUcpError(await send(operation, { headers: { 'Request-Id': 'a'.repeat(256) } }), 400, 'invalid_request');
  });
};
const badCart = (operation: Operation): void => {
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
    expect((await expectUcpError(await send(operation, { body }), 400, 'invalid_request'))[0]?.path).toBe(path);
  });
};
const badMember = (operation: Operation, body: object): void => {
  test(JSON.stringify(body), async () => {
    await expectUcpError(await send(operation, { body }), 400, 'invalid_request');
  });
};
const closed = (operation: Operation): void => {
  test('a session that was canceled, or whose time is over', async () => {
    const id = await open();
    expect((await send(CANCEL, { id })).status).toBe(200);
    await expectUcpError(await send(operation, { id }), 409, 'session_closed');
    const later = { [NOW_HEADER]: String(Date.now() + LIMITS.sessionHours * 3_600_000 + 60_000) };
    await expectUcpError(await send(operation, { id: await open(), headers: later }), 409, 'session_closed');
  });
};
const conflict = (operation: Operation): void => {
  test('the same key with another body', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const id = await open();
    expect((await send(operation, { id, headers })).status).toBeLessThan(300);
    await expectUcpError(await send(operation, { id, headers, body: { ...operation.body, more: 1 } }), 409, 'idempotency_conflict');
  });
};
const inFlight = (operation: Operation): void => {
  test('a request with the same key that is not answered yet', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const id = await open();
    expect((await send(operation, { id, headers })).status).toBeLessThan(300);
    const database = await gateway.running().miniflare.getD1Database('STATE');
    await database.prepare('UPDATE idempotency SET status = 0').run();
    await expectUcpError(await send(operation, { id, headers }), 409, 'request_in_flight');
  });
};
const withoutDatabase = (operation: Operation): void => {
  test('the database does not answer', async () => {
    await expectUcpError(await send(operation, { by: withoutTables }), 503, 'state_unavailable');
  });
};
const notConfigured = (operation: Operation): void => {
  test('the deployment has no secret', async () => {
    await expectUcpError(await send(operation, { by: withoutSecret }), 503, 'not_configured');
  });
};

describe('createUcpCheckout 400 invalid_profile_url', () => withoutProfile(CREATE));
describe('createUcpCheckout 400 invalid_json', () => notJson(CREATE));
describe('createUcpCheckout 400 invalid_request', () => badCart(CREATE));
describe('createUcpCheckout 400 invalid_idempotency_key', () => badKey(CREATE));
describe('createUcpCheckout 409 request_in_flight', () => inFlight(CREATE));
describe('createUcpCheckout 413 payload_too_large', () => tooLarge(CREATE));
describe('createUcpCheckout 415 unsupported_media_type', () => otherType(CREATE));
describe('createUcpCheckout 409 idempotency_conflict', () => conflict(CREATE));
describe('createUcpCheckout 503 state_unavailable', () => withoutDatabase(CREATE));
describe('createUcpCheckout 503 not_configured', () => notConfigured(CREATE));

describe('createUcpCheckout 429 quota_exceeded', () => {
  test('a network opens the published number of sessions in a day', async () => {
    const from = { 'CF-Connecting-IP': '198.51.100.9' };
    expect((await send(CREATE, { headers: from })).status).toBe(201);
    const database = await gateway.running().miniflare.getD1Database('STATE');
    await database.prepare("UPDATE quotas SET count = ?1 WHERE name = 'network_checkouts'").bind(QUOTAS.network_checkouts.requests).run();
    await expectUcpError(await send(CREATE, { headers: from }), 429, 'quota_exceeded');
    expect((await send(CREATE, { headers: { 'CF-Connecting-IP': '198.51.101.9' } })).status).toBe(201);
  });

  test('beside the rate limit of all operations of UCP from one network', async () => {
    const from = { 'CF-Connecting-IP': '198.51.102.9', [NOW_HEADER]: String(Date.UTC(2031, 0, 1)) };
    for (let left = RATE_LIMITS.buy.requests; left > 0; left -= 1)
      await (await ucpSend(gateway, '/catalog/product', { id: 'x' }, from)).arrayBuffer();
    const [message] = await expectUcpError(await send(CREATE, { headers: from }), 429, 'rate_limited');
    expect(message?.content).toContain('"buy"');
  });
});

describe('getUcpCheckout 400 invalid_profile_url', () => withoutProfile(GET));
describe('getUcpCheckout 400 invalid_request', () => noSuchId(GET));
describe('getUcpCheckout 503 state_unavailable', () => withoutDatabase(GET));
describe('getUcpCheckout 503 not_configured', () => notConfigured(GET));

describe('updateUcpCheckout 400 invalid_profile_url', () => withoutProfile(UPDATE));
describe('updateUcpCheckout 400 invalid_json', () => notJson(UPDATE));
describe('updateUcpCheckout 400 invalid_request', () => {
  badCart(UPDATE);
  noSuchId(UPDATE);
});
describe('updateUcpCheckout 400 invalid_idempotency_key', () => badKey(UPDATE));
describe('updateUcpCheckout 409 session_closed', () => closed(UPDATE));
describe('updateUcpCheckout 409 request_in_flight', () => inFlight(UPDATE));
describe('updateUcpCheckout 413 payload_too_large', () => tooLarge(UPDATE));
describe('updateUcpCheckout 415 unsupported_media_type', () => otherType(UPDATE));
describe('updateUcpCheckout 409 idempotency_conflict', () => conflict(UPDATE));
describe('updateUcpCheckout 503 state_unavailable', () => withoutDatabase(UPDATE));
describe('updateUcpCheckout 503 not_configured', () => notConfigured(UPDATE));

describe('completeUcpCheckout 400 invalid_profile_url', () => withoutProfile(COMPLETE));
describe('completeUcpCheckout 400 invalid_json', () => notJson(COMPLETE));
describe('completeUcpCheckout 400 invalid_request', () => {
  badMember(COMPLETE, { payment: 'card' });
  badMember(COMPLETE, { payment: { instruments: {} } });
  noSuchId(COMPLETE);
});
describe('completeUcpCheckout 400 invalid_idempotency_key', () => badKey(COMPLETE));
describe('completeUcpCheckout 409 session_closed', () => closed(COMPLETE));
describe('completeUcpCheckout 409 request_in_flight', () => inFlight(COMPLETE));
describe('completeUcpCheckout 413 payload_too_large', () => tooLarge(COMPLETE));
describe('completeUcpCheckout 415 unsupported_media_type', () => otherType(COMPLETE));
describe('completeUcpCheckout 409 idempotency_conflict', () => conflict(COMPLETE));
describe('completeUcpCheckout 503 state_unavailable', () => withoutDatabase(COMPLETE));
describe('completeUcpCheckout 503 not_configured', () => notConfigured(COMPLETE));

describe('cancelUcpCheckout 400 invalid_profile_url', () => withoutProfile(CANCEL));
describe('cancelUcpCheckout 400 invalid_json', () => notJson(CANCEL));
describe('cancelUcpCheckout 400 invalid_request', () => noSuchId(CANCEL));
describe('cancelUcpCheckout 400 invalid_idempotency_key', () => badKey(CANCEL));
describe('cancelUcpCheckout 409 session_closed', () => closed(CANCEL));
describe('cancelUcpCheckout 409 request_in_flight', () => inFlight(CANCEL));
describe('cancelUcpCheckout 413 payload_too_large', () => tooLarge(CANCEL));
describe('cancelUcpCheckout 415 unsupported_media_type', () => otherType(CANCEL));
describe('cancelUcpCheckout 409 idempotency_conflict', () => conflict(CANCEL));
describe('cancelUcpCheckout 503 state_unavailable', () => withoutDatabase(CANCEL));
describe('cancelUcpCheckout 503 not_configured', () => notConfigured(CANCEL));

test('a platform whose profile is at an address of this machine is not asked for it', async () => {
  const response = await send(GET, { headers: { ...UCP_AGENT, 'UCP-Agent': 'profile="http://127.0.0.1:1/p"' } });
  expect(response.status).toBe(200);
});
