import { beforeAll, describe, expect, test } from 'vitest';
import { passOfOrder } from '../../../src/gateway/commerce/cart/access-passes.ts';
import { findOrder, withdrawOrder } from '../../../src/platform/d1/order-administration.ts';
import type { StoredDelivery } from '../../../src/schemas/commerce/offers.ts';
import type { Deployment } from '../../../src/schemas/deployment.ts';
import { capsuleApiPath, PATHS } from '../../../src/schemas/paths.ts';
import { DAY_MS } from '../../../src/schemas/time.ts';
import { ACP_SESSIONS, acpCart, acpErrorOf, acpHeaders, acpSessionPath, openAcpSession, tokenPayment } from '../../support/acp.ts';
import { openAcpShop } from '../../support/acp-shop.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { BROWSER, giveBack, makeOrder, pay, sendForm } from '../../support/carts.ts';
import { NOW_HEADER, type Requests } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { type InProcessOptions, useInProcessGateway } from '../../support/in-process-gateway.ts';
import { SOLD_CAPSULE, siteThatSells } from '../../support/paid-site.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { TEST_PAYMENTS, testSecrets } from '../../support/payments.ts';
import { soldOffer } from '../../support/sold-offer.ts';
import { checkoutCompleted, signedMessage } from '../../support/stripe-messages.ts';

const { id: ID } = SOLD_CAPSULE;
const PATH = capsuleApiPath(ID);
const SENTENCE = 'finds most leaks';
const PRICE = 900;
const EUROS = 830;
const DAYS = 31;

const SOLD: Readonly<Record<string, StoredDelivery>> = {
  'evidence-review': { kind: 'pass', days: DAYS },
  'readiness-review': { kind: 'pass', tag: 'x402' },
  'catalog-review': { kind: 'pass', tag: 'no-such-tag' },
};
const selling = (more: InProcessOptions = {}, payments: Deployment['payments'] = TEST_PAYMENTS) =>
  useInProcessGateway(async () => {
    const { blocks, generated } = await siteThatSells(SOLD, PRICE);
    const offers = generated.deployment.offers.map((offer) => {
      const currencyOptions = [{ currency: 'EUR', amountMinor: EUROS, checkoutUrl: `${offer.checkoutUrl}-eur` }];
      return offer.id in SOLD ? { ...offer, currencyOptions } : offer;
    });
    return { blocks, ...more, generated: { ...generated, deployment: { ...generated.deployment, offers, payments } } };
  });
const shop = selling();
const worth = selling({}, { ...TEST_PAYMENTS, network: 'eip155:8453' });
const unbound = selling({ state: 'unbound' });
const withoutSecret = selling({ signingSecrets: undefined });

/** Buys an offer with a key. @returns Path of its session. */
async function buyByKey(agent: string, offer = 'evidence-review'): Promise<string> {
  const session = `/checkout/${await openAcpSession(shop, { agent }, offer)}`;
  await pay(shop, session, PRICE);
  return session;
}

/** Buys an offer as a person. @returns Paths of the session and of the order, and the pass. */
async function buyAsPerson(offer = 'evidence-review') {
  const { session, order } = await makeOrder(shop, offer, PRICE);
  const shown = (await (await shop.fetch(order, { headers: { Accept: 'application/json' } })).json()) as {
    id: string;
    deliveries: { kind: string; title: string; url: string }[];
  };
  return { session, order, shown, pass: await passOfOrder(shown.id, await testSecrets()) };
}

const keyOf = async (agent: string) => bearer(await makeKey({ agent, scopes: ['read', 'buy'] }));

async function expectOpen(response: Response): Promise<string> {
  const text = await response.text();
  expect([response.status, text.includes(SENTENCE)]).toEqual([200, true]);
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(response.headers.get('etag')).toBeNull();
  return text;
}

async function expectClosed(response: Response): Promise<string> {
  const text = await response.text();
  expect([response.status, text.includes(SENTENCE)]).toEqual([402, false]);
  expect(response.headers.get('cache-control')).toMatch(/no-store/);
  return text;
}

/** What MCP gives of the text: as a tool fetches it, and as a resource. */
async function readByMcp(headers: Record<string, string>): Promise<string[]> {
  const calls = [
    { method: 'tools/call', params: { name: 'fetch', arguments: { id: ID } } },
    { method: 'resources/read', params: { uri: `${TEST_BASE_URL}/capsules/${ID}.md` } },
  ];
  return Promise.all(calls.map(async (call) => (await shop.post(PATHS.mcp, { jsonrpc: '2.0', id: 1, ...call }, headers)).text()));
}

