import { describe, expect, test } from 'vitest';
import { OrderResponse } from '../../../src/schemas/commerce/orders.ts';
import { BROWSER, expectPage, giveBack, makeOrder, SAMPLE_PRICE } from '../../support/carts.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { NO_RECEIPT, SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const gateway = useSharedGateway({ files: 'built' });
const unbound = useInProcessGateway({ state: 'unbound' });
const empty = useInProcessGateway({ state: 'empty' });
const JSON_ONLY = { headers: { Accept: 'application/json' } };

describe('getOrder 200 application/json', () => {
  test('tells what was bought, what comes next, and nothing of the buyer', async () => {
    const { order } = await makeOrder(gateway);
    const response = await gateway.fetch(order, JSON_ONLY);
    const text = await response.text();
    expect(OrderResponse.parse(JSON.parse(text))).toMatchObject({
      kind: 'order',
      state: 'confirmed',
      url: TEST_BASE_URL + order,
      total_minor: SAMPLE_PRICE,
      refunded_minor: 0,
      lines: [{ offer_id: SAMPLE_OFFER.id, quantity: 1, unit_minor: SAMPLE_PRICE, cadence: 'one_time' }],
      next: [{ offer_id: SAMPLE_OFFER.id }],
      demo: true,
    });
    expect(text).not.toContain('buyer@agents.example');
    expect(text).not.toMatch(/pi_of|cs_/);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('x-robots-tag')).toBe('noindex');
    expect(response.headers.get('vary')).toBe('Accept');
  });

  test('says what was given back', async () => {
    const { session, order } = await makeOrder(gateway);
    await giveBack(gateway, session, 2_000);
    expect(await (await gateway.fetch(order, JSON_ONLY)).json()).toMatchObject({ state: 'partly_refunded', refunded_minor: 2_000 });
    await giveBack(gateway, session, SAMPLE_PRICE);
    expect(await (await gateway.fetch(order, JSON_ONLY)).json()).toMatchObject({ state: 'refunded', deliveries: [], next: [] });
    const page = await expectPage(await gateway.fetch(order, { headers: BROWSER }), 200);
    expect(page).toContain('no money moves in a demonstration');
    expect(page).not.toContain('goes back');
  });
});

test('getOrder 200 text/html: is a page of the site that says that this is a demonstration, and what comes next', async () => {
  const { order } = await makeOrder(gateway);
  const response = await gateway.fetch(order, { headers: BROWSER });
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  const page = await expectPage(response, 200);
  for (const words of ['Your order', 'This is a demonstration', '$120', 'What happens next', 'ord_', order, `/buy/${SAMPLE_OFFER.id}`])
    expect(page).toContain(words);
  expect(page).toContain('No work is done for a demonstration. What is delivered at once is there already.');
  expect(page).toContain('<meta name="robots" content="noindex">');
  expect(page).not.toContain('buyer@agents.example');
  expect(await expectPage(await gateway.fetch(order), 200)).not.toMatch(/og:url|rel="canonical"/);
});

describe('getOrder 404 order_not_found', () => {
  const NONE = [
    NO_RECEIPT,
    `inv_${'0'.repeat(32)}`,
    'blank',
    'rct_',
    NO_RECEIPT.toUpperCase(),
    `${NO_RECEIPT}0`,
    "rct_' OR 1=1--",
    '%00',
    '%3Cscript%3E',
  ];
  test.each(NONE)('%s is refused, for software and for people', async (receipt) => {
    await expectProblem(await gateway.fetch(`/orders/${receipt}`, JSON_ONLY), 'order_not_found');
    const page = await expectPage(await gateway.fetch(`/orders/${receipt}`, { headers: BROWSER }), 404);
    expect(page).toContain('Order not found');
    expect(page).not.toContain('script>alert');
  });
});

test('getOrder 400 invalid_request: what is much too long for a receipt', async () => {
  await expectProblem(await gateway.fetch(`/orders/${'a'.repeat(65)}`), 'invalid_request');
  await expectPage(await gateway.fetch(`/orders/${'a'.repeat(65)}`, { headers: BROWSER }), 400);
});

test('getOrder 503 state_unavailable: a request for an invoice cannot be looked for', async () => {
  for (const service of [unbound, empty]) await expectProblem(await service.fetch(`/orders/inv_${'0'.repeat(32)}`), 'state_unavailable');
});
