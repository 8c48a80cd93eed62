import { describe, expect, test } from 'vitest';
import { QUOTAS } from '../../../src/schemas/limits.ts';
import { BROWSER, beginCheckout, expectPage, sendForm } from '../../support/carts.ts';
import { builtGenerated, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const { deployment } = await builtGenerated();
const gateway = useSharedGateway({ files: 'built' });
const counted = useInProcessGateway({ blocks: 'none' });
const { id, alias } = SAMPLE_OFFER;

describe('startCheckout 303', () => {
  test('leads a form and JSON to a session of its own', async () => {
    const sessions = new Set([await beginCheckout(gateway), await beginCheckout(gateway, `${alias}:1`)]);
    const response = await gateway.post('/checkout', { items: `${id}:1` });
    expect(response.status).toBe(303);
    sessions.add(response.headers.get('location') ?? '');
    expect(sessions.size).toBe(3);
  });

  test('takes the quantities of the cart as its fields have them', async () => {
    const send = (fields: Record<string, string>) => sendForm(gateway, '/checkout?utm_source=x', { ...fields, utm_source: 'x' });
    const one = await send({ [`quantity.${id}`]: '1', 'quantity.office-hours': '0' });
    expect([one.status, one.headers.get('location')]).toEqual([303, expect.stringMatching(/\/checkout\/cs_[0-9a-f]{32}\?utm_source=x$/)]);
    expect(await expectPage(await send({ [`quantity.${id}`]: '5' }), 422)).toContain(`/checkout?items=${id}:5`);
    expect(await expectPage(await send({ [`quantity.${id}`]: '-1' }), 400)).toContain('“-1” is not a whole number');
  });
});

describe('startCheckout 400 invalid_request', () => {
  test.each([
    {},
    { items: '' },
    { items: `${id}:0` },
    { items: `${id}:1`, price: '1' },
    { items: 7 },
    { session: 'cs_1' },
    { items: 'a'.repeat(1_501) },
  ])('%j', async (body) => {
    await expectProblem(await gateway.post('/checkout', body), 'invalid_request');
  });
  test('a browser gets a page', async () => {
    expect(await expectPage(await sendForm(gateway, '/checkout', { items: '<script>:1' }), 400)).not.toContain('<script>:');
  });
});

test('startCheckout 404 offer_not_found: for software and for people', async () => {
  await expectProblem(await gateway.post('/checkout', { items: 'nothing:1' }), 'offer_not_found');
  expect(await expectPage(await sendForm(gateway, '/checkout', { items: 'nothing:1' }), 404)).toContain('called “nothing”');
});

test('startCheckout 422 cart_refused: what no hosted link charges leads back to its page', async () => {
  const { detail } = await expectProblem(await gateway.post('/checkout', { items: `${id}:2` }), 'cart_refused');
  expect(detail).toContain(`${deployment.baseUrl}/checkout?items=${id}:2`);
  await expectPage(await sendForm(gateway, '/checkout', { items: `${id}:2` }), 422);
});

test('startCheckout 429 quota_exceeded: a network opens only so many sessions in a day', async () => {
  const send = (): Promise<Response> => sendForm(counted, '/checkout', { items: `${id}:1` }, { 'CF-Connecting-IP': '203.0.113.9' });
  expect((await send()).status).toBe(303);
  const { requests } = QUOTAS.network_checkouts;
  await counted.state().prepare("UPDATE quotas SET count = ?1 WHERE name = 'network_checkouts'").bind(requests).run();
  await expectProblem(await send(), 'quota_exceeded');
});

test('a browser gets a page for a fault of the service as well', async () => {
  const served = await sendForm(gateway, '/checkout', { items: 'x' }, { ...BROWSER, 'X-Request-Id': 'abc' });
  expect(served.headers.get('x-request-id')).toBe('abc');
});
