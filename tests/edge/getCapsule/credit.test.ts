import { beforeAll, describe, expect, test } from 'vitest';
import { showRecord, withdrawDelivery } from '../../../src/administration/orders.ts';
import { passOfOrder } from '../../../src/gateway/commerce/cart/access-passes.ts';
import type { PageProps } from '../../../src/http/on-demand-page-props.ts';
import { systemRuntime } from '../../../src/platform/clock-and-deadlines.ts';
import { findOrder } from '../../../src/platform/d1/order-administration.ts';
import { d1Orders } from '../../../src/platform/d1/order-store.ts';
import type { StoredDelivery } from '../../../src/schemas/commerce/offers.ts';
import { capsuleApiPath, PATHS } from '../../../src/schemas/paths.ts';
import { DAY_MS } from '../../../src/schemas/time.ts';
import { ACP_SESSIONS, acpCart, acpErrorOf, acpHeaders, openAcpSession } from '../../support/acp.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { BROWSER, beginCheckout, giveBack, pay } from '../../support/carts.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { SOLD_CAPSULE, siteThatSells } from '../../support/paid-site.ts';
import { testSecrets } from '../../support/payments.ts';

const { id: ID } = SOLD_CAPSULE;
const PATH = capsuleApiPath(ID);
const COST = 50;
const OFFER_PRICE = 900;
const DAYS = 30;

/** Offers of the sample that deliver credit: for one text, for ten with an end, and for less than one; and one of the text. */
const SOLD: Readonly<Record<string, StoredDelivery>> = {
  'evidence-review': { kind: 'credit', cents: COST },
  'readiness-review': { kind: 'credit', cents: 10 * COST, days: DAYS },
  'catalog-review': { kind: 'credit', cents: COST - 1 },
  'capsule-to-order': { kind: 'capsule', capsule: ID },
};
const shop = useInProcessGateway(() => siteThatSells(SOLD, OFFER_PRICE));
let agents = 0;
async function buyer(...bought: string[]): Promise<{ agent: string; sessions: string[]; key: Record<string, string> }> {
  agents += 1;
  const agent = (0xc4ed17 * 4_096 + agents).toString(16).padStart(16, '0');
  const sessions = [];
  for (const offer of bought) {
    const session = `/checkout/${await openAcpSession(shop, { agent }, offer)}`;
    await pay(shop, session, OFFER_PRICE);
    sessions.push(session);
  }
  return { agent, sessions, key: bearer(await makeKey({ agent, scopes: ['read', 'buy'] })) };
}

const PAYS = { 'Pay-With': 'credit' };
const read = (headers: Record<string, string>, path = PATH): Promise<Response> => shop.fetch(path, { headers });

async function expectSold(response: Response): Promise<unknown> {
  expect([response.status, (await response.text()).includes('finds most leaks')]).toEqual([200, true]);
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  const receipt = response.headers.get('payment-receipt');
  return receipt === null ? undefined : JSON.parse(Buffer.from(receipt, 'base64url').toString());
}

async function expectUnpaid(response: Response): Promise<{ detail: string; error: string; balance: number | undefined; steps: string }> {
  const body = (await response.json()) as Record<string, never>;
  expect([response.status, body['code']]).toEqual([402, 'payment_required']);
  const credit = body['credit'] as { balance_minor: number; currency: string } | undefined;
  if (credit) expect(credit.currency).toBe('USD');
  return {
    detail: body['detail'] ?? '',
    error: body['error'] ?? '',
    balance: credit?.balance_minor,
    steps: JSON.stringify(body['next_actions']),
  };
}

async function creditOf(key: Record<string, string>): Promise<unknown> {
  const details = (await (await shop.fetch(`${PATHS.agentKeys}/self`, { headers: key })).json()) as { passes: { opens: string }[] };
  return details.passes.filter(({ opens }) => opens === 'credit');
}

