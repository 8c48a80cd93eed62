import { describe, expect, test } from 'vitest';
import type { PaymentEvent } from '../../../../src/gateway/commerce/orders/order-ports.ts';
import type { Result } from '../../../../src/gateway/result.ts';
import { stripeWebhookReader } from '../../../../src/platform/environment.ts';
import { READ_EVENT_TYPES } from '../../../../src/platform/stripe/stripe-events.ts';
import { fromStripeAmount, toStripeAmount } from '../../../../src/platform/stripe/stripe-payments.ts';
import {
  chargeRefunded,
  checkoutCompleted,
  eventOf,
  intentMessage,
  NEW_WEBHOOK_SECRET,
  OLD_WEBHOOK_SECRET,
  signatureOf,
  TEST_WEBHOOK_SECRETS,
} from '../../../support/stripe-messages.ts';

const NOW = Date.UTC(2027, 0, 1);
const SECOND = 1_000;
const UTF8 = new TextEncoder();

function read(payload: string | Uint8Array, signature: string, secrets = TEST_WEBHOOK_SECRETS): Promise<Result<PaymentEvent>> {
  const reader = stripeWebhookReader(secrets);
  if (typeof reader !== 'function') throw new Error(reader.missing);
  return reader(typeof payload === 'string' ? UTF8.encode(payload) : payload, signature, NOW);
}
const readEvent = (event: unknown) => {
  const payload = JSON.stringify(event, null, 2);
  return read(payload, signatureOf(payload, { atMs: NOW }));
};
const parseStripeEvent = async (event: unknown): Promise<unknown> => {
  const read = await readEvent(event);
  if (!read.ok) return `${read.refusal.code} ${read.refusal.errors?.map(({ pointer }) => pointer).join(' ')}`;
  const { id: _, type: _type, ...said } = read.value;
  return said;
};

