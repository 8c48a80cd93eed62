import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PaymentDependencies } from '../../../../../src/gateway/commerce/payments/settle-payment.ts';
import { stripeClient, stripeProcessor } from '../../../../../src/platform/stripe/stripe-payments.ts';
import type { TextPrices } from '../../../../../src/schemas/commerce/capsule-price.ts';
import { loadCommerceKit, type MakeCardToken } from '../../../../support/commerce-kit.ts';
import { paymentDependencies, shopFetch, testResource } from '../../../../support/payments.ts';
import { useDatabase } from '../../../../support/simulated/use-database.ts';
import { DOUBLE_KEY, type StripeDouble, startStripeDouble, TOKENS } from '../../../../support/stripe-double.ts';

const BEGIN = Date.UTC(2027, 0, 1);
const MINUTE_MS = 60_000;
const PROFILE = 'profile_of_the_shop';
const text = testResource('sold-thing', 1_000_000);
const other = testResource('another-thing', 1_000_000);
const kit = await loadCommerceKit();
const database = useDatabase(BEGIN);
let double: StripeDouble;
let nowMs: number;
let deps: PaymentDependencies;
let made = 0;

beforeAll(async () => {
  double = await startStripeDouble();
});
afterAll(() => double.stop());
const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
afterEach(() => {
  expect(double.faults).toEqual([]);
  log.mockClear();
});

beforeEach(async () => {
  nowMs = BEGIN;
  double.intents.length = 0;
  deps = await cardDependencies();
});

async function cardDependencies(more: Partial<PaymentDependencies> = {}, binding = database.binding()): Promise<PaymentDependencies> {
  const facilitator = { verify: async () => ({ kind: 'unknown' }) as const, settle: async () => ({ kind: 'unknown' }) as const };
  const processor = stripeProcessor(stripeClient({ secretKey: DOUBLE_KEY, apiBase: double.origin }), false);
  return paymentDependencies(binding, facilitator, () => nowMs, { cardProfile: PROFILE, processor, ...more });
}

type Shop = typeof globalThis.fetch;
const shop = (used = deps): Shop => shopFetch([text, other], used);

function challengesOf({ headers }: Response): Record<string, { readonly request: Record<string, unknown>; readonly members: object }> {
  const header = headers.get('www-authenticate') ?? '';
  const challenges = header.split(/,\s*(?=Payment )/).map((one) => {
    const members = Object.fromEntries([...one.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));
    return [members['method'], { members, request: JSON.parse(Buffer.from(members['request'] ?? '', 'base64url').toString()) as object }];
  });
  return Object.fromEntries(challenges) as ReturnType<typeof challengesOf>;
}

async function credential(kind: string, given?: object, fetch: Shop = shop()): Promise<RequestInit> {
  const challenge = given ?? challengesOf(await fetch(text.url))['stripe']?.members;
  made += 1;
  const value = { challenge, payload: { spt: `${kind}_${made}` } };
  return { headers: { Authorization: `Payment ${Buffer.from(JSON.stringify(value)).toString('base64url')}` } };
}

async function codeOf(response: Response): Promise<string> {
  if (response.status === 200) return `200 ${await response.text()}`;
  const { code, error } = (await response.json()) as { code: string; error?: string };
  return [response.status, code, error].filter((part) => part !== undefined).join(' ');
}

const tried = async (kind: string, challenge?: object, { url } = text): Promise<string> =>
  codeOf(await shop()(url, await credential(kind, challenge)));

const PAID = '200 text of 1.2.0';
const EURO = { amount: '0.95', currency: 'EUR' };

