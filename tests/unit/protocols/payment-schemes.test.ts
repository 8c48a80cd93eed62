import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReadHeader } from '../../../src/gateway/commerce/payments/payment-ports.ts';
import { paymentTerms } from '../../../src/gateway/commerce/payments/payment-terms.ts';
import { paymentChallengeRefusal, paymentFingerprint, readPayment } from '../../../src/gateway/commerce/payments/settle-payment.ts';
import { systemRuntime } from '../../../src/platform/clock-and-deadlines.ts';
import { PROTOCOL_ADAPTERS } from '../../../src/protocols/protocols.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import {
  sentHeaders,
  TEST_PAYMENTS,
  testAuthorization,
  testPayment,
  testResource,
  testSecrets,
  x402Headers,
} from '../../support/payments.ts';

const readBySchemes = (header: ReadHeader) => readPayment(header, PROTOCOL_ADAPTERS.payments.schemes);
const SIGNED = testAuthorization(Date.UTC(2027, 0, 1));
const PAYMENT = testPayment(testResource(), SIGNED);
const read = (payment: unknown) => readBySchemes(x402Headers(payment));
const mpp = (value: unknown) => sentHeaders({ Authorization: `Payment ${Buffer.from(JSON.stringify(value)).toString('base64url')}` });
const CREDENTIAL = {
  challenge: { id: 'x', realm: 'r', method: 'evm', intent: 'charge', request: 'e30', expires: 'z', opaque: 'e30' },
  payload: { ...SIGNED.authorization, type: 'authorization', signature: SIGNED.signature },
};

describe('the header Accept-Payment', () => {
  const both = ['evm', 'stripe'];
  test.each([
    [undefined, both],
    ['stripe/charge, evm/charge;q=0.5', ['stripe', 'evm']],
    ['evm/charge', ['evm']],
    ['stripe/*', ['stripe']],
    ['*/charge', both],
    ['*/*;q=0.1, stripe/charge', ['stripe', 'evm']],
    ['*/*, evm/charge;q=0', ['stripe']],
    ['*/session;q=0.3, stripe/charge;q=0.2', ['stripe']],
    // Nothing is left, or it is malformed: the usual challenges.
    ['tempo/charge', both],
    ['evm/charge;q=0, stripe/charge;q=0', both],
    ['', both],
    ['evm', both],
    [';;;q=,,/', both],
  ])('%s leaves the challenges %j, and that of x402', async (accepts, methods) => {
    const terms = paymentTerms({ payments: TEST_PAYMENTS });
    const world = {
      schemes: PROTOCOL_ADAPTERS.payments.schemes,
      secrets: await testSecrets(),
      ...systemRuntime,
      seller: 'Shop',
      baseUrl: TEST_BASE_URL,
    };
    const resource = testResource('sold-thing', 1_000_000);
    const reason = { code: 'payment_required', detail: 'It costs.', error: 'payment_required' } as const;
    const { refusal } = await paymentChallengeRefusal(reason, resource, { ...world, terms, cardProfile: 'profile_1', accepts });
    const challenges = refusal.headers?.['WWW-Authenticate'] ?? '';
    expect([...challenges.matchAll(/method="(\w+)"/g)].map(([, method]) => method)).toEqual(methods);
    expect(refusal.headers).toHaveProperty('PAYMENT-REQUIRED');
  });
});

