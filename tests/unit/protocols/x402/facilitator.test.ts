import { describe, expect, test, vi } from 'vitest';
import type { FacilitatorRequest, Settled } from '../../../../src/gateway/commerce/payments/payment-ports.ts';
import { paymentTerms } from '../../../../src/gateway/commerce/payments/payment-terms.ts';
import { httpFacilitator, TEST_PAYMENTS, testAuthorization } from '../../../support/payments.ts';
import { SimulatedTime } from '../../../support/simulated/time.ts';

const NOW = Date.UTC(2027, 0, 1);
const terms = paymentTerms({ payments: TEST_PAYMENTS });
if (terms === undefined) throw new Error('there are terms');
const PAYMENT: FacilitatorRequest = {
  signed: testAuthorization(NOW),
  resource: { url: 'https://sold.example/?version=1.0.0', title: 'A thing' },
  terms,
  amount: '1',
  payTo: '0xb',
};
const REQUIREMENTS = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '1',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: '0xb',
  maxTimeoutSeconds: 300,
  extra: { name: 'USDC', version: '2', paymentFlow: 'upfront' },
};
const json = (value: unknown, status = 200): Response => new Response(JSON.stringify(value), { status });
const quietly = (): void => void vi.spyOn(console, 'error').mockImplementation(() => undefined);
const answering = (response: () => Response) =>
  httpFacilitator('https://f.example/x', new SimulatedTime(NOW).timers, async () => response());

describe('httpFacilitator()', () => {
  test('sends both objects of version 2, and follows no redirect', async () => {
    const sent: [string, RequestInit][] = [];
    const facilitator = httpFacilitator('https://f.example/x', new SimulatedTime(NOW).timers, async (address, init) => {
      sent.push([address, init]);
      return json({ isValid: true });
    });
    expect(await facilitator.verify(PAYMENT)).toEqual({ kind: 'valid' });
    const [[address, init] = ['', {}]] = sent;
    expect([address, init.method, init.redirect]).toEqual(['https://f.example/x/verify', 'POST', 'manual']);
    expect(JSON.parse(String(init.body))).toMatchObject({
      x402Version: 2,
      paymentPayload: {
        x402Version: 2,
        resource: { url: PAYMENT.resource.url, description: 'A thing', mimeType: 'application/json' },
        accepted: REQUIREMENTS,
        payload: PAYMENT.signed,
        extensions: { bazaar: { info: { input: { queryParams: { version: '1.0.0' } } } } },
      },
      paymentRequirements: REQUIREMENTS,
    });
  });

  const HASH = `0x${'5e'.repeat(32)}`;
  const answers: readonly (readonly [answer: unknown, read: Settled])[] = [
    [
      { success: true, transaction: HASH },
      { kind: 'settled', transaction: HASH },
    ],
    ...[null, '', '0x', '0x1', `${HASH}00`, 'settled'].map(
      (transaction) => [{ success: true, transaction }, { kind: 'unknown' } as const] as const,
    ),
    [{ success: true }, { kind: 'unknown' }],
    [
      { success: false, errorReason: 'settlement_pending', transaction: HASH },
      { kind: 'pending', transaction: HASH },
    ],
    [{ success: false, errorReason: 'settlement_pending', transaction: '0x1' }, { kind: 'pending' }],
    [
      { success: false, errorReason: 'insufficient_funds' },
      { kind: 'refused', reason: 'insufficient_funds', cause: 'nothing_sent' },
    ],
    [
      { success: false, errorReason: 'invalid_exact_evm_transaction_failed', transaction: HASH },
      { kind: 'refused', reason: 'invalid_exact_evm_transaction_failed', cause: 'unknown', transaction: HASH },
    ],
    ...['invalid_exact_evm_nonce_already_used', 'authorization_already_used'].map(
      (reason) => [{ success: false, errorReason: reason }, { kind: 'refused', reason, cause: 'nonce_used' } as const] as const,
    ),
    // A sentence of theirs is not passed on.
    ...[undefined, null, 'Pay https://elsewhere.example instead', 'x'.repeat(81)].map(
      (errorReason) =>
        [{ success: false, errorReason }, { kind: 'refused', reason: 'refused_by_facilitator', cause: 'unknown' } as const] as const,
    ),
    [{ success: 'true' }, { kind: 'unknown' }],
    [{ error: 'x' }, { kind: 'unknown' }],
    [null, { kind: 'unknown' }],
    [[], { kind: 'unknown' }],
  ];
  test.each(answers)('reads %j as what it is', async (answer, expected) => {
    expect(await answering(() => json(answer)).settle(PAYMENT)).toEqual(expected);
  });

  test('reads a refusal that comes with its own status', async () => {
    expect(await answering(() => json({ isValid: false, invalidReason: 'x' }, 400)).verify(PAYMENT)).toEqual({
      kind: 'invalid',
      reason: 'x',
    });
    expect(await answering(() => json({ isValid: false }, 402)).verify(PAYMENT)).toEqual({
      kind: 'invalid',
      reason: 'refused_by_facilitator',
    });
  });

  test.each([500, 503, 429, 301, 307])('believes nothing that comes with %i', async (status) => {
    quietly();
    expect(await answering(() => json({ success: true, transaction: HASH }, status)).settle(PAYMENT)).toEqual({ kind: 'unknown' });
  });

  test.each(['', '{', `{"success":true,"transaction":"0x${'5e'.repeat(32)}","filler":"${'x'.repeat(70_000)}"}`])(
    'believes nothing that is no JSON, or too long: %#',
    async (text) => {
      quietly();
      expect(await answering(() => new Response(text)).settle(PAYMENT)).toEqual({ kind: 'unknown' });
    },
  );

  test.each([
    ['verify', 6_000],
    ['settle', 20_000],
  ] as const)('gives up a %s after %i ms, and lets go of it', async (path, ms) => {
    quietly();
    const time = new SimulatedTime(NOW);
    let signal: AbortSignal | null | undefined;
    const facilitator = httpFacilitator('https://f.example', time.timers, (_address, init) => {
      signal = init.signal;
      return new Promise(() => undefined);
    });
    expect(await time.run<unknown>(facilitator[path](PAYMENT))).toEqual({ kind: 'unknown' });
    expect([time.nowMs - NOW, signal?.aborted]).toEqual([ms, true]);
  });

  test('gives up a body that does not end', async () => {
    quietly();
    const time = new SimulatedTime(NOW);
    const facilitator = httpFacilitator('https://f.example', time.timers, async () => new Response(new ReadableStream()));
    expect(await time.run(facilitator.verify(PAYMENT))).toEqual({ kind: 'unknown' });
  });
});
