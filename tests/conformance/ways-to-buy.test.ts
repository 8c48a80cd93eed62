import { afterAll, describe, expect, test, vi } from 'vitest';
import { passOfOrder } from '../../src/gateway/commerce/cart/access-passes.ts';
import type { StoredDelivery } from '../../src/schemas/commerce/offers.ts';
import { capsuleApiPath, PATHS } from '../../src/schemas/paths.ts';
import { openAcpSession } from '../support/acp.ts';
import { bearer, makeKey } from '../support/agent-keys.ts';
import { BROWSER, giveBack, makeOrder, pay } from '../support/carts.ts';
import { loadCommerceKit, type TestAccount, type TestFacilitator } from '../support/commerce-kit.ts';
import { useInProcessGateway } from '../support/in-process-gateway.ts';
import { SOLD_CAPSULE, siteThatSells } from '../support/paid-site.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { TEST_PAYMENTS, testSecrets } from '../support/payments.ts';
import type { Fault, StoreWeather } from '../support/simulated/faults.ts';
import { DOUBLE_KEY, type StripeDouble, startStripeDouble, TOKENS } from '../support/stripe-double.ts';

const kit = await loadCommerceKit();
const { id: ID } = SOLD_CAPSULE;
const PRICE = 900;
const OFFER = 'evidence-review';
const CREDIT_OFFER = 'readiness-review';
const COST = 50;
const PREVIEW = /Fourteen requests show whether an endpoint|"file \/capsules\/payment-endpoint-checklist\.md"/;
const SOLD = 'finds most leaks';
let facilitator: TestFacilitator | undefined;
let double: StripeDouble | undefined;
const shop = useInProcessGateway(async () => {
  facilitator = await kit?.startFacilitator();
  double = await startStripeDouble();
  return shopOptions({ [OFFER]: { kind: 'pass', days: 31 } });
});

const CREDIT = { [CREDIT_OFFER]: { kind: 'credit', cents: PRICE } } as const;

async function shopOptions(more: Readonly<Record<string, StoredDelivery>> = {}) {
  const { blocks, generated } = await siteThatSells({ ...CREDIT, ...more }, PRICE);
  const payments = { ...TEST_PAYMENTS, facilitator: facilitator?.url ?? '', stripeProfile: 'profile_of_the_shop' };
  const stripe = { secretKey: DOUBLE_KEY, apiBase: double?.origin ?? '' };
  return { blocks, stripe, generated: { ...generated, deployment: { ...generated.deployment, payments, capsulePages: 'edge' as const } } };
}

/** The same shop, which sells credit, and whose store has lost the texts that are sold. */
const broken = useInProcessGateway(async () => {
  const { blocks, generated, ...options } = await shopOptions();
  const lost = new Set(generated.generation.manifest.blocks.texts?.map(({ sha256 }) => sha256));
  return { ...options, generated, blocks: new Map([...blocks].filter(([sha256]) => !lost.has(sha256))) };
});

let fault: NonNullable<StoreWeather['fault']> = () => 'none';
const frail = useInProcessGateway(async () => ({ ...(await shopOptions()), databaseFault: (call) => fault(call) }));
afterAll(async () => {
  await facilitator?.stop();
  await double?.stop();
});

interface Proof {
  readonly headers?: Readonly<Record<string, string>>;
  readonly pass?: string;
}

interface Surface {
  readonly name: string;
  /** Address and `Accept` where it is a resource of its own, which can answer 402. */
  readonly resource?: readonly [path: string, accept: string];
  readonly send: (proof: Proof) => Promise<Response>;
}

function resource(name: string, path: string, accept: string): Surface {
  return {
    name,
    resource: [path, accept],
    send: ({ headers, pass }) =>
      shop.fetch(pass === undefined ? path : `${path}?pass=${pass}`, { headers: { Accept: accept, ...headers } }),
  };
}

const rpc = (name: string, path: string, method: string, params: object, more: Record<string, string> = {}): Surface => ({
  name,
  send: ({ headers }) => {
    const asked = headers?.['Pay-With'] === undefined ? params : { ...params, _meta: { 'akg/pay-with': headers['Pay-With'] } };
    return shop.post(path, { jsonrpc: '2.0', id: 1, method, params: asked }, { ...more, ...headers });
  },
});

