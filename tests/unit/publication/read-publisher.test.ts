import { describe, expect, test } from 'vitest';
import { describeDeployment } from '../../../src/build/describe-deployment.ts';
import { withDemonstrations } from '../../../src/publication/publish/make-offers.ts';
import { paymentsInForce } from '../../../src/publication/read-publisher.ts';
import { DEMO_PROFILE, demoPayments } from '../../../src/schemas/commerce/stablecoin-payments.ts';
import { IntakeRequest } from '../../../src/schemas/intake/proposals.ts';
import { testCheckoutPath } from '../../../src/schemas/paths.ts';
import { Publisher } from '../../../src/schemas/publisher.ts';
import { ListedLicense } from '../../../src/schemas/spdx-license.ts';
import { capsuleProposal } from '../../support/proposals.ts';
import { contentOf } from '../cli/capsules/published-world.ts';
import { capsule, problemsOf, publisher, writeWorld } from './content-world.ts';

const WRITTEN = { pay_to: `0x${'1'.repeat(40)}`, network: 'eip155:84532', facilitator: 'https://facilitator.example' };
const SITE = 'https://docs.example.com';
const LOCAL = 'http://127.0.0.1:8788';
const paymentProblems = (outcome: ReturnType<typeof paymentsInForce>): string[] =>
  'problems' in outcome ? outcome.problems.map(({ field, message }) => `${field} ${message}`) : [];

describe('paymentsInForce()', () => {
  test('is off unless something is set, and empty settings are none', () => {
    expect(paymentsInForce(undefined, {}, SITE)).toEqual({ payments: undefined });
    expect(paymentsInForce(undefined, { payTo: '', paymentNetwork: '', facilitatorUrl: '' }, SITE)).toEqual({ payments: undefined });
    expect(paymentsInForce(WRITTEN, {}, SITE)).toEqual({ payments: WRITTEN });
  });

  test('takes settings of the environment for those of the file', () => {
    const facilitatorUrl = 'https://other.example/x402';
    expect(paymentsInForce(WRITTEN, { facilitatorUrl }, SITE)).toEqual({ payments: { ...WRITTEN, facilitator: facilitatorUrl } });
    const all = { payTo: WRITTEN.pay_to, paymentNetwork: 'eip155:8453', facilitatorUrl };
    expect(paymentsInForce(undefined, all, SITE)).toEqual({
      payments: { ...WRITTEN, network: 'eip155:8453', facilitator: facilitatorUrl },
    });
  });

  test('says what is missing', () => {
    expect(paymentProblems(paymentsInForce(undefined, { payTo: WRITTEN.pay_to }, SITE))).toEqual([
      'network is missing: PAY_TO switched payments on; set PAYMENT_NETWORK as well',
      'facilitator is missing: PAY_TO switched payments on; set FACILITATOR_URL as well',
    ]);
  });

  test('takes a Stripe profile alone, and beside it a token whole or not at all', () => {
    const stripe_profile = 'profile_1AbC';
    expect(paymentsInForce({ stripe_profile }, {}, SITE)).toEqual({ payments: { stripe_profile } });
    expect(paymentsInForce({ ...WRITTEN, stripe_profile }, {}, SITE)).toEqual({ payments: { ...WRITTEN, stripe_profile } });
    const partial = paymentProblems(paymentsInForce({ stripe_profile, pay_to: WRITTEN.pay_to }, {}, SITE));
    expect(partial.map((problem) => problem.slice(0, problem.indexOf(':')))).toEqual(['network is missing', 'facilitator is missing']);
    expect(paymentProblems(paymentsInForce({}, {}, SITE))).toHaveLength(3);
  });

  test('says what a setting must be', () => {
    expect(paymentProblems(paymentsInForce(WRITTEN, { payTo: '0x1' }, SITE))).toEqual([
      'pay_to is overridden by PAY_TO=0x1, which must be an address such as 0x followed by 40 hexadecimal digits',
    ]);
    expect(paymentProblems(paymentsInForce(WRITTEN, { facilitatorUrl: 'http://facilitator.example' }, SITE))).toEqual([
      'facilitator is overridden by FACILITATOR_URL=http://facilitator.example, which must be an https address',
    ]);
  });

  test('takes no network that is not known, and a facilitator on this machine for a site on this machine alone', () => {
    expect(paymentProblems(paymentsInForce({ ...WRITTEN, network: 'eip155:1' }, {}, SITE))).toEqual([
      'network eip155:1 is not supported; it must be eip155:84532 (Base Sepolia) or eip155:8453 (Base)',
    ]);
    const facilitator = 'http://127.0.0.1:4022';
    expect(paymentProblems(paymentsInForce({ ...WRITTEN, facilitator }, {}, SITE))).toEqual([
      `facilitator ${facilitator} is on this machine; ${SITE} needs an https address`,
    ]);
    expect(paymentsInForce({ ...WRITTEN, facilitator }, {}, LOCAL)).toEqual({ payments: { ...WRITTEN, facilitator } });
  });

  test('is a demonstration, where one is wanted, in the place of payments that take no money and come from the file', () => {
    const demo = { demoPayments: demoPayments(LOCAL) };
    for (const written of [undefined, WRITTEN, { stripe_profile: 'profile_1AbC' }])
      expect(paymentsInForce(written, demo, LOCAL)).toEqual({ payments: demo.demoPayments });
    const real = { ...WRITTEN, network: 'eip155:8453' };
    expect(paymentsInForce(real, demo, LOCAL)).toEqual({ payments: real });
    expect(paymentsInForce(WRITTEN, { ...demo, payTo: WRITTEN.pay_to }, LOCAL)).toEqual({ payments: WRITTEN });
    expect(paymentProblems(paymentsInForce({}, demo, LOCAL))).toHaveLength(3);
  });
});

