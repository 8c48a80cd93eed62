import { beforeEach, describe, expect, test } from 'vitest';
import type { Facilitator, ReadHeader } from '../../../../../src/gateway/commerce/payments/payment-ports.ts';
import { isPayableAddress, paymentTerms } from '../../../../../src/gateway/commerce/payments/payment-terms.ts';
import { type PaymentDependencies, paymentChallengeRefusal } from '../../../../../src/gateway/commerce/payments/settle-payment.ts';
import { readSigningSecrets } from '../../../../../src/platform/environment.ts';
import { hasTermsOf, isOwnChallenge, type MppChallenge, mppChallenges } from '../../../../../src/protocols/mpp/mpp.ts';
import { PaymentRequired } from '../../../../../src/protocols/x402/payment-required.ts';
import { toHex } from '../../../../../src/provenance/bytes-and-sha256.ts';
import { keccak256 } from '../../../../../src/provenance/canonical-json.ts';
import { DEMO_PROFILE } from '../../../../../src/schemas/commerce/stablecoin-payments.ts';
import { loadCommerceKit } from '../../../../support/commerce-kit.ts';
import {
  paymentDependencies,
  payWith,
  sentHeaders,
  TEST_PAYMENTS,
  testAuthorization,
  testPayment,
  testResource,
  testSecrets,
  x402Headers,
} from '../../../../support/payments.ts';
import { useDatabase } from '../../../../support/simulated/use-database.ts';

const BEGIN = Date.UTC(2027, 0, 1);
const HOUR_MS = 3_600_000;
const resource = testResource();
const payment = x402Headers(testPayment(resource, testAuthorization(BEGIN)));

