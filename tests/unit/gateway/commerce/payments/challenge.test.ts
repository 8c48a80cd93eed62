import { beforeAll, describe, expect, test } from 'vitest';
import { type PaymentDependencies, paymentChallengeRefusal } from '../../../../../src/gateway/commerce/payments/pay-for-resource.ts';
import { readSigningSecrets } from '../../../../../src/platform/signing-secrets.ts';
import { hasTermsOf, isOwnChallenge, mppChallenge } from '../../../../../src/protocols/mpp/protocol.ts';
import { PaymentRequired } from '../../../../../src/protocols/x402/challenge.ts';
import { loadCommerceKit } from '../../../../support/commerce-kit.ts';
import { paymentDependencies, testResource, testSecrets } from '../../../../support/payments.ts';
import { simulatedDatabase } from '../../../../support/simulated/database.ts';
import { SimulatedTime } from '../../../../support/simulated/time.ts';

const NOW = Date.UTC(2027, 0, 1);
const kit = await loadCommerceKit();
const resource = testResource();
let deps: PaymentDependencies;
beforeAll(async () => {
  const unused = async (): Promise<never> => Promise.reject(new Error('nobody is asked'));
  deps = await paymentDependencies(simulatedDatabase(new SimulatedTime(NOW)).binding(), { verify: unused, settle: unused }, () => NOW);
});

describe('paymentChallengeRefusal()', () => {
  const refusal = async (more: Partial<PaymentDependencies> = {}) => {
    const reason = { code: 'payment_required', detail: 'It costs five cents.', error: 'payment_required' } as const;
    return (await paymentChallengeRefusal(reason, resource, { ...deps, ...more })).refusal;
  };

  test('says in the header what the body says, by the terms of the deployment', async () => {
    const { headers = {}, members } = await refusal();
    expect(JSON.parse(Buffer.from(headers['PAYMENT-REQUIRED'] ?? '', 'base64').toString())).toEqual(members);
    expect(PaymentRequired.parse(members)).toEqual(members);
    expect(members).toMatchObject({
      resource: { url: resource.url, serviceName: 'Tested publication', tags: ['selling'] },
      accepts: [{ amount: '50000', maxTimeoutSeconds: 300, extra: { name: 'USDC', version: '2', paymentFlow: 'upfront' } }],
    });
  });

  test('names a seller and a title in any script, and keeps to the bounds of the official schema', async () => {
    const { headers = {}, members } = await refusal({ seller: `Café “${'x'.repeat(60)}” \n` });
    expect(headers['PAYMENT-REQUIRED']).toMatch(/^[\x20-\x7e]+$/);
    expect((members as { resource: { serviceName: string } }).resource.serviceName).toHaveLength(32);
    expect((await refusal({ seller: '日本' })).members).not.toHaveProperty('resource.serviceName');
    expect(kit?.faultsOfPaymentRequired(members) ?? []).toEqual([]);
  });

  test('has no challenge of MPP without a secret', async () => {
    expect(Object.keys((await refusal({ secrets: undefined })).headers ?? {})).toEqual(['PAYMENT-REQUIRED']);
  });

  test.skipIf(kit === undefined)('is one to the official schemas of x402 and its extensions', async () => {
    const { members } = await refusal();
    expect(kit?.faultsOfPaymentRequired(members)).toEqual([]);
    const { bazaar, 'payment-identifier': identifier } = (members as { extensions: Record<string, { schema: object }> }).extensions;
    expect(kit?.faultsOfBazaar(bazaar)).toEqual([]);
    expect(identifier?.schema).toEqual(kit?.paymentIdentifierSchema);
  });
});

describe('mppChallenge()', () => {
  const make = async (secrets = deps.secrets) => {
    if (secrets === undefined) throw new Error('there are secrets');
    return mppChallenge(resource, deps.terms, secrets, deps.randomness, NOW);
  };

  test('is known again for its resource, and for no other', async () => {
    const challenge = await make();
    const secrets = await testSecrets();
    expect(await isOwnChallenge(challenge, resource, secrets)).toBe(true);
    expect(hasTermsOf(challenge, resource, deps.terms)).toBe(true);
    expect(await isOwnChallenge(challenge, testResource('another-thing'), secrets)).toBe(false);
    expect(await isOwnChallenge(challenge, testResource('sold-thing', 50_000, '1.0.0'), secrets)).toBe(false);
    expect(hasTermsOf(challenge, testResource('sold-thing', 60_000), deps.terms)).toBe(false);
  });

  test('is never the same twice, so that who was not given it cannot make it', async () => {
    expect((await make()).id).not.toBe((await make()).id);
  });

  test('does not hold with anything in it changed', async () => {
    const challenge = await make();
    const secrets = await testSecrets();
    const pieces = {
      id: challenge.id.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      realm: 'localhost',
      method: 'tempo',
      intent: 'session',
      request: 'e30',
      expires: '2030-01-01T00:00:00.000Z',
    };
    for (const [name, value] of Object.entries(pieces))
      expect([name, await isOwnChallenge({ ...challenge, [name]: value }, resource, secrets)]).toEqual([name, false]);
    for (const opaque of ['', '%', 'e30', 'bnVsbA', challenge.opaque.slice(0, -1)])
      expect(await isOwnChallenge({ ...challenge, opaque }, resource, secrets)).toBe(false);
  });

  test('holds under a secret that was replaced, as long as it verifies', async () => {
    const older = await testSecrets();
    const both = await readSigningSecrets(
      `9:${Buffer.alloc(32, 'another-key-of-tests-0123456789').toString('base64url')},1:${Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 + 1)).toString('base64url')}`,
    );
    if ('missing' in both) throw new Error(both.missing);
    const challenge = await make(older);
    expect(await isOwnChallenge(challenge, resource, both)).toBe(true);
    expect(await isOwnChallenge(await make(both), resource, older)).toBe(false);
  });
});