test.each([
  ['Bäckerei Krume & Söhne', 'Baeckerei Krume & Soehne'],
  ['Spoke & Co', undefined],
])('payments of %j name the seller %j', async (name, sellerName) => {
  const payments = `{ pay_to: "${WRITTEN.pay_to}", network: "${WRITTEN.network}", facilitator: "${WRITTEN.facilitator}" }`;
  const content = await contentOf(await writeWorld({ 'publisher.yaml': publisher({ name, payments }) }));
  expect(describeDeployment(content, [], { mode: 'edge' }).payments?.sellerName).toBe(sellerName);
});

test('no deployment of a public address takes a demonstration for payments', async () => {
  const content = await contentOf(await writeWorld({ 'publisher.yaml': publisher({}) }));
  const deploymentAt = (base_url: string) =>
    describeDeployment({ ...content, publisher: { ...content.publisher, base_url, payments: demoPayments(base_url) } }, [], {
      mode: 'edge',
    });
  expect(deploymentAt(LOCAL).payments?.stripeProfile).toBe(DEMO_PROFILE);
  for (const address of [SITE, 'http://127.0.0.1.example.com', 'https://127.0.0.1'])
    expect(() => deploymentAt(address)).toThrow(`payments cannot be a demonstration at ${address}`);
  expect(Publisher.safeParse({ ...content.publisher, payments: { stripe_profile: DEMO_PROFILE } }).success).toBe(false);
});

test('a demonstration sells each paid text to people, in its currencies', async () => {
  const text = (price: Record<string, string>): string => capsule({ access: 'paid', ...price });
  const files = { 'capsules/b-dollars.md': text({ price_usd: '2' }), 'capsules/c-euros.md': text({ prices: '{ EUR: 0.95 }' }) };
  const content = await contentOf(
    await writeWorld({ 'publisher.yaml': publisher({ payments: '{ stripe_profile: profile_1AbC }' }), ...files }),
  );
  const { base_url } = content.publisher;
  const offers = withDemonstrations([], { ...content, publisher: { ...content.publisher, payments: demoPayments(base_url) } });
  expect(offers).toMatchObject([
    { id: 'b-dollars', amountMinor: 200, currency: 'USD', demo: true },
    {
      id: 'c-euros',
      amountMinor: 0,
      demo: true,
      currencyOptions: [{ currency: 'EUR', amountMinor: 95, checkoutUrl: base_url + testCheckoutPath('c-euros', 'EUR') }],
    },
  ]);
  expect(offers[0]).not.toHaveProperty('currencyOptions');
});