describe('credit of a key', () => {
  test('is named in the 402, pays the text once, and opens it at every address', async () => {
    const { key, sessions } = await buyer('readiness-review');
    const asked = await expectUnpaid(await read(key));
    expect(asked).toMatchObject({ balance: 10 * COST, error: 'payment_required' });
    expect(asked.detail).toContain('Your credit of 5.00 USD pays it too, with "Pay-With: credit" and your API key.');
    expect(asked.steps).toContain(JSON.stringify('Repeat the request with the header "Pay-With: credit": your credit pays it.'));
    expect(asked.steps).not.toContain('Buy credit');
    const misspelt = await expectUnpaid(await read({ ...key, 'Pay-With': 'gold' }));
    expect([misspelt.error, misspelt.detail]).toEqual(['payment_required', expect.stringMatching(/ Pay-With knows only "credit"\.$/)]);
    const paid = await expectSold(await read({ ...key, ...PAYS }));
    expect(paid).toMatchObject({ status: 'success', method: 'credit', reference: expect.stringMatching(/^ord_[0-9a-f]{24}$/) as string });
    expect(paid).toMatchObject({
      resource: expect.stringMatching(`^https?://[^/]+${PATH}$`) as string,
      amount: String(COST),
      currency: 'usd',
    });
    // The same request, one without the header, and other addresses cost nothing and have the same receipt.
    expect(await expectSold(await read({ ...key, ...PAYS }))).toEqual(paid);
    expect(await expectSold(await read(key, `/capsules/${ID}.md`))).toEqual(paid);
    expect(await creditOf(key)).toMatchObject([{ left_minor: 9 * COST, ends_at: expect.any(String) as string }]);
    const page = await (await shop.fetch(sessions[0] ?? '', { headers: BROWSER })).text();
    const [receipt = ''] = /rct_[0-9a-f]{32}/.exec(page) ?? [];
    const order = await (await shop.fetch(`/orders/${receipt}`, { headers: { Accept: 'application/json' } })).text();
    expect(order).toMatch(/"kind":"credit","title":"Credit of 5\.00 USD for paid capsules, of which 4\.50 USD is left, until /);
    const { props } = (await (await shop.fetch(`/orders/${receipt}`, { headers: BROWSER })).json()) as { props: PageProps['order'] };
    expect(props.pass?.opened).toMatchObject([{ leftMinor: 9 * COST }]);
  });

  test('is paid at the address of the markdown and of the JSON too, and never for HEAD', async () => {
    const { key } = await buyer('evidence-review');
    expect((await shop.fetch(PATH, { method: 'HEAD', headers: { ...key, ...PAYS } })).status).toBe(402);
    expect(await creditOf(key)).toMatchObject([{ left_minor: COST }]);
    await expectSold(await read({ ...key, ...PAYS }, `/capsules/${ID}.md`));
    const second = await buyer('evidence-review');
    await expectSold(await read({ ...second.key, ...PAYS }, `/capsules/${ID}/capsule.json`));
  });

  test('is never below zero: 50 requests at once for one text pay it once', async () => {
    const { key } = await buyer('evidence-review');
    const responses = await Promise.all(Array.from({ length: 50 }, () => read({ ...key, ...PAYS, 'CF-Connecting-IP': '10.77.0.1' })));
    const receipts = await Promise.all(responses.map(expectSold));
    expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1);
    expect(await creditOf(key)).toMatchObject([{ left_minor: 0 }]);
  });

  test('pays what it can of 50 texts at once, of the order that ends first, across orders, and leaves the rest', async () => {
    const { agent } = await buyer('readiness-review', 'catalog-review');
    const orders = d1Orders(shop.state(), systemRuntime.randomness);
    const holder = { agent: `agt_${agent}` };
    const nowMs = Date.now();
    // 5.49 dollars are 18 texts of 0.30, and 9 cents are left.
    const buy = (at: number) => orders.payByCredit(holder, [`capsule:t-${at}`], 30, nowMs);
    await Promise.all(Array.from({ length: 50 }, (_, at) => buy(at)));
    const passes = await orders.passes(holder, undefined, nowMs);
    const bought = passes.filter(({ opens }) => opens.startsWith('capsule:'));
    expect(new Set(bought.map(({ opens }) => opens)).size).toBe(18);
    expect(bought.reduce((sum, { creditMinor = 0 }) => sum + creditMinor, 0)).toBe(-18 * 30);
    const left = passes.filter(({ opens }) => opens === 'credit').map(({ leftMinor, endsAtMs }) => [leftMinor, endsAtMs === undefined]);
    expect(left).toEqual([
      [9, true],
      [0, false],
    ]);
  });

  test('that is too small, absent or of nobody pays nothing, and the 402 says where to buy it', async () => {
    const small = await buyer('catalog-review');
    const declined = await expectUnpaid(await read({ ...small.key, ...PAYS }));
    expect(declined).toMatchObject({ balance: COST - 1, error: 'insufficient_credit' });
    expect(declined.detail).toMatch(/Your credit of 0\.49 USD is too small for it\.$/);
    expect(declined.steps).toMatch(/Buy credit for your key: the offer/);
    const none = await buyer();
    expect(await expectUnpaid(await read({ ...none.key, ...PAYS }))).toMatchObject({ balance: 0, error: 'insufficient_credit' });
    const plain = await expectUnpaid(await read(none.key));
    expect(plain.detail).toMatch(/Credit pays it too, with "Pay-With: credit" and your API key\.$/);
    const nobody = await expectUnpaid(await read(PAYS));
    expect([nobody.balance, nobody.error]).toEqual([undefined, 'credit_needs_key']);
    expect(nobody.detail).toMatch(/Credit pays it too, with "Pay-With: credit" and an API key that has the scope "buy"\.$/);
    expect(await creditOf(small.key)).toMatchObject([{ left_minor: COST - 1 }]);
    // Two credits together are enough.
    const both = await buyer('catalog-review', 'catalog-review');
    expect(await expectSold(await read({ ...both.key, ...PAYS }))).toMatchObject({ amount: String(COST) });
  });

  test('ends with its time; what it bought stays', async () => {
    const { key } = await buyer('readiness-review');
    const later = { ...key, [NOW_HEADER]: String(Date.now() + (DAYS + 1) * DAY_MS) };
    expect(await expectUnpaid(await read({ ...later, ...PAYS }))).toMatchObject({ balance: 0 });
    await expectSold(await read({ ...key, ...PAYS }));
    await expectSold(await read(later));
  });

  test('loses the share that is refunded; a full refund also takes back what it bought', async () => {
    const { key, sessions } = await buyer('readiness-review');
    const [session = ''] = sessions;
    await expectSold(await read({ ...key, ...PAYS }));
    await giveBack(shop, session, OFFER_PRICE / 2);
    expect(await creditOf(key)).toMatchObject([{ left_minor: 4 * COST }]);
    await giveBack(shop, session, OFFER_PRICE - 1);
    expect(await creditOf(key)).toMatchObject([{ left_minor: 0 }]);
    await expectSold(await read(key));
    await giveBack(shop, session, OFFER_PRICE);
    expect(await creditOf(key)).toEqual([]);
    expect(await expectUnpaid(await read({ ...key, ...PAYS }))).toMatchObject({ balance: 0 });
  });

  test('is shown to the publisher, and ends when the order is withdrawn', async () => {
    const { key, sessions } = await buyer('readiness-review');
    await expectSold(await read({ ...key, ...PAYS }));
    const database = shop.state();
    const order = await findOrder(database, (sessions[0] ?? '').slice('/checkout/'.length));
    if (order === undefined) throw new Error('the order is absent');
    const shown = (await showRecord(order.id, database, Date.now())).join('\n');
    expect(shown).toMatch(/opens {5}Credit of 5\.00 USD for paid capsules, of which 4\.50 USD is left, until \d{4}-/);
    expect(shown).toContain(`opens     ${ID} for 0.50 USD of the credit, `);
    const [line] = await withdrawDelivery(order, database, Date.now());
    expect(line).toContain('its passes open nothing');
    await expect(withdrawDelivery(order, database, Date.now())).rejects.toThrow('was withdrawn before');
    expect(await expectUnpaid(await read({ ...key, ...PAYS }))).toMatchObject({ balance: 0 });
  });
});

