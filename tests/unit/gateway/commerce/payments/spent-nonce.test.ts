import { describe, expect, test } from 'vitest';
import { type FacilitatorFault, loadCommerceKit } from '../../../../support/commerce-kit.ts';
import { useOfficialShop } from '../../../../support/official-shop.ts';
import { TEST_PAYMENTS } from '../../../../support/payments.ts';

const kit = await loadCommerceKit();
const ELSEWHERE = '0x2222222222222222222222222222222222222222';
const VALUE = 50_000n;

describe.skipIf(kit === undefined)('a nonce that the payer uses without the seller', () => {
  if (kit === undefined) return;
  const shop = useOfficialShop(kit);
  const { one } = shop;
  const nonceOf = (payment: Record<string, unknown>): string =>
    (payment['payload'] as { authorization: { nonce: string } }).authorization.nonce;
  const codeOf = async (response: Response): Promise<string> =>
    response.status === 200 ? 'text' : `${response.status} ${((await response.json()) as { code: string }).code}`;
  const receivedBySeller = (): bigint => shop.facilitator().balanceOf(TEST_PAYMENTS.payTo);

  /** A payment whose first settlement got no answer that shows how it ended. */
  const leftOpen = async (settle: FacilitatorFault['settle'] = 'down') => {
    const payment = await shop.sign();
    shop.facilitator().setFault({ settle: settle ?? 'down' });
    expect(await codeOf(await shop.present(one, payment))).toBe('503 facilitator_unavailable');
    shop.facilitator().setFault({});
    return payment;
  };

  test.each(['down', 'error', 'garbage', 'redirect', 'huge'] as const)(
    'buys nothing after a settlement that was "%s", and the payment waits for the publisher',
    async (settle) => {
      const payment = await leftOpen(settle);
      await shop.facilitator().spendNonce(shop.buyer(), { nonce: nonceOf(payment), to: ELSEWHERE, value: VALUE });
      const response = await shop.present(one, payment);
      expect([response.headers.get('payment-response'), response.headers.get('retry-after')]).toEqual([null, '300']);
      expect([await codeOf(response), receivedBySeller(), shop.states()]).toEqual(['503 payment_unresolved', 0n, ['unresolved']]);
      expect(await codeOf(await shop.present(one, payment))).toBe('503 payment_unresolved');
    },
  );

  test('buys nothing by MPP either', async () => {
    const Authorization = await shop.payUnsettled('down');
    const encoded = Authorization.replace('Payment ', '');
    const { payload } = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as { payload: { nonce: string } };
    await shop.facilitator().spendNonce(shop.buyer(), { nonce: payload.nonce, to: ELSEWHERE, value: VALUE });
    const again = await shop.fetch(one.url, { headers: { Authorization } });
    expect([await codeOf(again), receivedBySeller()]).toEqual(['503 payment_unresolved', 0n]);
  });

  test('buys nothing when the facilitator calls it settled and names no transaction', async () => {
    const payment = await shop.sign();
    shop.facilitator().setFault({ settle: 'unnamed' });
    for (const _ of [1, 2]) expect(await codeOf(await shop.present(one, payment))).toBe('503 facilitator_unavailable');
    expect(shop.states()).toEqual(['settling']);
  });

  describe('with a node of the network', () => {
    const present = async (payment: unknown): Promise<string> => codeOf(await shop.present(one, payment, await shop.begin('with node')));

    test.each<[what: string, spent: { to: string; value?: bigint; alongside?: string }]>([
      ['paid somebody else', { to: ELSEWHERE }],
      ['transferred another value to the seller', { to: TEST_PAYMENTS.payTo, value: 1n }],
      ['paid somebody else, beside ordinary transfers to the seller', { to: ELSEWHERE, alongside: TEST_PAYMENTS.payTo }],
    ])('is refused for certain: the network shows that it %s', async (_what, spent) => {
      const payment = await leftOpen();
      await shop.facilitator().spendNonce(shop.buyer(), { nonce: nonceOf(payment), value: VALUE, ...spent });
      expect([await present(payment), shop.states()]).toEqual(['402 payment_invalid', ['failed']]);
    });

    test('is refused for certain once it is canceled', async () => {
      const payment = await leftOpen();
      shop.facilitator().cancel(shop.buyer().address, nonceOf(payment));
      expect([await present(payment), shop.states()]).toEqual(['402 payment_invalid', ['failed']]);
    });

    test('gets the text if it paid the seller, with the transaction of the network', async () => {
      const payment = await leftOpen();
      const transaction = await shop
        .facilitator()
        .spendNonce(shop.buyer(), { nonce: nonceOf(payment), to: TEST_PAYMENTS.payTo, value: VALUE });
      const response = await shop.present(one, payment, await shop.begin('with node'));
      expect([await codeOf(response), shop.states()]).toEqual(['text', ['settled']]);
      expect(kit.decodePaymentResponse(response.headers.get('payment-response') ?? '')).toMatchObject({ success: true, transaction });
    });

    test.each(['lost', 'pending'] as const)('a payment whose settlement was "%s" gets the text, for one charge', async (settle) => {
      const payment = await leftOpen(settle);
      expect([await present(payment), receivedBySeller(), shop.states()]).toEqual(['text', VALUE, ['settled']]);
    });

    test('a transfer counts once its block is safe from reorganization', async () => {
      const payment = await leftOpen('lost');
      shop.facilitator().setNode({ safeLagMs: 120_000 });
      expect([await present(payment), shop.states()]).toEqual(['503 payment_unresolved', ['unresolved']]);
      shop.pass(130_000);
      expect([await present(payment), shop.states()]).toEqual(['text', ['settled']]);
    });

    test('a payment that expired unused is refused for certain, and one that may still be settled is not', async () => {
      const payment = await leftOpen();
      shop.facilitator().setFault({ settle: 'down' });
      expect([await present(payment), shop.states()]).toEqual(['503 facilitator_unavailable', ['settling']]);
      shop.pass(400_000);
      expect([await present(payment), shop.states()]).toEqual(['402 payment_invalid', ['failed']]);
    });

    test.each(['down', 'redirect', 'garbage', 'null', 'rpc_error', 'reverted', 'other_log', 'removed', 'other_block'] as const)(
      'a node that is or answers "%s" proves nothing either way',
      async (fault) => {
        const payment = await leftOpen('lost');
        shop.facilitator().setNode({ fault });
        expect([await present(payment), shop.states()]).toEqual(['503 payment_unresolved', ['unresolved']]);
        shop.facilitator().setNode({});
        expect([await present(payment), receivedBySeller()]).toEqual(['text', VALUE]);
      },
    );
  });
});