const FORMS = [`/capsules/${ID}`, `/capsules/${ID}.md`, `/capsules/${ID}/capsule.json`, PATH];

test.each(FORMS.slice(1))('a pass that is not UTF-8 is refused at %s', async (path) => {
  const response = await shop.fetch(`${path}?pass=%ff`);
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('is not UTF-8')]);
});

test.each([BROWSER.Accept, 'text/markdown', '*/*'])(
  'a pass that is not UTF-8 opens no page, as any other that opens nothing, for %s',
  async (type) => {
    await expectClosed(await shop.fetch(`/capsules/${ID}?pass=%ff`, { headers: { Accept: type } }));
  },
);

describe('a pass of the key of an agent', () => {
  let key: Record<string, string> = {};
  beforeAll(async () => {
    await buyByKey('00000000000000b1');
    key = await keyOf('00000000000000b1');
  });

  test.each(FORMS)('opens %s', async (path) => {
    await expectOpen(await shop.fetch(path, { headers: { ...key, Accept: path === FORMS[0] ? BROWSER.Accept : '*/*' } }));
  });

  test('opens the markdown of the page, which is negotiated', async () => {
    await expectOpen(await shop.fetch(`/capsules/${ID}`, { headers: { ...key, Accept: 'text/markdown' } }));
    const page = await shop.fetch(`/capsules/${ID}`, { headers: BROWSER });
    expect(page.headers.get('link')).not.toContain(`/capsules/${ID}.md`);
  });

  test('opens the text over MCP and in a fetch of several', async () => {
    for (const text of await readByMcp(key)) expect(text).toContain(SENTENCE);
    for (const text of await readByMcp({})) expect(text).not.toContain(SENTENCE);
    expect(await (await shop.post(`${PATHS.capsulesApi}/fetch`, { ids: [ID] }, key)).text()).toContain(SENTENCE);
    expect(await (await shop.post(`${PATHS.capsulesApi}/fetch`, { ids: [ID] }, {})).text()).toContain('payment_required');
  });

  test('also opens it by another key of the agent, and leaves the payment of a request alone', async () => {
    const other = bearer(await makeKey({ agent: '00000000000000b1', serial: 9 }));
    await expectOpen(await shop.fetch(PATH, { headers: { ...other, 'PAYMENT-SIGNATURE': 'eyJ4NDAyVmVyc2lvbiI6Mn0=' } }));
  });

  test('opens nothing for another key, and what was free before stays free', async () => {
    const other = await keyOf('00000000000000b2');
    await expectClosed(await shop.fetch(PATH, { headers: other }));
    await expectClosed(await shop.fetch(`/capsules/${ID}.md`, { headers: other }));
    for (const path of [`/capsules/${ID}`, `/capsules/${ID}/capsule.json`]) {
      const response = await shop.fetch(path, { headers: { ...other, ...BROWSER } });
      expect([response.status, (await response.text()).includes(SENTENCE)]).toEqual([200, false]);
    }
  });

  test('ends with its time and with a full refund, not with a part of it', async () => {
    const session = await buyByKey('00000000000000b3');
    const headers = await keyOf('00000000000000b3');
    const later = { ...headers, [NOW_HEADER]: String(Date.now() + (DAYS + 1) * DAY_MS) };
    await expectClosed(await shop.fetch(PATH, { headers: later }));
    await giveBack(shop, session, 1);
    await expectOpen(await shop.fetch(PATH, { headers }));
    await giveBack(shop, session, PRICE);
    await expectClosed(await shop.fetch(PATH, { headers }));
  });

  test('for a tag, opens what has the tag, for good', async () => {
    await buyByKey('00000000000000b4', 'catalog-review');
    const headers = await keyOf('00000000000000b4');
    await expectClosed(await shop.fetch(PATH, { headers }));
    await buyByKey('00000000000000b4', 'readiness-review');
    await expectOpen(await shop.fetch(PATH, { headers: { ...headers, [NOW_HEADER]: String(Date.now() + 80 * DAY_MS) } }));
  });
});

test('getCapsule 401 api_key_expired: says so to a holder of a pass, who would pay again at a price', async () => {
  const expired = bearer(await makeKey({ issuedMinute: 1 }));
  await expectProblem(await shop.fetch(PATH, { headers: expired }), 'api_key_expired');
  expect((await shop.fetch(capsuleApiPath('bm25'), { headers: expired })).status).toBe(200);
});

