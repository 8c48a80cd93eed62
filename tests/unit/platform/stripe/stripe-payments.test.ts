import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readStripeSettings, stripeClient, stripeProcessor, takesRealMoney } from '../../../../src/platform/stripe/stripe-payments.ts';
import { DOUBLE_KEY, type StripeDouble, startStripeDouble, TOKENS } from '../../../support/stripe-double.ts';

let double: StripeDouble;
beforeAll(async () => {
  double = await startStripeDouble();
});
afterAll(() => double.stop());
const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
afterEach(() => {
  expect(double.faults).toEqual([]);
  log.mockClear();
});

const processorWith = (secretKey: string) => stripeProcessor(stripeClient({ secretKey, apiBase: double.origin }), false);
const SESSION = `cs_${'a'.repeat(32)}`;
let made = 0;
const requestFor = (token: string, more: { amountMinor?: number; idempotencyKey?: string } = {}) => {
  made += 1;
  return {
    metadata: { checkout_session_id: SESSION, attempt: `key-${made}` },
    token: `${token}_${made}`,
    amountMinor: 24_000,
    currency: 'USD',
    idempotencyKey: `key-${made}`,
    ...more,
  };
};
const charge = (token: string, more = {}) => processorWith(DOUBLE_KEY).charge(requestFor(token, more));

describe('charge()', () => {
  test('pays with a token, under the key and with the session that were given', async () => {
    const request = requestFor(TOKENS.pays);
    const paid = await processorWith(DOUBLE_KEY).charge(request);
    const intent = double.intents.at(-1);
    expect(paid).toEqual({ kind: 'paid', paymentReference: intent?.id, amountMinor: 24_000, currency: 'USD' });
    expect(intent).toMatchObject({ token: request.token, metadata: { checkout_session_id: SESSION, attempt: request.idempotencyKey } });
  });

  test('pays once for one key, also at the same time and from several isolates', async () => {
    const request = requestFor(TOKENS.pays);
    const before = double.intents.length;
    const all = await Promise.all(Array.from({ length: 5 }, () => processorWith(DOUBLE_KEY).charge(request)));
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(double.intents).toHaveLength(before + 1);
  });

  test.each([
    ['a decline, by its code alone', TOKENS.declined, { kind: 'declined', reason: 'insufficient_funds' }],
    ['a decline whose reason nobody is told', TOKENS.stolen, { kind: 'declined', reason: 'generic_decline' }],
    ['a token that is none', TOKENS.unknown, { kind: 'declined', reason: 'resource_missing' }],
    ['a processor that is too busy', TOKENS.tooMany, { kind: 'unavailable' }],
  ])('says of %s what it is', async (_case, token, outcome) => expect(await charge(token)).toEqual(outcome));

  test('cancels a payment that would need a confirmation', async () => {
    expect(await charge(TOKENS.needsBuyer)).toEqual({ kind: 'declined', reason: 'authentication_required' });
    expect(double.intents.at(-1)).toMatchObject({ status: 'canceled', amount_received: 0 });
  });

  test('says that a payment is under way, and asks how it is now when it is repeated', async () => {
    const request = requestFor(TOKENS.settlesLater);
    const processor = processorWith(DOUBLE_KEY);
    expect(await processor.charge(request)).toEqual({ kind: 'pending', paymentReference: double.intents.at(-1)?.id });
    for (const intent of double.intents.slice(-1)) double.settle(intent);
    expect(await processor.charge(request)).toMatchObject({ kind: 'paid', amountMinor: 24_000 });
  });

  test('finds the same payment when the response was lost', async () => {
    const before = double.intents.length;
    expect(await charge(TOKENS.answerLost)).toMatchObject({ kind: 'paid' });
    expect(double.intents).toHaveLength(before + 1);
  });

  test.each([
    ['does not answer', TOKENS.neverAnswers],
    ['fails', TOKENS.fault],
  ])('throws if the processor %s, because it is not known what it did, and logs no token', async (_case, token) => {
    await expect(charge(token)).rejects.toThrow();
    expect(log).toHaveBeenCalledOnce();
    expect(String(log.mock.calls[0]?.[0])).not.toContain('spt_');
  });

  test('says that nothing was charged where the key of this service is refused, and logs no key', async () => {
    const other = 'sk_test_of_nobody_0000001';
    expect(await processorWith(other).charge(requestFor(TOKENS.pays))).toEqual({ kind: 'unavailable' });
    expect(String(log.mock.calls[0]?.[0])).toContain('StripeAuthenticationError');
    expect(String(log.mock.calls[0]?.[0])).not.toContain(other);
  });
});