const SURFACES: readonly Surface[] = [
  resource('page', `/capsules/${ID}`, BROWSER.Accept),
  resource('.md', `/capsules/${ID}.md`, '*/*'),
  resource('JSON', capsuleApiPath(ID), 'application/json'),
  rpc('MCP fetch', PATHS.mcp, 'tools/call', { name: 'fetch', arguments: { id: ID } }),
  rpc('MCP resources/read', PATHS.mcp, 'resources/read', { uri: `${TEST_BASE_URL}/capsules/${ID}.md` }),
  rpc(
    'A2A',
    '/a2a',
    'SendMessage',
    { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Fourteen checks find the faults of a paid endpoint' }] } },
    { 'A2A-Version': '1.0' },
  ),
  { name: 'NLWeb', send: ({ headers = {} }) => shop.fetch('/ask?query=fourteen+checks+faults+of+a+paid+endpoint', { headers }) },
];

interface Way {
  readonly name: string;
  /** What a 402 offers it with. */
  readonly offered?: (headers: Headers) => boolean;
  /** Buys at a resource with the official client, which asks through `fetch`. */
  readonly buy?: (fetch: typeof globalThis.fetch) => (url: string, init: RequestInit) => Promise<Response>;
  readonly prove?: () => Promise<Proof & { readonly refund?: () => Promise<void> }>;
  readonly receipt?: string;
  readonly isSigned?: true;
}

const account = (): TestAccount => {
  const made = kit?.newAccount() ?? { address: '', privateKey: '' };
  facilitator?.fund(made.address, 9_000_000n);
  return made;
};
const offersMpp = (method: string) => (headers: Headers) => headers.get('www-authenticate')?.includes(`method="${method}"`) === true;
const offersX402 = (headers: Headers) => headers.has('payment-required');

async function orderByLink() {
  const { session, order } = await makeOrder(shop, OFFER, PRICE);
  const { id } = (await (await shop.fetch(order, { headers: { Accept: 'application/json' } })).json()) as { id: string };
  return { pass: await passOfOrder(id, await testSecrets()), refund: () => giveBack(shop, session, PRICE) };
}

let agents = 0;
async function orderByKey(at = shop, offer = OFFER) {
  agents += 1;
  const agent = `00000000000000${(0xa0 + agents).toString(16)}`;
  const session = await openAcpSession(at, { agent }, offer);
  await pay(at, session, PRICE);
  const headers = bearer(await makeKey({ agent, scopes: ['read', 'buy'] }));
  return { headers, refund: () => giveBack(at, session, PRICE) };
}

const WAYS: readonly Way[] =
  kit === undefined
    ? []
    : [
        {
          name: 'x402 with signed offers and receipts: @x402/fetch, @x402/extensions',
          offered: offersX402,
          buy: (fetch) => kit.x402Fetch(account(), fetch),
          receipt: 'payment-response',
          isSigned: true,
        },
        {
          name: 'x402 with bazaar and payment-identifier: @x402/fetch',
          offered: offersX402,
          buy: (fetch) => kit.x402FetchWithIdentifier(account(), `purchase_${crypto.randomUUID()}`, fetch),
          receipt: 'payment-response',
        },
        { name: 'MPP evm: mppx', offered: offersMpp('evm'), buy: (fetch) => kit.mppFetch(account(), fetch), receipt: 'payment-receipt' },
        {
          name: 'MPP stripe: mppx',
          offered: offersMpp('stripe'),
          buy: (fetch) => kit.cardFetch(async () => `${TOKENS.pays}_${crypto.randomUUID().replaceAll('-', '')}`, fetch),
          receipt: 'payment-receipt',
        },
        {
          name: 'sign-in-with-x after a purchase: @x402/extensions',
          offered: offersX402,
          buy: (fetch) => async (url, init) => {
            const wallet = account();
            expect((await kit.x402Fetch(wallet, fetch)(url, init)).status).toBe(200);
            return kit.signInFetch(wallet, fetch)(url, init);
          },
        },
        { name: 'hosted link of Stripe, then the private link', prove: orderByLink },
        { name: 'ACP with a key, then the key', prove: () => orderByKey() },
        {
          name: 'credit of a key: Pay-With, over MCP in _meta',
          prove: async () => {
            const { headers, refund } = await orderByKey(shop, CREDIT_OFFER);
            return { headers: { ...headers, 'Pay-With': 'credit' }, refund };
          },
        },
      ];

/** `fetch` that ends at the shop, and what its last request sent beside `Accept`. */
function recording(at = shop) {
  const sent: Record<string, string> = {};
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    for (const name of ['payment-signature', 'authorization', 'sign-in-with-x']) {
      const value = request.headers.get(name);
      if (value === null) delete sent[name];
      else sent[name] = value;
    }
    return at.fetch(pathname + search, { headers: Object.fromEntries(request.headers) });
  };
  return { sent, fetch };
}