describe('signatures', () => {
  const payload = JSON.stringify(checkoutCompleted('cs_1', 24_000), null, 2);
  const good = signatureOf(payload, { atMs: NOW });
  const bytes = UTF8.encode(payload);
  const refused = { ok: false, refusal: { code: 'signature_invalid' } };

  test.each([
    ['the first secret', OLD_WEBHOOK_SECRET, TEST_WEBHOOK_SECRETS],
    ['the second secret', NEW_WEBHOOK_SECRET, TEST_WEBHOOK_SECRETS],
    ['one secret alone, with white space', NEW_WEBHOOK_SECRET, ` ${NEW_WEBHOOK_SECRET}\n`],
  ])('%s is taken', async (_case, secret, secrets) => {
    expect(await read(payload, signatureOf(payload, { atMs: NOW, secret }), secrets)).toMatchObject({ ok: true });
  });

  test('refuses a signature with a removed secret', async () => {
    const signature = signatureOf(payload, { atMs: NOW, secret: OLD_WEBHOOK_SECRET });
    expect(await read(payload, signature, NEW_WEBHOOK_SECRET)).toMatchObject(refused);
  });

  test('accepts a header with two signatures during a rotation of secrets', async () => {
    const [time = '', second = ''] = signatureOf(payload, { atMs: NOW, secret: NEW_WEBHOOK_SECRET }).split(',');
    expect(await read(payload, `${time},v1=${'0'.repeat(64)},${second}`, NEW_WEBHOOK_SECRET)).toMatchObject({ ok: true });
  });

  test('accepts timestamps up to five minutes off, in both directions', async () => {
    for (const sign of [1, -1]) {
      expect(await read(payload, signatureOf(payload, { atMs: NOW + sign * 300 * SECOND }))).toMatchObject({ ok: true });
      expect(await read(payload, signatureOf(payload, { atMs: NOW + sign * 301 * SECOND }))).toMatchObject(refused);
    }
    // The library signs and checks with the last time that stands in the header, and so does the look ahead.
    const [, ahead = ''] = signatureOf(payload, { atMs: NOW + 301 * SECOND }).split('t=');
    expect(await read(payload, `t=${NOW / SECOND},t=${ahead}`)).toMatchObject(refused);
  });

  test('refuses any changed bit of the message', async () => {
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      expect([at, await read(changed, good)]).toMatchObject([at, refused]);
    }
    expect(await read(`\u{feff}${payload}`, good)).toMatchObject(refused);
    expect(await read(`${payload}\n`, good)).toMatchObject(refused);
  });

  test('refuses any changed character of the signature', async () => {
    for (let at = good.indexOf('v1=') + 3; at < good.length; at += 1) {
      const other = good[at] === '0' ? '1' : '0';
      expect(await read(payload, good.slice(0, at) + other + good.slice(at + 1))).toMatchObject(refused);
    }
  });

  test.each([
    ['nothing', ''],
    ['no time', good.replace(/^t=\d+,/, '')],
    ['a time that is no number', good.replace(/^t=\d+/, 't=now')],
    ['another time', good.replace(/^t=\d+/, `t=${NOW / SECOND + 1}`)],
    ['another scheme alone', good.replace('v1=', 'v0=')],
    ['a signature cut short', good.slice(0, -2)],
    ['upper case', good.replace(/v1=.*/, (value) => `v1=${value.slice(3).toUpperCase()}`)],
    ['only commas', ',,,,'],
  ])('refuses a header with %s', async (_case, signature) => expect(await read(payload, signature)).toMatchObject(refused));

  test('refuses signed bytes that are not UTF-8', async () => {
    const broken = Uint8Array.from([0x7b, 0xff, 0x7d]);
    expect(await read(broken, signatureOf(broken, { atMs: NOW }))).toMatchObject(refused);
  });

  test('reports why a signed event is invalid', async () => {
    for (const text of ['{"id":', '[]', '"text"', 'null'])
      expect(await read(text, signatureOf(text, { atMs: NOW }))).toMatchObject({ refusal: { code: 'invalid_json' } });
    expect(await parseStripeEvent({})).toBe('invalid_request /id /type /data');
    expect(await parseStripeEvent({ id: 'evt_1', type: 'charge.refunded' })).toBe('invalid_request /data');
    expect(await readEvent({ id: 'evt_1', data: { object: 1 } })).toMatchObject({
      refusal: {
        detail: 'The event, which is signed, is invalid: /type is missing.',
        errors: [{ pointer: '/type', message: 'is missing' }],
      },
    });
  });

  test.each([
    undefined,
    '',
    ' , ',
    'whsec_short',
    `${TEST_WEBHOOK_SECRETS},whsec_for_tests_only_000000000003`,
    'whsec with spaces in the middle of it',
  ])('the secrets %j are none, and are not shown', (secrets) => {
    const { missing } = stripeWebhookReader(secrets) as { missing: string };
    expect(missing).toMatch(/^(This deployment has no secret|The webhook secrets) /);
    expect(missing).not.toContain('whsec');
  });
});