const line = (offerId: string, unitMinor: number, cadence: 'one_time' | 'monthly', quantity = 1) =>
  ({ id: 'li_1', offerId, name: `Offer ${offerId}`, cadence, unitMinor, quantity, demo: false }) as const;

describe('openCheckout()', () => {
  const open = (lines: readonly ReturnType<typeof line>[], email?: string) => {
    made += 1;
    return processorWith(DOUBLE_KEY).openCheckout({
      sessionId: SESSION,
      lines,
      currency: 'USD',
      email,
      returnUrl: 'https://signpost.example/checkout/cs?returned',
      idempotencyKey: `checkout-${made}`,
    });
  };

  test('charges exactly the lines at their prices, and names the session in all metadata', async () => {
    const opened = await open([line('review', 24_000, 'one_time', 2), line('notes', 500, 'one_time')], 'buyer@agents.example');
    const checkout = double.checkouts.at(-1);
    expect(opened).toBe(checkout?.url);
    expect(checkout?.parameters).toMatchObject({
      mode: 'payment',
      client_reference_id: SESSION,
      'metadata[checkout_session_id]': SESSION,
      'payment_intent_data[metadata][checkout_session_id]': SESSION,
      success_url: 'https://signpost.example/checkout/cs?returned',
      cancel_url: 'https://signpost.example/checkout/cs?returned',
      customer_email: 'buyer@agents.example',
      'line_items[0][quantity]': '2',
      'line_items[0][price_data][unit_amount]': '24000',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[1][price_data][unit_amount]': '500',
    });
    expect(Object.keys(checkout?.parameters ?? {}).filter((name) => name.includes('recurring'))).toEqual([]);
  });

  test('is a subscription where a line is paid again, with the lines that are paid once in it', async () => {
    await open([line('digest', 900, 'monthly'), line('review', 24_000, 'one_time')]);
    const { parameters } = double.checkouts.at(-1) ?? { parameters: {} };
    expect(parameters).toMatchObject({
      mode: 'subscription',
      'line_items[0][price_data][recurring][interval]': 'month',
      'subscription_data[metadata][checkout_session_id]': SESSION,
    });
    expect(Object.keys(parameters).filter((name) => name.startsWith('payment_intent_data'))).toEqual([]);
    expect(parameters).not.toHaveProperty('line_items[1][price_data][recurring][interval]');
  });
});

describe('readStripeSettings()', () => {
  test('takes a key, and a stand-in on a loopback address alone', () => {
    expect(readStripeSettings(` ${DOUBLE_KEY}\n`, 'http://127.0.0.1:1', 'local')).toEqual({
      secretKey: DOUBLE_KEY,
      apiBase: 'http://127.0.0.1:1',
    });
    expect(readStripeSettings(DOUBLE_KEY, 'http://127.0.0.1:1', 'live')).toEqual({ secretKey: DOUBLE_KEY, apiBase: undefined });
  });

  test.each([
    [undefined, undefined],
    ['', undefined],
    ['whsec_not_a_key_of_the_api', undefined],
    [DOUBLE_KEY, 'http://stripe.example:80'],
    [DOUBLE_KEY, 'http://127.0.0.1:1@elsewhere.example'],
  ])('says what is missing for the key %j and the stand-in %j, and shows neither', (key, base) => {
    const { missing } = readStripeSettings(key, base, 'local') as { missing: string };
    expect(missing).toMatch(/^(This deployment|The Stripe key|The address of the Stripe mock) /);
    if (key) expect(missing).not.toContain(key);
  });
});

test.each([
  ['sk_live', true],
  ['rk_live', true],
  ['sk_test', false],
  ['rk_test', false],
])('takesRealMoney() of a key that begins with %s: %s', (beginning, expected) => {
  expect(takesRealMoney({ secretKey: `${beginning}_onlyfortests`, apiBase: undefined })).toBe(expected);
});