function settlingFacilitator(): Facilitator & { readonly settled: string[] } {
  const settled: string[] = [];
  return {
    settled,
    verify: async ({ signed }) =>
      settled.includes(signed.authorization.nonce)
        ? { kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used' }
        : { kind: 'valid' },
    settle: async ({ signed }) => {
      settled.push(signed.authorization.nonce);
      return { kind: 'settled', transaction: `0x${'5e'.repeat(32)}` };
    },
  };
}

const database = useDatabase(BEGIN);
let facilitator: ReturnType<typeof settlingFacilitator>;
let nowMs: number;
let deps: PaymentDependencies;
beforeEach(async () => {
  facilitator = settlingFacilitator();
  nowMs = BEGIN;
  deps = await paymentDependencies(database.binding(), facilitator, () => nowMs);
});

const pay = async (headers: ReadHeader, more: Partial<PaymentDependencies> = {}, sold = resource): Promise<string> => {
  const answer = await payWith(headers, sold, { ...deps, ...more });
  return answer.ok
    ? `text of ${answer.value.version}`
    : `${answer.refusal.code} ${(answer.refusal.members as { error?: string } | undefined)?.error ?? ''}`.trim();
};

describe('payForResource()', () => {
  test('tells a request whose payment was settled while the facilitator looked at it that it is paid', async () => {
    // The second request finds no reservation, and the look of the facilitator comes after the first has settled.
    const late: Facilitator = {
      ...facilitator,
      verify: async (asked) => {
        expect(await pay(payment)).toBe('text of 1.2.0');
        return facilitator.verify(asked);
      },
    };
    expect([await pay(payment, { facilitator: late }), facilitator.settled.length]).toEqual(['text of 1.2.0', 1]);
  });

  test('gives the version that was bought, also when another is the newest by the time that it is asked for again', async () => {
    expect(await pay(payment)).toBe('text of 1.2.0');
    expect(await pay(payment, {}, { ...resource, version: '1.3.0' })).toBe('text of 1.2.0');
  });

  test('answers a purchase again by its payment alone, whatever the price is by then', async () => {
    await pay(payment);
    expect(await pay(payment, {}, { ...resource, priceMicros: 70_000 })).toBe('text of 1.2.0');
    const fresh = x402Headers(testPayment(resource, testAuthorization(BEGIN, { nonce: `0x${'09'.repeat(32)}` })));
    expect(await pay(fresh, {}, { ...resource, priceMicros: 70_000 })).toBe('payment_invalid invalid_payment_requirements');
  });

  test('calls a payment refused only where that is noted: another attempt may have begun', async () => {
    const refusing: Facilitator = {
      ...facilitator,
      settle: async () => ({ kind: 'refused', reason: 'insufficient_funds', cause: 'nothing_sent' }),
    };
    const lost = { ...deps.reservations, unsettled: () => Promise.reject(new Error('away')) };
    const late = { ...deps.reservations, unsettled: async () => false };
    expect(await pay(payment, { facilitator: refusing, reservations: lost })).toBe('facilitator_unavailable');
    nowMs += 31_000;
    const second = x402Headers(testPayment(resource, testAuthorization(BEGIN, { nonce: `0x${'0b'.repeat(32)}` })));
    expect(await pay(second, { facilitator: refusing, reservations: late })).toBe('facilitator_unavailable');
    const third = x402Headers(testPayment(resource, testAuthorization(BEGIN, { nonce: `0x${'0c'.repeat(32)}` })));
    expect(await pay(third, { facilitator: refusing })).toBe('payment_invalid insufficient_funds');
  });

  test('counts a new purchase for its payer, settles nothing once the quota is used up, and returns what a settled one took', async () => {
    const calls: unknown[] = [];
    let allowed = true;
    const quotas: PaymentDependencies['quotas'] = {
      take: async (name, subject, atMs) => {
        calls.push(['take', name, subject, atMs]);
        return { allowed, remaining: 0, endsAtMs: atMs + 1_000 };
      },
      giveBack: async (name, subject, atMs) => void calls.push(['giveBack', name, subject, atMs]),
    };
    const { from } = testAuthorization(BEGIN).authorization;
    const counted = (call: string) => [call, 'payer_claims', from.toLowerCase(), BEGIN];
    expect(await pay(payment, { quotas })).toBe('text of 1.2.0');
    expect(calls).toEqual([counted('take'), counted('giveBack')]);
    allowed = false;
    const second = x402Headers(testPayment(resource, testAuthorization(BEGIN, { nonce: `0x${'0d'.repeat(32)}` })));
    expect([await pay(second, { quotas }), facilitator.settled.length, calls.length]).toEqual(['quota_exceeded', 1, 3]);
    // A purchase that is known is counted no more.
    expect([await pay(payment, { quotas }), calls.length]).toEqual(['text of 1.2.0', 3]);
  });

  test('refuses none of fifty requests at the same time with one payment for the quota, and returns what they took', async () => {
    let taken = 0;
    const quotas: PaymentDependencies['quotas'] = {
      take: async (_name, _subject, atMs) => {
        const allowed = taken < 20;
        taken += Number(allowed);
        return { allowed, remaining: 0, endsAtMs: atMs + 1_000 };
      },
      giveBack: async () => {
        taken -= 1;
      },
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => pay(payment, { quotas })));
    expect(answers.filter((answer) => !['text of 1.2.0', 'payment_settling'].includes(answer))).toEqual([]);
    expect([facilitator.settled.length, taken]).toEqual([1, 0]);
  });

  test('calls a payment refused that the chain will never have, so that its buyer can pay again', async () => {
    const lost: Facilitator = { ...facilitator, settle: async () => ({ kind: 'unknown' }) };
    const find = async () => ({ kind: 'never', reason: 'invalid_exact_evm_payload_authorization_valid_before' }) as const;
    expect(await pay(payment, { facilitator: lost, ledger: undefined })).toBe('facilitator_unavailable');
    nowMs += 31_000;
    const refused = 'payment_invalid invalid_exact_evm_payload_authorization_valid_before';
    expect(await pay(payment, { facilitator: lost, ledger: { find } })).toBe(refused);
    const another = x402Headers(testPayment(resource, testAuthorization(BEGIN, { nonce: `0x${'0d'.repeat(32)}` })));
    expect(await pay(another)).toBe('text of 1.2.0');
  });

  test('notes a settlement again where the first note was lost, so that a lost answer can be repeated', async () => {
    let calls = 0;
    const settled: typeof deps.reservations.settled = (...values) => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('away')) : deps.reservations.settled(...values);
    };
    expect(await pay(payment, { reservations: { ...deps.reservations, settled } })).toBe('text of 1.2.0');
    expect([await pay(payment), facilitator.settled.length]).toEqual(['text of 1.2.0', 1]);
  });

  test('does not take a mistake of ours for a database that is away', async () => {
    const broken: Facilitator = { ...facilitator, settle: () => Promise.reject(new TypeError('a mistake')) };
    await expect(pay(payment, { facilitator: broken })).rejects.toThrow('a mistake');
    const away = { ...deps.reservations, find: () => Promise.reject(new Error('away')) };
    expect(await pay(payment, { reservations: away })).toBe('state_unavailable');
  });
});