describe('readPayment()', () => {
  test('reads what both schemes send', () => {
    expect(read(PAYMENT)).toMatchObject({ origin: ['x402', null], isSecret: false, signed: SIGNED });
    expect(readBySchemes(mpp(CREDENTIAL))).toMatchObject({ origin: ['mpp', 'x'], isSecret: true, signed: SIGNED });
  });

  test('reads the payment of one protocol beside one of another that it cannot read', () => {
    const authorization = mpp(CREDENTIAL)('Authorization') ?? '';
    for (const name of ['X-PAYMENT', 'PAYMENT-SIGNATURE'])
      expect(readBySchemes(sentHeaders({ [name]: 'e30=', Authorization: authorization }))).toMatchObject({ origin: ['mpp', 'x'] });
    const signature = x402Headers(PAYMENT)('PAYMENT-SIGNATURE') ?? '';
    expect(readBySchemes(sentHeaders({ 'PAYMENT-SIGNATURE': signature, Authorization: 'Payment e30' }))).toMatchObject({ signed: SIGNED });
  });

  test('names the header of version 1 of x402 where it is alone', () => {
    const unreadable = 'X-PAYMENT is of x402 version 1: pay by version 2, with PAYMENT-SIGNATURE';
    expect(readBySchemes(sentHeaders({ 'X-PAYMENT': 'e30=' }))).toEqual({ unreadable });
  });

  test.each([undefined, '', ' ', 'Bearer akg_test_1', 'Paymentx y', 'Basic UGF5bWVudA=='])(
    'finds no payment in an Authorization of "%s"',
    (authorization) => expect(readBySchemes((name) => (name === 'Authorization' ? authorization : undefined))).toBeUndefined(),
  );

  const members = PAYMENT as { payload: { authorization: object }; accepted: object };
  const changed = (authorization: object) => ({
    ...PAYMENT,
    payload: { ...members.payload, authorization: { ...members.payload.authorization, ...authorization } },
  });
  test.each([
    {},
    { ...PAYMENT, payload: { transaction: 'AAAA' } },
    { ...PAYMENT, x402Version: 1 },
    { ...PAYMENT, accepted: null },
    { ...PAYMENT, payload: {} },
    { ...PAYMENT, payload: { ...members.payload, signature: '0x' } },
    { ...PAYMENT, payload: { ...members.payload, signature: `0x${'ab'.repeat(3_000)}` } },
    { ...PAYMENT, payload: { permit2Authorization: {}, signature: SIGNED.signature } },
    changed({ value: '-1' }),
    changed({ value: '1e3' }),
    changed({ value: '050000' }),
    changed({ value: 50_000 }),
    changed({ value: '9'.repeat(79) }),
    changed({ nonce: '0x1' }),
    changed({ from: '0xzz' }),
    changed({ validBefore: ' 5' }),
    { ...PAYMENT, extensions: { 'payment-identifier': { info: { id: 'short' } } } },
    { ...PAYMENT, extensions: { 'payment-identifier': { info: { id: `${'x'.repeat(20)} ` } } } },
    { ...PAYMENT, extensions: { 'payment-identifier': { info: { id: 'x'.repeat(129) } } } },
  ])('calls an object of other terms unreadable, and neither repeats it nor refuses the header: %#', (payment) => {
    const answer = read(payment);
    expect(answer).toEqual({ unreadable: expect.stringMatching(/^PAYMENT-SIGNATURE is not what this response asks for: see \/[\w/-]*$/) });
  });

  test.each([
    '!',
    '====',
    'AAAA\n',
    'ë',
    'A'.repeat(16_385),
    Buffer.from('not json').toString('base64'),
    Buffer.from([0xff, 0xfe]).toString('base64'),
    Buffer.from('null').toString('base64'),
    Buffer.from('[]').toString('base64'),
  ])('so is what is no JSON object in base64, whose header is refused: %#', (paymentSignature) => {
    expect(readBySchemes((name) => (name === 'PAYMENT-SIGNATURE' ? paymentSignature : undefined))).toEqual({
      unreadable: expect.stringMatching(/^PAYMENT-SIGNATURE (is not|has more)/),
      refusedHeader: 'PAYMENT-SIGNATURE',
    });
  });

  test('never throws, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.json().map((json) => Buffer.from(json).toString('base64')),
        ),
        (text) => {
          for (const headers of [{ 'PAYMENT-SIGNATURE': text }, { Authorization: `Payment ${text}` }]) {
            const payment = readBySchemes((name) => headers[name as keyof typeof headers]);
            expect(payment === undefined || 'unreadable' in payment || 'signed' in payment).toBe(true);
          }
        },
      ),
    );
  });
});

describe('paymentFingerprint()', () => {
  const fingerprint = async (headers: ReadHeader): Promise<string> => {
    const payment = readBySchemes(headers);
    if (payment === undefined || 'unreadable' in payment) throw new Error('it can be read');
    return paymentFingerprint(payment);
  };

  test('is that of everything but the case of letters', async () => {
    const own = await fingerprint(x402Headers(PAYMENT));
    const upper = { ...PAYMENT, payload: { ...SIGNED, signature: `0x${SIGNED.signature.slice(2).toUpperCase()}` } };
    expect(await fingerprint(x402Headers(upper))).toBe(own);
    const identified = testPayment(testResource(), SIGNED, 'purchase-0000000000000001');
    for (const headers of [
      x402Headers(identified),
      x402Headers(changedNonce()),
      mpp(CREDENTIAL),
      mpp({ ...CREDENTIAL, challenge: { ...CREDENTIAL.challenge, id: 'y' } }),
    ])
      expect(await fingerprint(headers)).not.toBe(own);
  });

  test('an identifier is read where it stands', () => {
    const payment = read(testPayment(testResource(), SIGNED, 'purchase-0000000000000001'));
    expect(payment).toMatchObject({ identifier: 'purchase-0000000000000001', isSecret: true });
  });
});

function changedNonce(): Record<string, unknown> {
  return testPayment(testResource(), { ...SIGNED, authorization: { ...SIGNED.authorization, nonce: `0x${'08'.repeat(32)}` } });
}