test('a pass that is paid in another currency opens the text for the price in that currency, and not for as many cents of dollars', async () => {
  for (const [agent, currency, paid] of [
    ['00000000000000d1', 'eur', true],
    ['00000000000000d2', 'usd', false],
  ] as const) {
    const response = await shop.post(ACP_SESSIONS, { ...acpCart('evidence-review'), currency: 'eur' }, await acpHeaders({ agent }));
    const { id, currency: offered } = (await response.json()) as { id: string; currency: string };
    expect(offered).toBe('eur');
    await shop.fetch(PATHS.stripeWebhook, signedMessage(checkoutCompleted(id, EUROS, { currency })));
    await (paid ? expectOpen : expectClosed)(await shop.fetch(PATH, { headers: await keyOf(agent) }));
  }
});

describe('a pass of an order', () => {
  test('is a link of the order, and opens every form of the text in a browser', async () => {
    const { shown, order, pass } = await buyAsPerson();
    const [delivery] = shown.deliveries;
    expect(delivery).toMatchObject({ kind: 'pass', title: expect.stringMatching(/^All paid capsules, until \d{4}-\d\d-\d\d$/) as string });
    expect(await (await shop.fetch(`${order}/pass`)).text()).toBe(pass);
    expect(pass).toMatch(/^pas_[0-9a-f]{64}$/);
    expect(await expectOpen(await shop.fetch(`/capsules/${ID}?pass=${pass}`, { headers: BROWSER }))).not.toContain(pass);
    for (const path of FORMS.slice(1)) await expectOpen(await shop.fetch(`${path}?pass=${pass}`));
    await expectOpen(await shop.fetch(`/capsules/${ID}?pass=${pass}`, { headers: { Accept: 'text/markdown' } }));
  });

  test('is not in the database', async () => {
    const { pass } = await buyAsPerson();
    const { results } = await shop.state().prepare('SELECT * FROM passes').all();
    expect(JSON.stringify(results)).not.toContain(pass.slice(28));
  });

  test('that is forged, cut, of another service or of another text opens nothing', async () => {
    const { pass } = await buyAsPerson();
    const other = await buyAsPerson('catalog-review');
    const forged = `${pass.slice(0, -1)}${pass.endsWith('0') ? '1' : '0'}`;
    const wrong = [forged, pass.slice(0, -1), `${pass}0`, '', 'pas_', pass.toUpperCase(), other.pass, `pas_${'0'.repeat(64)}`];
    for (const text of wrong) {
      expect(await expectClosed(await shop.fetch(`${PATH}?pass=${text}`))).toContain('The pass of the request does not open it.');
      await expectClosed(await shop.fetch(`/capsules/${ID}.md?pass=${text}`));
      await expectClosed(await shop.fetch(`/capsules/${ID}?pass=${text}`, { headers: BROWSER }));
    }
  });

  test('that is expired or refunded opens nothing', async () => {
    const { session, order, pass } = await buyAsPerson();
    const path = `/capsules/${ID}?pass=${pass}`;
    await expectClosed(await shop.fetch(path, { headers: { ...BROWSER, [NOW_HEADER]: String(Date.now() + (DAYS + 1) * DAY_MS) } }));
    await giveBack(shop, session, PRICE);
    await expectClosed(await shop.fetch(path, { headers: BROWSER }));
    await expectProblem(await shop.fetch(`${order}/pass`), 'order_not_found');
  });

  test('does not open a free capsule in another way', async () => {
    expect((await shop.fetch(`/capsules/bm25?pass=pas_1`, { headers: BROWSER })).status).toBe(200);
  });
});