describe('payForResource() by MPP', () => {
  const challenge = async (): Promise<MppChallenge> => {
    if (deps.secrets === undefined) throw new Error('there are secrets');
    const [made] = await mppChallenges('evm', resource, deps, deps.secrets, deps.randomness, nowMs);
    if (made === undefined) throw new Error('the price can be paid');
    return made;
  };
  const credential = (given: MppChallenge, nonce?: string): ReadHeader => {
    const hash = `0x${toHex(keccak256(new TextEncoder().encode(given.id + given.realm)))}`;
    const { signature, authorization } = testAuthorization(nowMs, { nonce: nonce ?? hash });
    const value = { challenge: given, payload: { ...authorization, signature, type: 'authorization' } };
    return sentHeaders({ Authorization: `Payment ${Buffer.from(JSON.stringify(value)).toString('base64url')}` });
  };

  test('sells for an authorization that was signed for the challenge, and for no other', async () => {
    const given = await challenge();
    expect(await pay(credential(given, `0x${'07'.repeat(32)}`))).toBe('payment_invalid invalid_nonce');
    expect(await pay(credential(given))).toBe('text of 1.2.0');
    expect(facilitator.settled).toHaveLength(1);
  });

  test('takes no challenge that is over, of other terms, or of somebody else', async () => {
    const given = await challenge();
    expect(await pay(credential(given), {}, { ...resource, priceMicros: 60_000 })).toBe('payment_invalid invalid_payment_requirements');
    expect(await pay(credential({ ...given, opaque: 'e30' }))).toBe('payment_invalid invalid_challenge');
    expect(await pay(credential(given), { secrets: undefined })).toBe('payment_invalid invalid_challenge');
    nowMs += 300_000;
    expect(await pay(credential(given))).toBe('payment_invalid challenge_expired');
    expect(facilitator.settled).toEqual([]);
  });

  test('answers a day long, because nobody but the buyer knows the challenge', async () => {
    const headers = credential(await challenge());
    await pay(headers);
    nowMs = BEGIN + 24 * HOUR_MS;
    expect([await pay(headers), facilitator.settled.length]).toEqual(['text of 1.2.0', 1]);
  });
});

test('paymentTerms() are none while payments are off, and an error for an unsupported network', () => {
  expect(paymentTerms({ payments: undefined })).toBeUndefined();
  expect(() => paymentTerms({ payments: { ...TEST_PAYMENTS, network: 'eip155:1' } })).toThrow(/^the network eip155:1 /);
});

describe('isPayableAddress()', () => {
  test.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    '0x000000000000000000000000000000000000dEaD',
    '0x52908400098527886e0f7030069857d2e4169ee7',
    '0x52908400098527886E0F7030069857D2E4169EE7',
  ])('takes %s, as EIP-55 writes it or without capitals that mean anything', (address) => expect(isPayableAddress(address)).toBe(true));

  test.each(['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed', '0x000000000000000000000000000000000000DeaD', `0x${'0'.repeat(40)}`])(
    'refuses %s: a letter is wrong, or it is nobody',
    (address) => expect(isPayableAddress(address)).toBe(false),
  );
});

const kit = await loadCommerceKit();

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

describe('mppChallenges()', () => {
  const make = async (secrets = deps.secrets) => {
    if (secrets === undefined) throw new Error('there are secrets');
    const [made] = await mppChallenges('evm', resource, deps, secrets, deps.randomness, BEGIN);
    if (made === undefined) throw new Error('the price can be paid');
    return made;
  };

  test('is known again for its resource, and for no other', async () => {
    const challenge = await make();
    const secrets = await testSecrets();
    expect(await isOwnChallenge(challenge, resource, secrets)).toBe(true);
    expect(hasTermsOf(challenge, resource, deps)).toBe(true);
    expect(await isOwnChallenge(challenge, testResource('another-thing'), secrets)).toBe(false);
    expect(await isOwnChallenge(challenge, testResource('sold-thing', 50_000, '1.0.0'), secrets)).toBe(false);
    expect(hasTermsOf(challenge, testResource('sold-thing', 60_000), deps)).toBe(false);
  });

  test.each(['evm', 'stripe'] as const)('says for %s that it is a demonstration, where it is one', async (method) => {
    const secrets = await testSecrets();
    const described = async (cardProfile: string) => {
      const sold = testResource('sold-thing', 1_000_000);
      const made = await mppChallenges(method, sold, { ...deps, cardProfile }, secrets, deps.randomness, BEGIN);
      return made.map(({ description }) => description);
    };
    expect(await described(DEMO_PROFILE)).toEqual([expect.stringContaining('This is a demonstration: no money is taken')]);
    expect(await described('profile_1AbC')).toEqual([undefined]);
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
    expect(await isOwnChallenge(await make(older), resource, both)).toBe(true);
    expect(await isOwnChallenge(await make(both), resource, older)).toBe(false);
  });
});