describe('credit that a person bought', () => {
  let pass = '';
  beforeAll(async () => {
    const session = await beginCheckout(shop, 'readiness-review:1');
    await pay(shop, session, OFFER_PRICE);
    const order = await findOrder(shop.state(), session.slice('/checkout/'.length));
    pass = await passOfOrder(order?.id ?? '', await testSecrets());
  });

  test('is spent by a key that has the pass of the order, which then reads the text without it', async () => {
    const { key } = await buyer();
    const keyless = await expectUnpaid(await read(PAYS, `${PATH}?pass=${pass}`));
    expect(keyless).toMatchObject({ balance: 10 * COST, error: 'credit_needs_key' });
    expect(keyless.detail).toMatch(
      /Your credit of 5\.00 USD pays it too, with "Pay-With: credit" and an API key that has the scope "buy"\.$/,
    );
    expect(keyless.steps).toMatch(/the header \W+Pay-With: credit\W+ and an API key that has the scope/);
    await expectSold(await read({ ...key, ...PAYS }, `${PATH}?pass=${pass}`));
    await expectSold(await read(key));
    await expectSold(await read({}, `${PATH}?pass=${pass}`));
    expect(await expectUnpaid(await read((await buyer()).key))).toMatchObject({ balance: 0 });
  });
});

test('createCheckoutSession 409 pass_exists: a key buys no text that its credit has paid, and is told so', async () => {
  const { agent, key } = await buyer('evidence-review');
  await expectSold(await read({ ...key, ...PAYS }));
  const again = await acpErrorOf(await shop.post(ACP_SESSIONS, acpCart('capsule-to-order'), await acpHeaders({ agent })));
  expect(again).toMatchObject({ status: 409, code: 'pass_exists' });
  expect(again.message).toMatch(/^Your key has paid for this text, from the credit of the order ord_[0-9a-f]{24}\. Nothing/);
});