describe('the test checkout of a demonstration', () => {
  const body = { items: 'evidence-review:1', test: '1' };
  test('ends with an order whose pass opens the text', async () => {
    const ended = await shop.post('/checkout', body);
    expect(ended.status).toBe(303);
    const order = new URL(ended.headers.get('location') ?? '').pathname;
    const pass = await (await shop.fetch(`${order}/pass`)).text();
    await expectOpen(await shop.fetch(`/capsules/${ID}?pass=${pass}`, { headers: BROWSER }));
  });

  test('ends with an order for a cart of any size, whose passes last as long as all of their units', async () => {
    const items = 'evidence-review:2,office-hours:3,team-licence:1';
    const page = await (await shop.fetch(`/checkout?items=${items}&test`, { headers: BROWSER })).text();
    expect(page).toContain(`"sends":{"items":"${items}"`);
    const ended = await sendForm(shop, '/checkout', { items, currency: 'USD', test: '1' });
    expect(ended.status).toBe(303);
    const order = new URL(ended.headers.get('location') ?? '').pathname;
    const { lines } = (await (await shop.fetch(order, { headers: { Accept: 'application/json' } })).json()) as {
      lines: { quantity: number }[];
    };
    expect(lines.map(({ quantity }) => quantity)).toEqual([2, 3, 1]);
    // Not all of it is delivered.
    expect(await (await shop.fetch(order, { headers: BROWSER })).text()).toContain('"awaitsWork":true');
    const pass = await (await shop.fetch(`${order}/pass`)).text();
    const laterMs = Date.now() + (2 * DAYS - 1) * DAY_MS;
    await expectOpen(await shop.fetch(`/capsules/${ID}?pass=${pass}`, { headers: { ...BROWSER, [NOW_HEADER]: String(laterMs) } }));
    // Whoever asks for a payment still gets one unit of one offer from a hosted link.
    await expectProblem(await shop.post('/checkout', { items }), 'cart_refused');
  });

  test('ends the session of an agent, whose key then opens the text', async () => {
    const sender = { agent: '00000000000000d5' };
    const id = await openAcpSession(shop, sender);
    const ended = await sendForm(shop, '/checkout', { session: id, revision: '1' });
    const session = (await (await shop.fetch(acpSessionPath(id), { headers: await acpHeaders(sender) })).json()) as object;
    expect(session).toMatchObject({ status: 'completed', order: { permalink_url: ended.headers.get('location') } });
    await expectOpen(await shop.fetch(PATH, { headers: bearer(await makeKey({ ...sender, scopes: ['read'] })) }));
  });

  test('gives nothing away that is paid in tokens with a value', async () => {
    await expectProblem(await worth.post('/checkout', body), 'cart_refused');
    const id = await openAcpSession(worth);
    expect(await (await worth.fetch(`/checkout/${id}`, { headers: BROWSER })).text()).not.toContain('name="session"');
    await expectProblem(await worth.post('/checkout', { session: id, revision: 1 }), 'cart_refused');
  });
});

test('the end of a pass by the publisher takes effect at once, for the key and for the pass of the order, and withdraws what the order delivers', async () => {
  const { shown, order, pass } = await buyAsPerson();
  const withdraw = async (): Promise<boolean> => {
    const found = await findOrder(shop.state(), shown.id);
    return found !== undefined && withdrawOrder(shop.state(), found, Date.now());
  };
  expect([await withdraw(), await withdraw()]).toEqual([true, false]);
  await expectClosed(await shop.fetch(`${PATH}?pass=${pass}`));
  const after = (await (await shop.fetch(order, { headers: { Accept: 'application/json' } })).json()) as { deliveries: unknown[] };
  expect(after.deliveries).toEqual([]);
});

test('createCheckoutSession 409 pass_exists: a key buys nothing that its pass opens, and other keys do', async () => {
  await buyByKey('00000000000000c1');
  for (const offer of ['evidence-review', 'readiness-review']) {
    const again = await acpErrorOf(await shop.post(ACP_SESSIONS, acpCart(offer), await acpHeaders({ agent: '00000000000000c1' })));
    expect(again).toMatchObject({ status: 409, code: 'pass_exists' });
    expect(again.message).toMatch(/^Your key has a pass for this until \d{4}-/);
  }
  const other = await shop.post(ACP_SESSIONS, acpCart('evidence-review'), await acpHeaders({ agent: '00000000000000c2' }));
  expect(other.status).toBe(201);
  const nowMs = Date.now() + (DAYS + 1) * DAY_MS;
  const later = await shop.post(ACP_SESSIONS, acpCart('evidence-review'), await acpHeaders({ agent: '00000000000000c1', nowMs }));
  expect(later.status).toBe(201);
});