test('a text that cannot be paid in any way stops the build', async () => {
  const text = (price: string): string => capsule({ access: 'paid', [price.startsWith('{') ? 'prices' : 'price_usd']: price });
  const deploymentOf = async (price: string, payments: string) =>
    describeDeployment(
      await contentOf(await writeWorld({ 'publisher.yaml': publisher({ payments }), 'capsules/b-paid.md': text(price) })),
      [],
      { mode: 'edge' },
    );
  const card = '{ stripe_profile: profile_1AbC }';
  expect((await deploymentOf('0.5', card)).payments).toEqual({ stripeProfile: 'profile_1AbC' });
  for (const price of ['0.49', '0.505', '{ EUR: 0.49 }', '{ ISK: 500 }'])
    await expect(deploymentOf(price, card)).rejects.toThrow(/^content\/capsules\/b-paid\.md: the price cannot be paid\. /);
  expect((await deploymentOf('{ EUR: 0.50, JPY: 50 }', card)).payments).toEqual({ stripeProfile: 'profile_1AbC' });
  const token = `{ pay_to: "${WRITTEN.pay_to}", network: "eip155:84532", facilitator: "https://f.example" }`;
  await expect(deploymentOf('{ EUR: 0.50 }', token)).rejects.toThrow('the price cannot be paid');
  const both = `{ stripe_profile: profile_1AbC, pay_to: "${WRITTEN.pay_to}", network: "eip155:84532", facilitator: "https://f.example" }`;
  expect((await deploymentOf('0.49', both)).payments).toMatchObject({ payTo: WRITTEN.pay_to, stripeProfile: 'profile_1AbC' });
});

const Tokens = Publisher.shape.origin_trial_tokens;
const TOKEN = `${Buffer.from('x'.repeat(180)).toString('base64')}`;

test('origin_trial_tokens takes tokens as Chrome issues them, and is empty by default', () => {
  expect(Tokens.parse(undefined)).toEqual([]);
  expect(Tokens.parse([TOKEN, `${TOKEN.slice(0, -2)}==`])).toHaveLength(2);
});

test.each([['a short one'], ['"><script>alert(1)</script>'.padEnd(80, 'A')], [`${TOKEN} `], [`${TOKEN.slice(0, 70)}\n${TOKEN}`]])(
  'refuses %j',
  (token) => expect(Tokens.safeParse([token]).success).toBe(false),
);

const NOT_LISTED = 'must be an identifier of the SPDX licence list (https://spdx.org/licenses/), such as CC-BY-4.0';
const NO_IDENTIFIER = 'must be one SPDX identifier such as CC-BY-4.0';
const REFUSED = [
  ['Whatever', NOT_LISTED],
  ['CC-BY-5.0', NOT_LISTED],
  ['LicenseRef-mine', NOT_LISTED],
  ['constructor', NOT_LISTED],
  ['cc-by-4.0', 'must be written "CC-BY-4.0"'],
  ['mit', 'must be written "MIT"'],
  ['CC BY 4.0', NO_IDENTIFIER],
  ['MIT OR Apache-2.0', NO_IDENTIFIER],
  ['all rights reserved', NO_IDENTIFIER],
] as const;

describe('a licence', () => {
  test.each(['CC-BY-4.0', 'CC0-1.0', 'CC-BY-SA-4.0', 'Apache-2.0', 'MIT', 'GFDL-1.3-only', 'OGL-UK-3.0', 'GPL-3.0'])('%s is taken', (id) =>
    expect(ListedLicense.parse(id)).toBe(id),
  );

  test.each(REFUSED)('%s is told to its author with file and line', async (license, message) => {
    expect(await problemsOf({ 'capsules/a-capsule.md': capsule({ license }) })).toEqual([
      expect.stringMatching(/^capsules\/a-capsule\.md:\d+ license: /) as unknown,
    ]);
    const [problem = ''] = await problemsOf({ 'capsules/a-capsule.md': capsule({ license }) });
    expect(problem.endsWith(`license: ${message}`)).toBe(true);
    expect(await problemsOf({ 'publisher.yaml': publisher({ license }) })).toEqual([
      expect.stringMatching(/^publisher\.yaml:\d+ license: /) as unknown,
    ]);
  });

  test.each(REFUSED)('%s of a proposal is refused at its place', (license, message) => {
    const { error } = IntakeRequest.safeParse(capsuleProposal({}, { license }));
    expect(error?.issues.map((issue) => [issue.path.join('/'), issue.message])).toEqual([['metadata/license', message]]);
  });
});