const chargesMade = (): number => (facilitator?.transfers().length ?? 0) + (double?.intents.length ?? 0);
const hasSold = async (response: Response): Promise<boolean> => (await response.text()).includes(SOLD);

/** Whether the client verifies the offer and the receipt of a purchase. It looks for the keys of did:web at the shop. */
async function isProven(bought: Response, required: unknown): Promise<boolean> {
  if (kit === undefined || required === undefined) return false;
  vi.stubGlobal('fetch', (url: string) => shop.fetch(url.slice(TEST_BASE_URL.length)));
  const { payer } = kit.decodePaymentResponse(bought.headers.get('payment-response') ?? '');
  const verified = [...(await kit.verifiedOffers(required)), await kit.verifiedReceipt(bought, required, String(payer))];
  vi.unstubAllGlobals();
  return verified.length === 2 && !verified.includes(undefined);
}

async function walk(way: Way, surface: Surface): Promise<string> {
  const unpaid = await surface.send({});
  const shown = await unpaid.text();
  expect(shown).not.toContain(SOLD);
  const steps = PREVIEW.test(shown) ? ['preview'] : [];
  if (unpaid.status === 402 && way.offered?.(unpaid.headers)) steps.push('402');
  const { buy, prove, receipt, isSigned } = way;
  const required: unknown = isSigned && unpaid.status === 402 ? JSON.parse(atob(unpaid.headers.get('payment-required') ?? '')) : undefined;
  if (buy !== undefined && surface.resource !== undefined) {
    const { sent, fetch } = recording();
    const [path, accept] = surface.resource;
    const bought = await buy(fetch)(TEST_BASE_URL + path, { headers: { Accept: accept } });
    const charged = chargesMade();
    if (Object.keys(sent).length > 0) steps.push(receipt === undefined ? 'proof' : 'payment');
    if (await hasSold(bought)) steps.push('text');
    if (receipt !== undefined && bought.headers.has(receipt)) steps.push(`receipt${(await isProven(bought, required)) ? ' (signed)' : ''}`);
    if (steps.includes('payment') && (await hasSold(await surface.send({ headers: sent })))) steps.push('replay');
    expect(chargesMade()).toBe(charged);
  }
  if (prove !== undefined) {
    const { refund, ...proof } = await prove();
    if (!(await hasSold(await surface.send(proof)))) return steps.join(', ');
    steps.push('text');
    if (await hasSold(await surface.send(proof))) steps.push('replay');
    await refund?.();
    if (!(await hasSold(await surface.send(proof)))) steps.push('refund');
  }
  return steps.join(', ');
}

/** Why a step is missing in the table. */
const NOTES = [
  'page: browsers send no payments and no signatures; it sells by an offer, and agents get the .md',
  'MCP: carries no payments of x402 and MPP; it names the address that does. No wallet signs in over it, and a private link is for the site',
  'A2A, NLWeb: answer with previews and addresses, never with whole texts',
  'refund: x402 and MPP have none; a card is refunded at Stripe. A message of sign-in-with-x counts once',
  'signed: the official client verified the offer of the 402 and the receipt with the keys of the did:web of the site',
];