describe('completeCheckoutSession 409 pass_exists', () => {
  /** A shop with passes for everything and for a tag, and credit, which charges tokens. */
  async function openShop(beforeCharge?: (sessionId: string) => Promise<void>) {
    const charges: string[] = [];
    const selling = (id: string, delivery: StoredDelivery) => soldOffer({ id, amountMinor: PRICE, delivers: [delivery] });
    const { send: sendTo, database } = await openAcpShop(
      {
        takesRealMoney: false,
        charge: async ({ metadata, amountMinor }) => {
          const sessionId = metadata['checkout_session_id'] ?? '';
          await beforeCharge?.(sessionId);
          charges.push(sessionId);
          return { kind: 'paid', paymentReference: `pi_${sessionId}`, amountMinor, currency: 'usd' };
        },
        openCheckout: async () => 'https://checkout.example/r',
      },
      {},
      [
        selling('month', { kind: 'pass', days: DAYS }),
        selling('tag', { kind: 'pass', tag: 'x402', days: DAYS }),
        selling('credit', { kind: 'credit', cents: 500, days: DAYS }),
      ],
    );
    const send = async (path: string, body: unknown) => sendTo(path, await acpHeaders(), body);
    const open = async (id: string) => ((await (await send(ACP_SESSIONS, acpCart(id))).json()) as { id: string }).id;
    const pay = (id: string) => send(acpSessionPath(id, 'complete'), tokenPayment('spt_1'));
    const payAtOnce = async (sessions: readonly string[]) => (await Promise.all(sessions.map(pay))).map(({ status }) => status);
    return { charges, open, pay, payAtOnce, database };
  }

  test('fifty payments of a key for one pass charge once, and the other session is told', async () => {
    const { charges, open, pay, payAtOnce, database } = await openShop();
    const sessions = await Promise.all(Array.from({ length: 50 }, () => open('month')));
    expect([(await payAtOnce(sessions)).sort(), charges.length]).toEqual([[200, ...Array.from({ length: 49 }, () => 409)], 1]);
    const unpaid = sessions.filter((id) => !charges.includes(id));
    for (const id of unpaid.slice(0, 3)) expect(await acpErrorOf(await pay(id))).toMatchObject({ status: 409, code: 'pass_exists' });
    database.close();
  });

  test('a pass for a tag is not charged while one for everything is; credit always is', async () => {
    let month = '';
    const [charging, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { charges, open, pay, payAtOnce, database } = await openShop(async (sessionId) => {
      if (sessionId !== month) return;
      charging.resolve();
      await others.promise;
    });
    month = await open('month');
    const sessions = [await open('tag'), await open('credit'), await open('credit')];
    const paying = pay(month);
    await charging.promise;
    expect([await payAtOnce(sessions), charges.length]).toEqual([[409, 200, 200], 2]);
    others.resolve();
    expect([(await paying).status, charges.length]).toEqual([200, 3]);
    expect(database.look('SELECT opens, credit_minor FROM passes ORDER BY opens')).toEqual([
      { opens: 'all', credit_minor: null },
      { opens: 'credit', credit_minor: 500 },
      { opens: 'credit', credit_minor: 500 },
    ]);
    database.close();
  });
});

const ask = (gateway: Requests, id: string, headers: Record<string, string>): Promise<Response> =>
  id === 'getCapsule' ? gateway.fetch(PATH, { headers }) : gateway.post(`${PATHS.capsulesApi}/fetch`, { ids: [ID] }, headers);

test('fetchCapsules 401 api_key_expired: says so where a text is paid', async () => {
  await expectProblem(await ask(shop, 'fetchCapsules', bearer(await makeKey({ issuedMinute: 1 }))), 'api_key_expired');
});

async function expectRevoked(id: string, agent: string): Promise<void> {
  const revoked = await keyOf(agent);
  expect((await shop.post(`${PATHS.agentKeys}/revoke`, {}, revoked)).status).toBe(200);
  await expectProblem(await ask(shop, id, revoked), 'api_key_revoked');
}

test('getCapsule 401 api_key_revoked: says so where a text is paid', () => expectRevoked('getCapsule', '00000000000000e1'));

test('fetchCapsules 401 api_key_revoked: says so where a text is paid', () => expectRevoked('fetchCapsules', '00000000000000e2'));

test.each(['getCapsule', 'fetchCapsules'])(
  'fetchCapsules 503 state_unavailable: %s gives no price to a key whose passes are unknown',
  async (id) => {
    await expectProblem(await ask(unbound, id, await keyOf('00000000000000e3')), 'state_unavailable');
  },
);

test.each(['getCapsule', 'fetchCapsules'])('fetchCapsules 503 not_configured: %s says that no key can be verified', async (id) => {
  await expectProblem(await ask(withoutSecret, id, await keyOf('00000000000000e4')), 'not_configured');
});