describe('what messages say', () => {
  const paid = { kind: 'paid', sessionId: 'cs_1', amountMinor: 24_000, currency: 'USD' };

  test('a checkout that is paid', async () => {
    expect(await parseStripeEvent(checkoutCompleted('cs_1', 24_000))).toEqual({
      ...paid,
      paymentReference: 'pi_of_cs_1',
      email: 'buyer@agents.example',
    });
    const later = { ...checkoutCompleted('cs_1', 24_000), type: 'checkout.session.async_payment_succeeded' };
    expect(await parseStripeEvent(later)).toMatchObject(paid);
    const odd = { customer_details: { email: 'no address' } };
    expect(await parseStripeEvent(checkoutCompleted('cs_1', 24_000, odd))).toMatchObject({ ...paid, email: undefined });
  });

  test('uses the subscription as payment reference, and none for a free checkout', async () => {
    const subscription = { mode: 'subscription', payment_intent: null, subscription: { id: 'sub_1' } };
    expect(await parseStripeEvent(checkoutCompleted('cs_1', 900, subscription))).toMatchObject({ kind: 'paid', paymentReference: 'sub_1' });
    const free = { payment_status: 'no_payment_required', payment_intent: null };
    expect(await parseStripeEvent(checkoutCompleted('cs_1', 0, free))).toMatchObject({
      kind: 'paid',
      paymentReference: undefined,
      amountMinor: 0,
    });
  });

  test('reads the session of a checkout from its reference or metadata, if any', async () => {
    expect(await parseStripeEvent(checkoutCompleted(null, 24_000))).toMatchObject({ kind: 'paid', sessionId: undefined });
    expect(await parseStripeEvent(checkoutCompleted(null, 24_000, { metadata: { checkout_session_id: 'cs_1' } }))).toMatchObject(paid);
  });

  test('ignores a completed checkout that is not paid yet', async () => {
    expect(await parseStripeEvent(checkoutCompleted('cs_1', 24_000, { payment_status: 'unpaid' }))).toEqual({ kind: 'other' });
    expect(await parseStripeEvent(checkoutCompleted('cs_1', 0, { mode: 'setup', amount_total: null, currency: null }))).toEqual({
      kind: 'other',
    });
  });

  test('reads payments of agents, and failed ones with their attempt', async () => {
    const intent = { id: 'pi_1', amount_received: 24_000, metadata: { checkout_session_id: 'cs_1', attempt: 'a1' } };
    expect(await parseStripeEvent(intentMessage('succeeded', intent))).toEqual({ ...paid, paymentReference: 'pi_1', email: undefined });
    expect(await parseStripeEvent(intentMessage('payment_failed', intent))).toEqual({
      kind: 'failed',
      sessionId: 'cs_1',
      attempt: 'a1',
      reason: 'insufficient_funds',
    });
    expect(await parseStripeEvent(intentMessage('succeeded', { ...intent, metadata: {} }))).toEqual({ kind: 'other' });
  });

  test('reads a refund with its payment', async () => {
    expect(await parseStripeEvent(chargeRefunded('pi_1', 4_000))).toEqual({
      kind: 'refunded',
      paymentReference: 'pi_1',
      amountMinor: 4_000,
      currency: 'USD',
    });
    const { data, ...event } = chargeRefunded('pi_of_a_text', 100);
    const ofText = { ...event, data: { object: { ...(data.object as object), metadata: { mpp_challenge_id: 'x' } } } };
    expect(await parseStripeEvent(ofText)).toMatchObject({ kind: 'other' });
    expect(await parseStripeEvent(chargeRefunded(null, 4_000))).toMatchObject({ kind: 'refunded', paymentReference: undefined });
  });

  test('ignores all other event types', async () => {
    for (const type of ['plan.created', 'constructor', 'charge.succeeded', 'checkout.session.expired'])
      expect(await parseStripeEvent(eventOf(type, { anything: [null] }))).toEqual({ kind: 'other' });
  });

  test.each(READ_EVENT_TYPES)(
    'a message of type %s whose object is something else is refused, so that no money is overlooked',
    async (type) => {
      expect(await parseStripeEvent(eventOf(type, { object: 'something else' }))).toMatch(/^invalid_request \/data\/object\/[a-z_]+/);
      expect(await parseStripeEvent(eventOf(type, null))).toBe('invalid_request /data/object');
    },
  );

  test.each([
    ['an amount below zero', { amount_total: -1 }, 'amount_total'],
    ['an amount that is no whole number', { amount_total: 0.5 }, 'amount_total'],
    ['no amount', { amount_total: null }, 'amount_total'],
    ['a currency that is none', { currency: 'dollars' }, 'currency'],
    ['a state of payment that does not exist', { payment_status: 'perhaps' }, 'payment_status'],
    ['metadata whose names are those of others', { metadata: { 'a name of others': 1 } }, 'metadata'],
  ])('refuses a checkout with %s and names the member', async (_case, more, member) => {
    expect(await parseStripeEvent(checkoutCompleted('cs_1', 1, more))).toBe(`invalid_request /data/object/${member}`);
  });
});

test.each([
  ['USD', 12_345, 12_345],
  ['JPY', 1_200, 1_200],
  ['KWD', 30_120, 30_120],
  // Stripe counts these otherwise than ISO 4217.
  ['ISK', 500, 50_000],
  ['ugx', 500, 50_000],
  ['MGA', 500_000, 5_000],
])('an amount in %s is counted as Stripe counts it', (currency, amountMinor, amount) => {
  expect(toStripeAmount(amountMinor, currency)).toBe(amount);
  expect(fromStripeAmount(amount, currency)).toBe(amountMinor);
});