const PAID = 'preview, 402, payment, text, receipt, replay';
const PAID_SIGNED = PAID.replace('receipt', 'receipt (signed)');
const PROVEN = 'preview, text, replay, refund';
const SIGNED = 'preview, 402, proof, text';
/** Rows of the table: page, .md, JSON, `fetch` and resources of MCP. A2A and NLWeb give the preview. */
const EXPECTED = [
  ['preview', PAID_SIGNED, PAID_SIGNED, 'preview', 'preview'],
  ...['x402 with identifier', 'MPP evm', 'MPP stripe'].map(() => ['preview', PAID, PAID, 'preview', 'preview']),
  ['preview', SIGNED, SIGNED, 'preview', 'preview'],
  [PROVEN, PROVEN, PROVEN, 'preview', 'preview'],
  [PROVEN, PROVEN, PROVEN, PROVEN, PROVEN],
  ['preview', PROVEN, PROVEN, PROVEN, 'preview'],
];

describe.skipIf(kit === undefined)('every way to buy a text, at every surface', () => {
  test('does what the table says', async () => {
    const table: string[][] = [];
    for (const way of WAYS) {
      const cells: string[] = [];
      for (const surface of SURFACES) cells.push(await walk(way, surface));
      table.push(cells);
    }
    const rows = table.map((cells, index) => [WAYS[index]?.name, ...cells]);
    const lines = [['way', ...SURFACES.map(({ name }) => name)], ...rows].map((cells) => `| ${cells.join(' | ')} |`);
    console.log([...lines, ...NOTES].join('\n'));
    expect(table.map((cells) => cells.slice(0, 5))).toEqual(EXPECTED);
    expect(table.map((cells) => cells.slice(5))).toEqual(WAYS.map(() => ['preview', 'preview']));
  }, 60_000);

  test('costs nothing while the text cannot be read, by any way', async () => {
    const path = capsuleApiPath(ID);
    const unread = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];
    const charged = chargesMade();
    for (const { name, buy, receipt } of WAYS)
      if (buy !== undefined && receipt !== undefined)
        expect([name, ...(await unread(await buy(recording(broken).fetch)(TEST_BASE_URL + path, {})))]).toEqual([
          name,
          503,
          'index_unavailable',
        ]);
    const { headers } = await orderByKey(broken, CREDIT_OFFER);
    expect(await unread(await broken.fetch(path, { headers: { ...headers, 'Pay-With': 'credit' } }))).toEqual([503, 'index_unavailable']);
    const { passes } = (await (await broken.fetch(`${PATHS.agentKeys}/self`, { headers })).json()) as { passes: { left_minor: number }[] };
    expect([chargesMade() - charged, passes.map(({ left_minor }) => left_minor)]).toEqual([0, [PRICE]]);
  });
});

describe('a purchase by credit whose database fails at a step', () => {
  const path = capsuleApiPath(ID);
  const PAYS = { 'Pay-With': 'credit' };

  /** Buys while one call of the database has a fault. @returns Whether it had so many calls. */
  async function buyWith(kind: Fault, step: number): Promise<boolean> {
    const { headers } = await orderByKey(frail, CREDIT_OFFER);
    const spent = async (): Promise<number> => {
      const { passes } = (await (await frail.fetch(`${PATHS.agentKeys}/self`, { headers })).json()) as { passes: { left_minor: number }[] };
      return PRICE - (passes[0]?.left_minor ?? 0);
    };
    let calls = 0;
    fault = () => {
      calls += 1;
      return calls === step ? kind : 'none';
    };
    const bought = await frail.fetch(path, { headers: { ...headers, ...PAYS } });
    fault = () => 'none';
    const [paid, isSent] = [await spent(), await hasSold(bought)];
    const said = [kind, step, bought.status, isSent];
    // No text is sent unpaid, and what is paid is open.
    expect([...said, isSent ? paid : COST]).toEqual([kind, step, isSent ? 200 : 503, isSent, COST]);
    expect([...said, await hasSold(await frail.fetch(path, { headers }))]).toEqual([...said, paid === COST]);
    const again = await frail.fetch(path, { headers: { ...headers, ...PAYS } });
    expect([...said, again.headers.has('payment-receipt'), await hasSold(again), await spent()]).toEqual([...said, true, true, COST]);
    return calls >= step;
  }

  test.each<Fault>(['refused', 'reply_lost'])(
    '%s: is paid with its text or not at all, and costs nothing when it is repeated',
    async (kind) => {
      let steps = 0;
      while (await buyWith(kind, steps + 1)) steps += 1;
      // The passes of the key, whether it was revoked, the payment, and the passes again.
      expect(steps).toBeGreaterThanOrEqual(4);
    },
  );
});