describe.skipIf(kit === undefined)('the official client of MPP', () => {
  const paying = (createToken: MakeCardToken, fetch: Shop): Shop => {
    if (kit === undefined) throw new Error('the kit is there');
    return kit.cardFetch(createToken, fetch);
  };

  test('pays by card what the challenge asks for, gets the text, and reads the receipt', async () => {
    const asked: object[] = [];
    const createToken: MakeCardToken = async ({ amount, currency, networkId, expiresAt }) => {
      asked.push({ amount, currency, networkId, seconds: expiresAt - BEGIN / 1_000 });
      return `${TOKENS.pays}_official`;
    };
    const response = await paying(createToken, shop())(text.url);
    expect(await codeOf(response)).toBe(PAID);
    expect(asked).toEqual([{ amount: '100', currency: 'usd', networkId: PROFILE, seconds: 300 }]);
    expect(double.intents).toMatchObject([
      { amount: 100, currency: 'usd', token: `${TOKENS.pays}_official`, metadata: { capsule_id: 'sold-thing', version: '1.2.0' } },
    ]);
    expect([response.headers.get('cache-control'), response.headers.has('payment-response')]).toEqual(['private, no-store', false]);
    expect(JSON.parse(Buffer.from(response.headers.get('payment-receipt') ?? '', 'base64url').toString())).toEqual({
      status: 'success',
      method: 'stripe',
      timestamp: new Date(BEGIN).toISOString(),
      reference: double.intents[0]?.id,
    });
  });

  test.each<[string, TextPrices, string[]]>([
    ['euros alone', { price: EURO }, ['stripe']],
    ['euros, where a token pays dollars', { price: { amount: '1.00', currency: 'USD' }, prices: [EURO] }, ['evm', 'stripe']],
  ])('pays in %s, once, and every way is offered what it has', async (_, prices, methods) => {
    const sold = shopFetch([testResource('sold-thing', prices)], deps);
    const offered = await sold(text.url);
    expect(Object.keys(challengesOf(offered))).toEqual(methods);
    expect(offered.headers.has('payment-required')).toBe(methods.includes('evm'));
    const asked: object[] = [];
    const createToken: MakeCardToken = async ({ amount, currency }) => {
      asked.push({ amount, currency });
      return `${TOKENS.pays}_euro`;
    };
    const sent: Headers[] = [];
    const recorded: Shop = async (input, init) => {
      const request = new Request(input, init);
      sent.push(request.headers);
      return sold(request);
    };
    expect(await codeOf(await paying(createToken, recorded)(text.url))).toBe(PAID);
    const authorization = sent.at(-1)?.get('authorization') ?? '';
    expect(await codeOf(await sold(text.url, { headers: { authorization } }))).toBe(PAID);
    // A later price in another currency does not part the buyer from the text.
    expect(await codeOf(await shop()(text.url, { headers: { authorization } }))).toBe(PAID);
    expect([asked, double.intents.map(({ amount, currency }) => ({ amount, currency }))]).toEqual([
      [{ amount: '95', currency: 'eur' }],
      [{ amount: 95, currency: 'eur' }],
    ]);
  });

  test('pays in dollars too where a text has other prices', async () => {
    const priced = testResource('sold-thing', { price: { amount: '1.00', currency: 'USD' }, prices: [EURO] });
    expect(priced.cards).toEqual([
      { amountMinor: 95, currency: 'EUR' },
      { amountMinor: 100, currency: 'USD' },
    ]);
    const sold = shopFetch([priced], deps);
    // A buyer who takes the last challenge.
    const inDollars: Shop = async (input, init) => {
      const response = await sold(input, init);
      const challenges = response.headers.get('www-authenticate')?.split(/, (?=Payment )/) ?? [];
      const headers = new Headers(response.headers);
      headers.set('www-authenticate', challenges.at(-1) ?? '');
      return response.status === 402 ? new Response(await response.text(), { status: 402, headers }) : response;
    };
    expect(await codeOf(await paying(async () => `${TOKENS.pays}_dollars`, inDollars)(text.url))).toBe(PAID);
    expect(double.intents).toMatchObject([{ amount: 100, currency: 'usd' }]);
  });

  test('gets no text for cards that are declined, however often it tries, and nothing is charged', async () => {
    const tokens: string[] = [];
    const createToken: MakeCardToken = async () => {
      tokens.push(`${TOKENS.declined}_${tokens.length}`);
      return tokens.at(-1) ?? '';
    };
    expect(await codeOf(await paying(createToken, shop())(text.url))).toBe('402 payment_invalid insufficient_funds');
    expect([tokens.length > 0, double.intents]).toEqual([true, []]);
  });
});

