import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { PaymentProcessor } from '../../src/gateway/commerce/cart/checkout-ports.ts';
import { UCP_CAPABILITIES } from '../../src/protocols/ucp/ucp-schemas.ts';
import { PATHS } from '../../src/schemas/paths.ts';
import { ACP_MARKET, ACP_SESSIONS, acpHeaders } from '../support/acp.ts';
import { openAcpShop } from '../support/acp-shop.ts';
import { useSharedGateway } from '../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../support/function-routes.ts';
import { checkoutCompleted, signedMessage } from '../support/stripe-messages.ts';
import { UCP_AGENT, UCP_PROFILE, ucpCart } from '../support/ucp.ts';

/**
 * What the conformance suite of UCP (Universal-Commerce-Protocol/conformance) asks of a business, for the capabilities that the profile
 * declares. The suite itself is run by hand, because it needs Python and speaks version 2026-01-11; docs/universal-commerce says how that
 * went. Where the versions differ, this holds what 2026-08-25 says.
 */
const gateway = useSharedGateway();
const SESSIONS = `${PATHS.ucp}/checkout-sessions`;
const PRICE = 12_000;

interface Checkout {
  readonly id: string;
  readonly ucp: { readonly status: string };
  readonly status: string;
  readonly continue_url?: string;
  readonly buyer?: object;
  readonly line_items: { readonly quantity: number; readonly totals: Total[] }[];
  readonly totals: Total[];
  readonly messages?: { readonly code: string }[];
}
interface Total {
  readonly type: string;
  readonly amount: number;
}
interface Sent {
  readonly key?: string;
  readonly agent?: string;
}
const send = (method: string, path: string, body?: unknown, { key = randomUUID(), agent = UCP_AGENT['UCP-Agent'] }: Sent = {}) =>
  gateway.fetch(path, {
    method,
    headers: { 'Content-Type': 'application/json', 'UCP-Agent': agent, 'Idempotency-Key': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
/** A body as an older platform sends it: with titles, prices, a currency, handlers of payments and an address for a delivery. */
const olderCart = (quantity = 1, id: string = SAMPLE_OFFER.id): object => ({
  currency: 'USD',
  line_items: [{ item: { id, title: 'Another title', price: 1 }, quantity }],
  payment: { instruments: [], selected_instrument_id: 'i', handlers: [{ id: 'google_pay', name: 'google.pay', version: '2026-01-11' }] },
  fulfillment: { methods: [{ type: 'shipping', destinations: [{ id: 'd', address_country: 'US' }] }] },
});
const opened = async (): Promise<Checkout> => (await (await send('POST', SESSIONS, olderCart())).json()) as Checkout;
const amountOf = (totals: readonly Total[], type: string): number | undefined => totals.find((total) => total.type === type)?.amount;

describe('discovery', () => {
  test('declares what is offered, and neither orders, discounts, deliveries nor handlers of payments', async () => {
    const { ucp } = (await (await gateway.fetch(PATHS.ucpWellKnown)).json()) as {
      ucp: { capabilities: object; payment_handlers: object; services: Record<string, object[]> };
    };
    expect(Object.keys(ucp.capabilities).sort()).toEqual(Object.values(UCP_CAPABILITIES).sort());
    expect(ucp.payment_handlers).toEqual({});
    expect(ucp.services['dev.ucp.shopping']).toContainEqual(expect.objectContaining({ transport: 'rest' }));
  });

  test('a version that is not spoken is refused, a profile that is no address is invalid', async () => {
    const asked = async (agent: string) => {
      const response = await send('POST', SESSIONS, olderCart(), { agent });
      return [response.status, ((await response.json()) as Checkout).messages?.[0]?.code];
    };
    expect(await asked(`profile="${UCP_PROFILE}"; version="2099-01-01"`)).toEqual([422, 'version_unsupported']);
    expect(await asked('profile="..."; version="2026-08-25"')).toEqual([400, 'invalid_profile_url']);
    expect((await asked(`profile="${UCP_PROFILE}"; version="2026-08-25"`))[0]).toBe(201);
  });

  test('no route of a simulation is served', async () => {
    for (const secret of [{}, { 'Simulation-Secret': 'x' }])
      expect((await gateway.post('/testing/simulate-shipping/order_1', {}, { ...UCP_AGENT, ...secret })).status).toBeOneOf([404, 405]);
  });
});

describe('a checkout', () => {
  test('has the totals of the catalog, whatever titles and prices are sent', async () => {
    const { line_items, totals } = await opened();
    expect([amountOf(line_items[0]?.totals ?? [], 'total'), amountOf(totals, 'subtotal'), amountOf(totals, 'total')]).toEqual([
      PRICE,
      PRICE,
      PRICE,
    ]);
  });

  test('keeps the buyer of an update, and gives no discount for a code', async () => {
    const { id } = await opened();
    const buyer = { email: 'test@buyer.example', first_name: 'Test', last_name: 'User' };
    await (await send('PUT', `${SESSIONS}/${id}`, { id, ...olderCart(), buyer, discounts: { codes: ['10OFF'] } })).text();
    const read = (await (await send('GET', `${SESSIONS}/${id}`)).json()) as Checkout;
    expect(read).toMatchObject({ id, buyer });
    expect([amountOf(read.totals, 'discount'), amountOf(read.totals, 'total')]).toEqual([undefined, PRICE]);
  });

  test('that is canceled cannot be canceled, changed or completed', async () => {
    const { id } = await opened();
    expect(await (await send('POST', `${SESSIONS}/${id}/cancel`)).json()).toMatchObject({ status: 'canceled' });
    expect((await send('POST', `${SESSIONS}/${id}/cancel`)).status).toBe(409);
    expect((await send('PUT', `${SESSIONS}/${id}`, olderCart())).status).toBe(409);
    expect((await send('POST', `${SESSIONS}/${id}/complete`, {})).status).toBe(409);
  });

  test('that is paid cannot be canceled, changed or completed', async () => {
    const { id } = await opened();
    const paid = signedMessage(checkoutCompleted(id, PRICE));
    expect((await gateway.fetch(PATHS.stripeWebhook, paid)).status).toBe(200);
    expect(await (await send('GET', `${SESSIONS}/${id}`)).json()).toMatchObject({ status: 'completed' });
    expect((await send('POST', `${SESSIONS}/${id}/cancel`)).status).toBe(409);
    expect((await send('PUT', `${SESSIONS}/${id}`, olderCart())).status).toBe(409);
    expect((await send('POST', `${SESSIONS}/${id}/complete`, {})).status).toBe(409);
  });

  test('over something that is not sold is an outcome: 200, the reason, and no session', async () => {
    const response = await send('POST', SESSIONS, olderCart(1, 'pink-wumpus'));
    const body = (await response.json()) as Checkout;
    expect([response.status, body.ucp.status, body.messages?.[0]?.code, body.id]).toEqual([200, 'error', 'item_unavailable', undefined]);
  });
});

describe('an idempotency key', () => {
  const sameThenOther = async (method: string, path: string, body: object, other: object): Promise<void> => {
    const key = randomUUID();
    const first = await send(method, path, body, { key });
    expect(first.status).toBeLessThan(300);
    const again = await send(method, path, body, { key });
    expect([again.status, await again.json()]).toEqual([first.status, await first.json()]);
    expect((await send(method, path, other, { key })).status).toBe(409);
  };

  test('of a creation', () => sameThenOther('POST', SESSIONS, olderCart(), { ...olderCart(), currency: 'EUR' }));

  test('of an update, also of one that cannot be sold', async () => {
    const { id } = await opened();
    await sameThenOther('PUT', `${SESSIONS}/${id}`, olderCart(2), olderCart(3));
  });

  test('of a completion', async () => {
    const { id } = await opened();
    const payment = (token: string) => ({
      payment_data: { id: 'i', type: 'card', credential: { type: 'token', token } },
      risk_signals: {},
    });
    await sameThenOther('POST', `${SESSIONS}/${id}/complete`, payment('success_token'), payment('different_token'));
  });

  test('of a cancellation', async () => {
    const { id } = await opened();
    await sameThenOther('POST', `${SESSIONS}/${id}/cancel`, {}, { reason: 'other' });
  });
});

describe('more than one piece, where only hosted links are paid', () => {
  const page = `/checkout?items=${SAMPLE_OFFER.id}:2`;

  test('over HTTP: a new session is refused with the page of the cart, and an update leaves the session as it was', async () => {
    const refused = await (await send('POST', SESSIONS, olderCart(2))).text();
    expect(refused).toContain('"code":"quantity_exceeded"');
    expect(refused).toContain(page);
    const { id } = await opened();
    const updated = (await (await send('PUT', `${SESSIONS}/${id}`, olderCart(2))).json()) as Checkout;
    expect(updated).toMatchObject({ ucp: { status: 'error' }, line_items: [{ quantity: 1 }] });
    expect(updated.messages?.[0]?.code).toBe('quantity_exceeded');
    expect(amountOf(updated.totals, 'total')).toBe(PRICE);
  });

  test('over MCP', async () => {
    const call = {
      name: 'create_checkout',
      arguments: { meta: { 'ucp-agent': { profile: UCP_PROFILE } }, checkout: ucpCart(SAMPLE_OFFER.id, 2) },
    };
    const response = await gateway.post(PATHS.ucpMcp, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    const { result } = (await response.json()) as { result: { isError: boolean; structuredContent: Checkout } };
    expect([result.isError, result.structuredContent.messages?.[0]?.code]).toEqual([true, 'quantity_exceeded']);
    expect(result.structuredContent.continue_url).toContain(page);
  });

  test('over the Agentic Commerce Protocol', async () => {
    const body = { ...ACP_MARKET, line_items: [{ id: SAMPLE_OFFER.id, quantity: 2 }] };
    const response = await gateway.post(ACP_SESSIONS, body, await acpHeaders());
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'quantity_exceeded' }]);
  });

  test('by permalink: it leads to the page of the cart, which has no checkout of one piece', async () => {
    const response = await gateway.fetch(`/buy/${SAMPLE_OFFER.id}:2`);
    expect([response.status, response.headers.get('location')]).toEqual([303, expect.stringContaining(page)]);
    const cart = await (await gateway.fetch(page)).text();
    expect(cart).toContain('240');
    expect(cart).not.toContain(`href="${SAMPLE_OFFER.checkout}`);
  });
});

describe('more than one piece, where the processor makes checkouts', async () => {
  const processor: PaymentProcessor = {
    takesRealMoney: false,
    charge: async () => ({ kind: 'declined', reason: 'no_token_is_taken' }),
    openCheckout: async () => ({ reference: 'r', url: 'https://checkout.example/r' }),
  };
  const shop = await openAcpShop(processor, { ucp: true });
  afterAll(() => shop.database.close());

  test('the totals are those of all pieces', async () => {
    const created = await shop.send(SESSIONS, UCP_AGENT, ucpCart('review', 2));
    const checkout = (await created.json()) as Checkout;
    expect([created.status, checkout.line_items[0]?.quantity, amountOf(checkout.totals, 'total')]).toEqual([201, 2, 48_000]);
    expect(checkout.continue_url).toContain(checkout.id);
  });
});
