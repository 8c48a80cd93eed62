import { afterAll, describe, expect, test } from 'vitest';
import { acpHeaders, acpSessionPath, openAcpSession } from '../../support/acp.ts';
import { serveBuiltFiles } from '../../support/built-files.ts';
import { BROWSER, beginCheckout, expectPage, pay, sendForm } from '../../support/carts.ts';
import { builtGenerated, useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { NO_SESSION, SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { soldOffer } from '../../support/sold-offer.ts';
import { DOUBLE_KEY, startStripeDouble } from '../../support/stripe-double.ts';
import { UCP_AGENT, ucpCart, ucpSend } from '../../support/ucp.ts';

const { deployment } = await builtGenerated();
const CHARGED = { deployment: { ...deployment, commerce: { ...deployment.commerce, processor: 'stripe' as const } } };
const double = await startStripeDouble();
afterAll(() => double.stop());

const gateway = useSharedGateway({ files: 'built' });
const charging = useEdgeGateway(async () => ({
  files: await serveBuiltFiles(),
  generated: CHARGED,
  stripe: { secretKey: DOUBLE_KEY, apiBase: double.origin },
}));
const shop = useInProcessGateway({
  generated: { deployment: { ...CHARGED.deployment, offers: [soldOffer({ id: 'review', demo: false })] } },
  stripe: { secretKey: DOUBLE_KEY, apiBase: double.origin },
});
/** Nothing listens at port 9 of this machine. */
const cutOff = useInProcessGateway({ generated: CHARGED, stripe: { secretKey: DOUBLE_KEY, apiBase: 'http://127.0.0.1:9' } });
const TWO = `${SAMPLE_OFFER.id}:2`;

describe('openCheckout 303', () => {
  test('leads to the hosted link of one piece, with the id of the session', async () => {
    const session = await beginCheckout(shop, 'review:1');
    const response = await shop.fetch(session);
    expect(response.status).toBe(303);
    const id = session.slice('/checkout/'.length);
    expect(response.headers.get('location')).toBe(`https://checkout.example/demo/review?client_reference_id=${id}`);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('keeps the labels of the campaign that led to the cart, and the reference of the session', async () => {
    const labels = 'utm_source=newsletter&utm_campaign=may';
    const started = await sendForm(shop, `/checkout?client_reference_id=mine&${labels}`, { items: 'review:1' });
    const session = new URL(started.headers.get('location') ?? '');
    const { headers } = await shop.fetch(session.pathname + session.search);
    const id = session.pathname.slice('/checkout/'.length);
    expect(headers.get('location')).toBe(`https://checkout.example/demo/review?client_reference_id=${id}&${labels}`);
    const logged = await shop.state().prepare('SELECT detail FROM order_log WHERE session_id = ?').bind(id).first<string>('detail');
    expect(JSON.parse(logged ?? '')).toMatchObject({ utm_source: 'newsletter', utm_campaign: 'may', client_reference_id: 'mine' });
  });

  test('leads to the one checkout that the processor makes for any other cart', async () => {
    const session = await beginCheckout(charging, TWO);
    const made = double.checkouts.length;
    expect([(await charging.fetch(session, { method: 'HEAD' })).status, double.checkouts.length]).toEqual([200, made]);
    const locations = await Promise.all(Array.from({ length: 4 }, async () => (await charging.fetch(session)).headers.get('location')));
    expect(new Set(locations)).toEqual(new Set([double.checkouts[made]?.url]));
    expect(double.faults).toEqual([]);
    expect(double.intents).toEqual([]);
  });

  test('leads to the checkout that the processor makes for a cart of the tool checkout of MCP', async () => {
    const call = { name: 'checkout', arguments: { items: [{ id: 'review', quantity: 2 }] } };
    const response = await shop.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    const { result } = (await response.json()) as { result: { isError: boolean; content: { text: string }[] } };
    const opened = JSON.parse(result.content[0]?.text ?? '') as { pay_url: string; status: string; total_minor: number };
    expect([result.isError, opened.status, opened.total_minor]).toEqual([false, 'requires_escalation', 16_000]);
    const left = await shop.fetch(opened.pay_url.slice(TEST_BASE_URL.length));
    expect([left.status, left.headers.get('location')]).toEqual([303, double.checkouts.at(-1)?.url]);
  });
});

test.each([
  [{ items: [{ id: 'review' }, { id: 'no-such-offer' }] }, '/items/1'],
  [{ items: [{ id: 'review', quantity: '2' }] }, '/items/0/quantity'],
  [{ nothing: 1 }, '/nothing'],
])('the tool checkout of MCP refuses %j for the argument %s', async (args, pointer) => {
  const params = { name: 'checkout', arguments: args };
  const response = await shop.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const { result } = (await response.json()) as { result: { isError: boolean; content: [{ text: string }] } };
  const { errors } = JSON.parse(result.content[0].text) as { errors: readonly object[] };
  expect(result.isError).toBe(true);
  expect(errors).toContainEqual(expect.objectContaining({ pointer }));
});

describe('openCheckout 200 text/html', () => {
  test('a session that is paid leads to its order', async () => {
    const session = await beginCheckout(gateway);
    await pay(gateway, session);
    const page = await expectPage(await gateway.fetch(session, { headers: BROWSER }), 200);
    expect(page).toMatch(/href="\/orders\/rct_[0-9a-f]{32}"/);
  });

  test('whoever comes back sees that no payment was reported, and is not sent away again', async () => {
    const session = await beginCheckout(gateway);
    const page = await expectPage(await gateway.fetch(`${session}?returned`, { headers: BROWSER }), 200);
    expect(page).toContain('No payment has been reported yet');
    expect(page).toContain(`href="${session}"`);
  });

  test('the test checkout of a demonstration ends the session of an agent with an order, once', async () => {
    const headers = await acpHeaders({ agent: '00000000000000d1' });
    const read = async (path: string, init: RequestInit = {}) =>
      (await gateway.fetch(path, init)).json() as Promise<Record<string, unknown>>;
    const acp = await openAcpSession(gateway, { agent: '00000000000000d1' }, 'catalog-review');
    const { id: ucp } = (await (await ucpSend(gateway, '/checkout-sessions', ucpCart('catalog-review'))).json()) as { id: string };
    const price = 24_000;
    for (const [id, session, discount] of [
      [acp, acpSessionPath(acp), price],
      [ucp, `/api/v1/ucp/checkout-sessions/${ucp}`, -price],
    ] as const) {
      const asAgent = { headers: { ...headers, ...UCP_AGENT } };
      expect(await read(session, asAgent)).toMatchObject({
        status: 'requires_escalation',
        continue_url: `${TEST_BASE_URL}/checkout/${id}`,
      });
      const shown = await gateway.fetch(`/checkout/${id}`, { headers: BROWSER });
      expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
      expect(await expectPage(shown, 200)).toMatch(
        new RegExp(`<input type="hidden" name="session" value="${id}">\\s*<input type="hidden" name="revision" value="1">`),
      );
      const send = (revision: number) => sendForm(gateway, '/checkout', { session: id, revision: `${revision}` });
      // What the buyer saw has changed, or is not known: it is shown.
      for (const other of [await send(2), await sendForm(gateway, '/checkout', { session: id })])
        expect([other.status, other.headers.get('location')]).toEqual([303, `${TEST_BASE_URL}/checkout/${id}`]);
      const ended = await Promise.all([1, 2, 3].map(() => send(1)));
      const again = await send(1);
      const order = again.headers.get('location') ?? '';
      for (const one of ended) expect([one.status, one.headers.get('location')]).toEqual([303, order]);
      expect(order).toMatch(/\/orders\/rct_[0-9a-f]{32}$/);
      const completed = await read(session, asAgent);
      expect([completed['status'], JSON.stringify(completed['order']).includes(order)]).toEqual(['completed', true]);
      const totals = completed['totals'] as { type: string; display_text: string; amount: number }[];
      expect(totals.filter(({ type }) => type !== 'items_base_amount')).toEqual([
        { type: 'subtotal', display_text: 'Subtotal', amount: price },
        { type: 'discount', display_text: 'Demonstration: nothing is charged', amount: discount },
        { type: 'total', display_text: 'Total', amount: 0 },
      ]);
      const path = order.slice(TEST_BASE_URL.length);
      const rest = await read(path, { headers: { Accept: 'application/json' } });
      expect(rest).toMatchObject({ lines: [{ total_minor: price }], total_minor: 0 });
      expect(rest['adjustments']).toEqual([{ reason: 'demonstration', amount_minor: -price }]);
      for (const page of [path, `/checkout/${id}`])
        expect(await expectPage(await gateway.fetch(page, { headers: BROWSER }), 200)).toMatch(
          /Demonstration: nothing is charged\s*<\/th>\s*<td colspan="3">\s*-\$240/,
        );
    }
  });

  test('a session that is canceled is not completed, and its page says so', async () => {
    const id = await openAcpSession(gateway, { agent: '00000000000000d2' });
    await gateway.post(acpSessionPath(id, 'cancel'), {}, await acpHeaders({ agent: '00000000000000d2' }));
    for (const session of [id, NO_SESSION]) {
      const sent = await sendForm(gateway, '/checkout', { session });
      expect([sent.status, sent.headers.get('location')]).toEqual([303, `${TEST_BASE_URL}/checkout/${session}`]);
    }
    expect(await expectPage(await gateway.fetch(`/checkout/${id}`, { headers: BROWSER }), 200)).toContain('canceled');
  });

  test('a HEAD is told that there is a page, and makes nothing', async () => {
    const session = await beginCheckout(gateway);
    const response = await gateway.fetch(session, { method: 'HEAD' });
    expect([response.status, response.headers.get('location')]).toEqual([200, null]);
  });
});

test.each([NO_SESSION, 'cs_', 'blank', `${NO_SESSION}x`, "cs_'--", '%3Cb%3E'])('openCheckout 404 session_not_found: %s', async (id) => {
  await expectProblem(await gateway.fetch(`/checkout/${id}`), 'session_not_found');
  expect(await expectPage(await gateway.fetch(`/checkout/${id}`, { headers: BROWSER }), 404)).toContain('Checkout not found');
});

test('openCheckout 400 invalid_request: what is much too long for a session', async () => {
  await expectProblem(await gateway.fetch(`/checkout/${'a'.repeat(65)}`), 'invalid_request');
});

test('openCheckout 503 processor_unavailable: no checkout can be made, and the session stays open', async () => {
  const session = await beginCheckout(cutOff, TWO);
  for (let turn = 0; turn < 2; turn += 1) await expectProblem(await cutOff.fetch(session), 'processor_unavailable');
  expect((await cutOff.fetch(session, { method: 'HEAD' })).status).toBe(200);
});

describe('openCheckout 503 not_configured', () => {
  const withoutKey = useInProcessGateway(async () => ({ generated: CHARGED, database: cutOff.state() }));

  test('the key of the processor was taken away after the session was opened', async () => {
    await expectProblem(await withoutKey.fetch(await beginCheckout(cutOff, TWO)), 'not_configured');
  });
});