describe('a payment by card', () => {
  test('is offered beside a token, each with a challenge of its own', async () => {
    const { evm, stripe } = challengesOf(await shop()(text.url));
    expect(evm?.request).toMatchObject({ amount: '1000000' });
    expect(stripe?.request).toEqual({
      amount: '100',
      currency: 'usd',
      methodDetails: { networkId: PROFILE, paymentMethodTypes: ['card', 'link'] },
    });
  });

  test.each([
    [1, undefined],
    [1_000, undefined],
    [490_000, undefined],
    [500_000, '50'],
    [505_000, undefined],
    [10_000_000_000, '1000000'],
  ])('of %d millionths of a dollar is offered for %s cents, and in a token for as many units', async (priceMicros, cents) => {
    const response = await shopFetch([testResource('sold-thing', priceMicros)], deps)(text.url);
    const { evm, stripe } = challengesOf(response);
    expect([evm?.request['amount'], stripe?.request['amount']]).toEqual([String(priceMicros), cents]);
    const required = JSON.parse(atob(response.headers.get('payment-required') ?? '')) as { accepts: { amount: string }[] };
    expect(required.accepts.map(({ amount }) => amount)).toEqual([String(priceMicros)]);
  });

  test('is the only way where no token is taken', async () => {
    const alone = await cardDependencies({ terms: undefined });
    const response = await shop(alone)(text.url);
    expect([Object.keys(challengesOf(response)), response.headers.has('payment-required')]).toEqual([['stripe'], false]);
    expect(await codeOf(await shop(alone)(text.url, await credential(TOKENS.pays, undefined, shop(alone))))).toBe(PAID);
  });

  test('is charged once, and answered with the same text and receipt for a day', async () => {
    const sent = await credential(TOKENS.pays);
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop()(text.url, sent)));
    const codes = await Promise.all(answers.map(codeOf));
    expect(codes.filter((code) => code === PAID).length).toBeGreaterThan(0);
    expect(new Set(codes.filter((code) => code !== PAID))).toEqual(
      new Set(codes.includes('409 payment_settling') ? ['409 payment_settling'] : []),
    );
    nowMs += 23 * 60 * MINUTE_MS;
    const again = await shop()(text.url, sent);
    expect([await codeOf(again), again.headers.get('payment-receipt')]).toEqual([
      PAID,
      answers.find(({ status }) => status === 200)?.headers.get('payment-receipt'),
    ]);
    expect(double.intents).toHaveLength(1);
  });

  test('buys nothing at another address, with a changed challenge, by another method, or when the challenge is over', async () => {
    const challenges = challengesOf(await shop()(text.url));
    const members = challenges['stripe']?.members ?? {};
    expect(await tried(TOKENS.pays, members, other)).toBe('402 payment_invalid invalid_challenge');
    const cheaper = Buffer.from(JSON.stringify({ amount: '50', currency: 'usd' })).toString('base64url');
    expect(await tried(TOKENS.pays, { ...members, request: cheaper })).toBe('402 payment_invalid invalid_challenge');
    expect(await tried(TOKENS.pays, challenges['evm']?.members)).toBe('402 payment_invalid invalid_nonce');
    nowMs += 6 * MINUTE_MS;
    expect(await tried(TOKENS.pays, members)).toBe('402 payment_invalid challenge_expired');
    expect(double.intents).toEqual([]);
  });

  test('is never charged twice for one challenge, also with another token', async () => {
    const members = challengesOf(await shop()(text.url))['stripe']?.members;
    expect(await tried(TOKENS.declined, members)).toBe('402 payment_invalid insufficient_funds');
    expect(await tried(TOKENS.pays, members)).toBe(PAID);
    expect(await tried(TOKENS.pays, members)).toBe('409 payment_conflict');
    expect(double.intents).toHaveLength(1);
  });

  test.each([
    ['refuses for its load', TOKENS.tooMany],
    ['does not know the token', TOKENS.unknown],
    ['needs the buyer', TOKENS.needsBuyer],
  ])('gives no text and charges nothing where Stripe %s', async (_case, kind) => {
    const response = await shop()(text.url, await credential(kind));
    expect(response.status === 402 || (response.status === 503 && !response.headers.has('www-authenticate'))).toBe(true);
    expect(double.intents.filter(({ status }) => status === 'succeeded')).toEqual([]);
  });

  test('whose outcome is lost is asked for again under the same key, and is never offered anew', async () => {
    const sent = await credential(TOKENS.neverAnswers);
    const lost = await shop()(text.url, sent);
    expect([await codeOf(lost), lost.headers.get('retry-after'), lost.headers.has('www-authenticate')]).toEqual([
      '503 facilitator_unavailable',
      '5',
      false,
    ]);
    nowMs += 2 * MINUTE_MS;
    expect(await codeOf(await shop()(text.url, sent))).toBe('503 facilitator_unavailable');
    nowMs += 24 * 60 * MINUTE_MS;
    expect(await codeOf(await shop()(text.url, sent))).toBe('503 payment_unresolved');
    expect(double.intents).toHaveLength(1);
  }, 60_000);

  test('that settles later gives the text then', async () => {
    const sent = await credential(TOKENS.settlesLater);
    expect(await codeOf(await shop()(text.url, sent))).toBe('503 facilitator_unavailable');
    const [intent] = double.intents;
    if (intent !== undefined) double.settle(intent);
    nowMs += 2 * MINUTE_MS;
    expect(await codeOf(await shop()(text.url, sent))).toBe(PAID);
    expect(double.intents).toHaveLength(1);
  });

  test('is not charged while the database is away, and gives the text if only its end cannot be stored', async () => {
    const away = { ...deps.reservations, reserve: () => Promise.reject(new Error('away')) };
    const sent = await credential(TOKENS.pays);
    expect(await codeOf(await shop({ ...deps, reservations: away })(text.url, sent))).toBe('503 state_unavailable');
    expect(double.intents).toEqual([]);
    const forgetful = { ...deps.reservations, settled: () => Promise.reject(new Error('away')) };
    expect(await codeOf(await shop({ ...deps, reservations: forgetful })(text.url, sent))).toBe(PAID);
    nowMs += 2 * MINUTE_MS;
    expect(await codeOf(await shop()(text.url, sent))).toBe(PAID);
    expect(double.intents).toHaveLength(1);
  });
});
