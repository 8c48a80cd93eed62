import { describe, expect, test } from 'vitest';
import { loadCommerceKit } from '../../../../support/commerce-kit.ts';
import { useOfficialShop } from '../../../../support/official-shop.ts';
import { TEST_PAYMENTS } from '../../../../support/payments.ts';

const kit = await loadCommerceKit();

function changed(value: unknown, [name, ...rest]: readonly string[], to: string): unknown {
  if (name === undefined) return to;
  const members = value as Record<string, unknown>;
  return { ...members, [name]: changed(members[name], rest, to) };
}

describe.skipIf(kit === undefined)('what a buyer tries', () => {
  if (kit === undefined) return;
  const shop = useOfficialShop(kit);
  const { one, other } = shop;
  const tally = async (responses: readonly Response[]): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const response of responses) {
      const code = response.status === 200 ? 'text' : ((await response.json()) as { code: string }).code;
      counts[code] = (counts[code] ?? 0) + 1;
    }
    return counts;
  };
  const codeOf = async (response: Response): Promise<string> => Object.keys(await tally([response]))[0] ?? '';
  const charged = (): number => shop.facilitator().transfers().length;

  test.each([50])('%i requests at the same time with one signature on two addresses buy one of them', async (requests) => {
    const { resource: _, ...payment } = await shop.sign();
    const responses = await Promise.all(
      Array.from({ length: requests }, (_value, index) => shop.present(index % 2 === 0 ? one : other, payment)),
    );
    const counts = await tally(responses);
    expect(counts['text']).toBeGreaterThan(0);
    // A request that is read after the settlement gets the text again. Either address may be the first.
    expect([Math.floor(requests / 2), Math.ceil(requests / 2)]).toContain(counts['payment_conflict']);
    expect(charged()).toBe(1);
  });

  test('whoever reads a settled signature on the network cannot present it with an identifier, or as another payment', async () => {
    const payment = await shop.sign();
    await shop.present(one, payment);
    const copied = { ...payment, extensions: { 'payment-identifier': { info: { required: false, id: 'chosen-by-somebody-else' } } } };
    expect(await codeOf(await shop.present(one, copied))).toBe('payment_conflict');
    expect(charged()).toBe(1);
  });

  const elsewhere = '0x2222222222222222222222222222222222222222';
  const tampered: readonly (readonly [what: string, place: string, value: string, error: string])[] = [
    ['accepts another amount', 'accepted/amount', '1', 'invalid_payment_requirements'],
    ['accepts to pay somebody else', 'accepted/payTo', elsewhere, 'invalid_payment_requirements'],
    ['accepts another token', 'accepted/asset', elsewhere, 'invalid_payment_requirements'],
    ['accepts another network', 'accepted/network', 'eip155:8453', 'invalid_network'],
    ['accepts another scheme', 'accepted/scheme', 'upto', 'unsupported_scheme'],
    ['names another resource', 'resource/url', `${one.url}x`, 'invalid_payload'],
    ['authorizes another amount', 'payload/authorization/value', '1', 'invalid_exact_evm_payload_authorization_value'],
    ['authorizes to pay somebody else', 'payload/authorization/to', elsewhere, 'invalid_exact_evm_payload_recipient_mismatch'],
    ['is over', 'payload/authorization/validBefore', '1000', 'invalid_exact_evm_payload_authorization_valid_before'],
    ['is not good yet', 'payload/authorization/validAfter', '99999999999', 'invalid_exact_evm_payload_authorization_valid_after'],
    ['has another end than was signed', 'payload/authorization/validBefore', '99999999999', 'invalid_exact_evm_signature'],
    ['comes from somebody else', 'payload/authorization/from', elsewhere, 'invalid_exact_evm_signature'],
    ['has another nonce than was signed', 'payload/authorization/nonce', `0x${'22'.repeat(32)}`, 'invalid_exact_evm_signature'],
    ['has a changed signature', 'payload/signature', `0x${'11'.repeat(65)}`, 'invalid_exact_evm_signature'],
  ];
  test.each(tampered)('a payment that %s is refused, and charged nothing', async (_what, place, value, error) => {
    const response = await shop.present(one, changed(await shop.sign(), place.split('/'), value));
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ code: 'payment_invalid', error, accepts: [{ payTo: TEST_PAYMENTS.payTo }] });
    expect([charged(), shop.states()]).toEqual([0, []]);
  });

  test('a buyer without money is refused, and pays with the same payment once there is some', async () => {
    const poor = kit.newAccount();
    const payment = await kit.signX402(poor, await shop.challenge(one));
    expect(await (await shop.present(one, payment)).json()).toMatchObject({
      code: 'payment_invalid',
      error: 'invalid_exact_evm_insufficient_balance',
    });
    shop.facilitator().fund(poor.address, 50_000n);
    expect([await codeOf(await shop.present(one, payment)), charged()]).toEqual(['text', 1]);
  });

  test('an authorization that is used between verification and settlement buys nothing, and is not called unpaid: it may have paid', async () => {
    const payment = await shop.sign();
    const rival = await shop.begin();
    shop.facilitator().setFault({
      verify: 'late',
      lateMs: 0,
      afterSettle: async (path) => {
        // Between the look of the facilitator and the reservation, the payer uses the nonce without the shop.
        if (path !== '/verify') return;
        shop.facilitator().setFault({});
        await fetch(`${shop.facilitator().url}/settle`, {
          method: 'POST',
          body: JSON.stringify({ x402Version: 2, paymentPayload: payment, paymentRequirements: payment['accepted'] }),
        });
      },
    });
    const response = await shop.present(one, payment, rival);
    expect([await codeOf(response), response.headers.get('payment-response'), charged()]).toEqual(['payment_unresolved', null, 1]);
    expect(shop.states()).toEqual(['unresolved']);
  });
});
