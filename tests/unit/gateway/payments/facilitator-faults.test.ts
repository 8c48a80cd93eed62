import { describe, expect, test } from 'vitest';
import { type FacilitatorFault, loadCommerceKit } from '../../../support/commerce-kit.ts';
import { useOfficialShop } from '../../../support/official-shop.ts';

const kit = await loadCommerceKit();

describe.skipIf(kit === undefined)('what a facilitator or an isolate does wrong', () => {
  if (kit === undefined) return;
  const shop = useOfficialShop(kit);
  const { one, other } = shop;
  const LEASE_MS = 31_000;
  const sign = async () => kit.signX402(shop.buyer(), await shop.challenge(one));
  const codeOf = async (response: Response): Promise<string> =>
    response.status === 200 ? 'text' : ((await response.json()) as { code: string }).code;
  const charged = (): number => shop.facilitator().transfers().length;

  test.each(['down', 'error', 'garbage', 'redirect', 'huge'] as const)(
    'a facilitator whose look is "%s" costs nothing, and the same payment is taken later',
    async (verify) => {
      const payment = await sign();
      shop.facilitator().setFault({ verify });
      const response = await shop.present(one, payment);
      expect([response.status, response.headers.get('retry-after'), await codeOf(response)]).toEqual([503, '5', 'facilitator_unavailable']);
      expect([charged(), shop.states()]).toEqual([0, []]);
      shop.facilitator().setFault({});
      expect([await codeOf(await shop.present(one, payment)), charged()]).toEqual(['text', 1]);
    },
  );

  const before: readonly FacilitatorFault['settle'][] = ['down', 'error', 'garbage', 'redirect', 'huge'];
  const after: readonly FacilitatorFault['settle'][] = ['lost', 'pending'];
  test.each([...before.map((settle) => [settle, 0] as const), ...after.map((settle) => [settle, 1] as const)])(
    'a settlement that is "%s" gives nothing, and the same payment gets the text for one charge',
    async (settle, chargedSoFar) => {
      const payment = await sign();
      shop.facilitator().setFault({ settle: settle ?? 'down' });
      const response = await shop.present(one, payment);
      expect([response.status, await codeOf(response)]).toEqual([503, 'facilitator_unavailable']);
      expect([charged(), shop.states()]).toEqual([chargedSoFar, ['settling']]);
      expect(await codeOf(await shop.present(other, { ...payment, resource: undefined }))).toBe('payment_conflict');
      shop.facilitator().setFault({});
      expect([await codeOf(await shop.present(one, payment)), charged(), shop.states()]).toEqual(['text', 1, ['settled']]);
    },
  );

  test('while one request waits for a slow settlement, the same payment is told to wait, and gets the text afterwards', async () => {
    const payment = await sign();
    let settled = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      settled = resolve;
    });
    let began = (): void => undefined;
    const isSettling = new Promise<void>((resolve) => {
      began = resolve;
    });
    shop.facilitator().setFault({
      afterSettle: async (path) => {
        if (path !== '/settle') return;
        began();
        await hold;
      },
    });
    const slow = shop.present(one, payment);
    await isSettling;
    const meanwhile = await shop.present(one, payment);
    expect([meanwhile.status, meanwhile.headers.get('retry-after'), await codeOf(meanwhile)]).toEqual([409, '3', 'payment_settling']);
    settled();
    expect([await codeOf(await slow), await codeOf(await shop.present(one, payment)), charged()]).toEqual(['text', 'text', 1]);
  });

  test('an isolate that dies between settling and answering leaves a payment that another one answers, for one charge', async () => {
    const payment = await sign();
    // The isolate is gone: nothing of it happens any more, and nobody gets its answer.
    let reached = (): void => undefined;
    const isSettled = new Promise<void>((resolve) => {
      reached = resolve;
    });
    shop.facilitator().setFault({
      afterSettle: async (path) => {
        if (path !== '/settle') return;
        reached();
        await new Promise(() => undefined);
      },
    });
    void shop.present(one, payment).catch(() => undefined);
    await isSettled;
    shop.facilitator().setFault({});
    const next = await shop.begin();
    expect(await codeOf(await shop.present(one, payment, next))).toBe('payment_settling');
    shop.pass(LEASE_MS);
    expect([await codeOf(await shop.present(one, payment, next)), charged()]).toEqual(['text', 1]);
    expect(await codeOf(await shop.present(other, { ...payment, resource: undefined }, next))).toBe('payment_conflict');
  });

  test('a payment whose outcome nobody asked for until it was over gets nothing, and a sentence that says why', async () => {
    const payment = await sign();
    shop.facilitator().setFault({ settle: 'lost' });
    await shop.present(one, payment);
    shop.facilitator().setFault({});
    shop.pass(400_000);
    const response = await shop.present(one, payment);
    expect([response.status, await codeOf(response), charged()]).toEqual([409, 'payment_unresolved', 1]);
  });

  test('with an identifier, a purchase whose answer was lost is not paid again by a new signature', async () => {
    const identifier = 'order-2026-11-22-0001';
    const pay = kit.x402FetchWithIdentifier(shop.buyer(), identifier, shop.fetch);
    shop.facilitator().setFault({ settle: 'lost' });
    expect((await pay(one.url)).status).toBe(503);
    shop.facilitator().setFault({});
    // The client begins anew: another challenge, another nonce, the same identifier.
    const again = await pay(one.url);
    expect([again.status, charged()]).toEqual([200, 1]);
    expect([await codeOf(await pay(other.url)), charged()]).toEqual(['payment_conflict', 1]);
  });

  test('the identifier of one payer is not that of another', async () => {
    const identifier = 'order-2026-11-22-0002';
    await kit.x402FetchWithIdentifier(shop.buyer(), identifier, shop.fetch)(one.url);
    const second = kit.newAccount();
    expect((await kit.x402FetchWithIdentifier(second, identifier, shop.fetch)(one.url)).status).toBe(402);
    shop.facilitator().fund(second.address, 50_000n);
    expect([(await kit.x402FetchWithIdentifier(second, identifier, shop.fetch)(one.url)).status, charged()]).toEqual([200, 2]);
  });

  test('a payment of MPP whose answer was lost is answered when it is sent again', async () => {
    let sent: string | null = null;
    const noting: typeof globalThis.fetch = (input, init) => {
      sent = new Request(input, init).headers.get('authorization') ?? sent;
      return shop.fetch(input, init);
    };
    shop.facilitator().setFault({ settle: 'lost' });
    await kit
      .mppFetch(
        shop.buyer(),
        noting,
      )(one.url)
      .catch(() => undefined);
    shop.facilitator().setFault({});
    const again = await shop.fetch(one.url, { headers: { Authorization: sent ?? '' } });
    expect([again.status, charged()]).toEqual([200, 1]);
    expect(await codeOf(await shop.fetch(other.url, { headers: { Authorization: sent ?? '' } }))).toBe('payment_invalid');
  });
});
