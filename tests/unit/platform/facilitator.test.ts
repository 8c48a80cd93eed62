import { describe, expect, test, vi } from 'vitest';
import { httpFacilitator } from '../../../src/platform/facilitator.ts';
import type { AskedPayment, Settled } from '../../../src/gateway/commerce/payments/payment-ports.ts';
import { TEST_PAYMENTS, testAuthorization } from '../../support/payments.ts';
import { SimulatedTime } from '../../support/simulated/time.ts';

const NOW = Date.UTC(2027, 0, 1);
const PAYMENT: AskedPayment = {
  signed: testAuthorization(NOW),
  requirements: { scheme: 'exact', network: TEST_PAYMENTS.network, amount: '1', asset: '0xa', payTo: '0xb', maxTimeoutSeconds: 300 },
  resource: { url: 'https://sold.example', description: 'A thing', mimeType: 'application/json' },
  extensions: {},
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
    expect(JSON.parse(String(init.body))).toEqual({
      x402Version: 2,
      paymentPayload: {
        x402Version: 2,
        resource: PAYMENT.resource,
        accepted: PAYMENT.requirements,
        payload: PAYMENT.signed,
        extensions: {},
      },
      paymentRequirements: PAYMENT.requirements,
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
      { kind: 'refused', reason: 'insufficient_funds' },
    ],
    [
      { success: false, errorReason: 'invalid_exact_evm_transaction_failed', transaction: HASH },
      { kind: 'refused', reason: 'invalid_exact_evm_transaction_failed', transaction: HASH },
    ],
    [{ success: false }, { kind: 'refused', reason: '' }],
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
    expect(await answering(() => json({ isValid: false }, 402)).verify(PAYMENT)).toEqual({ kind: 'invalid', reason: '' });
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