test('getCapsule 403 insufficient_scope: a key without the scope buy spends no credit, and is told how to get it', async () => {
  const { agent } = await buyer('evidence-review');
  const reading = bearer(await makeKey({ agent, scopes: ['read'] }));
  const problem = await expectProblem(await read({ ...reading, ...PAYS }), 'insufficient_scope');
  expect(problem.detail).toContain('the scope "buy"');
  const offered = await expectUnpaid(await read(reading));
  expect(offered.detail).toMatch(/pays it too, with "Pay-With: credit" and an API key that has the scope "buy"\.$/);
  expect(await creditOf(reading)).toMatchObject([{ left_minor: COST }]);
});

test('getCapsule 401 api_key_invalid: what is no key pays nothing, and is ignored where nothing is to be paid', async () => {
  const unknown = { Authorization: 'Bearer akg_unknown' };
  await expectProblem(await read({ ...unknown, ...PAYS }), 'api_key_invalid');
  expect(await expectUnpaid(await read(unknown))).toMatchObject({ error: 'payment_required' });
});

describe('credit of a key over MCP', () => {
  /** What the tool fetch returns. @param meta `_meta` of the call. */
  const fetchText = async (headers: Record<string, string>, meta: object = { 'akg/pay-with': 'credit' }, id = ID) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fetch', arguments: { id }, _meta: meta } };
    const response = await shop.post(PATHS.mcp, call, headers);
    const { result } = (await response.json()) as { result: { isError?: boolean; content: [{ text: string }] } };
    const value = JSON.parse(result.content[0].text) as Partial<Record<'text' | 'payment_receipt' | 'code' | 'detail', string>>;
    return {
      payment_receipt: undefined,
      ...value,
      isSold: value.text?.includes('finds most leaks') === true,
      isError: result.isError === true,
      all: result.content[0].text,
    };
  };

  test('pays a text for a client that says so in _meta, once, with the receipt that HTTP returns', async () => {
    const { key } = await buyer('readiness-review');
    for (const value of ['x402', '', 1, null, ['credit']])
      expect([value, await fetchText(key, { 'akg/pay-with': value })]).toEqual([
        value,
        expect.objectContaining({
          isError: true,
          isSold: false,
          code: 'payment_required',
          detail: expect.stringContaining('Pay-With knows only "credit".'),
        }),
      ]);
    for (const meta of [{}, { 'pay-with': 'credit' }])
      expect(await fetchText(key, meta)).toMatchObject({ isSold: false, isError: false, payment_receipt: undefined });
    const paid = await fetchText(key);
    expect(paid).toMatchObject({ isSold: true, isError: false });
    expect(await fetchText(key)).toEqual(paid);
    expect(await fetchText(key, {})).toEqual(paid);
    expect((await read({ ...key, ...PAYS })).headers.get('payment-receipt')).toBe(paid.payment_receipt);
    expect(await fetchText(key, undefined, '/buy/readiness-review')).toMatchObject({ isError: false, payment_receipt: undefined });
    expect(await creditOf(key)).toMatchObject([{ left_minor: 9 * COST }]);
  });

  test('that is too small, absent or of nobody, or of a key that may not buy, pays nothing, and the refusal says what to do', async () => {
    const small = await buyer('catalog-review');
    const refused = await fetchText(small.key);
    expect(refused).toMatchObject({
      isError: true,
      code: 'payment_required',
      detail: expect.stringMatching(/credit of 0\.49 USD is too small/),
    });
    expect(refused.all).toMatch(/Buy credit for your key: the offer[^}]+"tool":"fetch","arguments":\{"id":"\/buy\//);
    expect(await creditOf(small.key)).toMatchObject([{ left_minor: COST - 1 }]);
    expect(await fetchText((await buyer()).key)).toMatchObject({ isError: true, code: 'payment_required' });
    expect(await fetchText({})).toMatchObject({ isError: true, code: 'payment_required' });
    const { agent } = await buyer('evidence-review');
    const reading = bearer(await makeKey({ agent, scopes: ['read'] }));
    expect(await fetchText(reading)).toMatchObject({ isError: true, code: 'insufficient_scope' });
    expect(await creditOf(reading)).toMatchObject([{ left_minor: COST }]);
  });
});

test('a revoked key spends nothing, at once', async () => {
  const { agent, key } = await buyer('evidence-review');
  const other = bearer(await makeKey({ agent, serial: 8, scopes: ['read', 'buy'] }));
  expect((await shop.post(`${PATHS.agentKeys}/revoke`, {}, other)).status).toBe(200);
  await expectProblem(await read({ ...other, ...PAYS }), 'api_key_revoked');
  await expectSold(await read({ ...key, ...PAYS }));
});
