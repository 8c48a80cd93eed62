import { describe, expect, test } from 'vitest';
import { reviewPayment } from '../../../../../src/platform/d1/payment-reservations.ts';
import { loadCommerceKit } from '../../../../support/commerce-kit.ts';
import { useOfficialShop } from '../../../../support/official-shop.ts';

const kit = await loadCommerceKit();

describe.skipIf(kit === undefined)('what a facilitator or an isolate does wrong', () => {
  if (kit === undefined) return;
  const shop = useOfficialShop(kit);
  const { one, other } = shop;
  const LEASE_MS = 31_000;
  const codeOf = async (response: Response): Promise<string> =>
    response.status === 200 ? 'text' : ((await response.json()) as { code: string }).code;
  const charged = (): number => shop.facilitator().transfers().length;

  test.each(['down', 'error', 'garbage', 'redirect', 'huge'] as const)(
    'a facilitator whose look is "%s" costs nothing, and the same payment is taken later',
    async (verify) => {
      const payment = await shop.sign();
      shop.facilitator().setFault({ verify });
      const response = await shop.present(one, payment);
      expect([response.status, response.headers.get('retry-after'), await codeOf(response)]).toEqual([503, '5', 'facilitator_unavailable']);
      expect([charged(), shop.states()]).toEqual([0, []]);
      shop.facilitator().setFault({});
      expect([await codeOf(await shop.present(one, payment)), charged()]).toEqual(['text', 1]);
    },
  );

  test.each(['down', 'error', 'garbage', 'redirect', 'huge'] as const)(
    'a settlement that is "%s" gives nothing, and the same payment gets the text for one charge',
    async (settle) => {
      const payment = await shop.sign();
      shop.facilitator().setFault({ settle });
      const response = await shop.present(one, payment);
      expect([response.status, await codeOf(response)]).toEqual([503, 'facilitator_unavailable']);
      expect([charged(), shop.states()]).toEqual([0, ['settling']]);
      expect(await codeOf(await shop.present(other, { ...payment, resource: undefined }))).toBe('payment_conflict');
      shop.facilitator().setFault({});
      expect([await codeOf(await shop.present(one, payment)), charged(), shop.states()]).toEqual(['text', 1, ['settled']]);
    },
  );

  test('a settlement that the official facilitator calls pending gets the text once it is confirmed, for one charge', async () => {
    const payment = await shop.sign();
    shop.facilitator().setFault({ settle: 'unconfirmed' });
    for (const _ of [1, 2]) expect(await codeOf(await shop.present(one, payment))).toBe('facilitator_unavailable');
    expect([charged(), shop.states()]).toEqual([1, ['settling']]);
    shop.facilitator().setFault({});
    const response = await shop.present(one, payment);
    expect([await codeOf(response), charged(), shop.states()]).toEqual(['text', 1, ['settled']]);
    expect(kit.decodePaymentResponse(response.headers.get('payment-response') ?? '')).toMatchObject({
      transaction: shop.facilitator().transfers()[0]?.transaction,
    });
  });

  test('a settlement whose answer was lost waits for the publisher, and gets the text once it is confirmed', async () => {
    const payment = await shop.sign();
    const present = async () => codeOf(await shop.present(one, payment));
    shop.facilitator().setFault({ settle: 'lost' });
    expect(await present()).toBe('facilitator_unavailable');
    shop.facilitator().setFault({});
    const response = await shop.present(one, payment);
    const { code, detail } = (await response.json()) as { code: string; detail: string };
    expect([response.status, code, shop.states()]).toEqual([503, 'payment_unresolved', ['unresolved']]);
    expect(detail).toContain('Do not pay again');
    const [id = ''] = /pay_[0-9a-f]{32}/.exec(detail) ?? [];
    const transaction = shop.facilitator().transfers()[0]?.transaction ?? '';
    await reviewPayment(shop.database(), id, { state: 'settled', transaction }, Date.now());
    expect([await present(), charged()]).toEqual(['text', 1]);
    // Whoever waited for the publisher cannot be expected to ask within minutes.
    shop.pass(23 * 3_600_000);
    expect(await present()).toBe('text');
  });

  test.each(['insufficient_funds', 'invalid_exact_evm_signature', 'invalid_exact_evm_insufficient_balance'])(
    'after a settlement without an answer "%s" does not show that nothing was paid: it may follow from the settlement',
    async (reason) => {
      const payment = await shop.sign();
      shop.facilitator().setFault({ settle: 'lost' });
      await shop.present(one, payment);
      shop.facilitator().setFault({ settle: { refuses: reason } });
      expect([await codeOf(await shop.present(one, payment)), shop.states()]).toEqual(['facilitator_unavailable', ['settling']]);
      shop.pass(400_000);
      expect([await codeOf(await shop.present(one, payment)), shop.states()]).toEqual(['payment_unresolved', ['unresolved']]);
    },
  );

  test.each([
    ['invalid_exact_evm_transaction_failed', ''],
    ['invalid_exact_evm_transfer_event_mismatch', ''],
    ['invalid_transaction_state', ''],
    ['unexpected_settle_error', ''],
    ['a_reason_of_tomorrow', ''],
    ['insufficient_funds', `0x${'aa'.repeat(32)}`],
  ])('a first settlement that is refused with "%s" and the transaction "%s" may have been sent', async (reason, transaction) => {
    const payment = await shop.sign();
    shop.facilitator().setFault({ settle: { refuses: reason, transaction } });
    expect([await codeOf(await shop.present(one, payment)), shop.states()]).toEqual(['facilitator_unavailable', ['settling']]);
    shop.facilitator().setFault({});
    expect([await codeOf(await shop.present(one, payment)), charged()]).toEqual(['text', 1]);
  });

  test('a first settlement that is refused before anything is sent is refused for certain', async () => {
    const payment = await shop.sign();
    shop.facilitator().setFault({ settle: { refuses: 'insufficient_funds' } });
    expect([await codeOf(await shop.present(one, payment)), shop.states()]).toEqual(['payment_invalid', ['failed']]);
  });

  test('while one request waits for a slow settlement, the same payment is told to wait, and gets the text afterwards', async () => {
    const payment = await shop.sign();
    const [hold, began] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    shop.facilitator().setFault({
      afterSettle: async (path) => {
        if (path !== '/settle') return;
        began.resolve();
        await hold.promise;
      },
    });
    const slow = shop.present(one, payment);
    await began.promise;
    const meanwhile = await shop.present(one, payment);
    expect([meanwhile.status, meanwhile.headers.get('retry-after'), await codeOf(meanwhile)]).toEqual([409, '3', 'payment_settling']);
    hold.resolve();
    expect([await codeOf(await slow), await codeOf(await shop.present(one, payment)), charged()]).toEqual(['text', 'text', 1]);
  });

  test('an isolate that dies between settling and answering leaves a payment that another one answers, for one charge', async () => {
    const payment = await shop.sign();
    // The isolate is gone: nothing of it happens any more, and nobody gets its answer.
    const settled = Promise.withResolvers<void>();
    shop.facilitator().setFault({
      afterSettle: async (path) => {
        if (path !== '/settle') return;
        settled.resolve();
        await new Promise(() => undefined);
      },
    });
    void shop.present(one, payment).catch(() => undefined);
    await settled.promise;
    shop.facilitator().setFault({});
    const next = await shop.begin('with node');
    expect(await codeOf(await shop.present(one, payment, next))).toBe('payment_settling');
    shop.pass(LEASE_MS);
    expect([await codeOf(await shop.present(one, payment, next)), charged()]).toEqual(['text', 1]);
    expect(await codeOf(await shop.present(other, { ...payment, resource: undefined }, next))).toBe('payment_conflict');
  });

  test('a payment whose outcome nobody asked for until it expired waits for the publisher', async () => {
    const payment = await shop.sign();
    shop.facilitator().setFault({ settle: 'lost' });
    await shop.present(one, payment);
    shop.facilitator().setFault({});
    shop.pass(400_000);
    const response = await shop.present(one, payment);
    expect([response.status, await codeOf(response), charged(), shop.states()]).toEqual([503, 'payment_unresolved', 1, ['unresolved']]);
  });

  test('with an identifier, a purchase whose answer was lost is not paid again by a new signature', async () => {
    const identifier = 'order-2026-11-22-0001';
    const pay = kit.x402FetchWithIdentifier(shop.buyer(), identifier, shop.fetch);
    shop.facilitator().setFault({ settle: 'lost' });
    expect((await pay(one.url)).status).toBe(503);
    shop.facilitator().setFault({});
    // The client begins anew: another challenge, another nonce, the same identifier.
    expect([await codeOf(await pay(one.url)), charged()]).toEqual(['payment_unresolved', 1]);
    const again = kit.x402FetchWithIdentifier(shop.buyer(), identifier, await shop.begin('with node'));
    expect([(await again(one.url)).status, charged()]).toEqual([200, 1]);
    expect([await codeOf(await again(other.url)), charged()]).toEqual(['payment_conflict', 1]);
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
    const Authorization = await shop.payUnsettled('lost');
    const again = await (await shop.begin('with node'))(one.url, { headers: { Authorization } });
    expect([again.status, charged()]).toEqual([200, 1]);
    expect(await codeOf(await shop.fetch(other.url, { headers: { Authorization } }))).toBe('payment_invalid');
  });
});
