import { describe, expect, test } from 'vitest';
import { describeDeployment } from '../../../src/build/deployment.ts';
import { paymentsInForce } from '../../../src/publication/read-publisher.ts';
import { contentOf } from '../cli/capsules/published-world.ts';
import { publisher, writeWorld } from './content-world.ts';

const WRITTEN = { pay_to: `0x${'1'.repeat(40)}`, network: 'eip155:84532', facilitator: 'https://facilitator.example' };
const SITE = 'https://docs.example.com';
const problemsOf = (outcome: ReturnType<typeof paymentsInForce>): string[] =>
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
    expect(problemsOf(paymentsInForce(undefined, { payTo: WRITTEN.pay_to }, SITE))).toEqual([
      'network is missing: PAY_TO switched payments on; set PAYMENT_NETWORK as well',
      'facilitator is missing: PAY_TO switched payments on; set FACILITATOR_URL as well',
    ]);
  });

  test('says what a setting must be', () => {
    expect(problemsOf(paymentsInForce(WRITTEN, { payTo: '0x1' }, SITE))).toEqual([
      'pay_to is overridden by PAY_TO=0x1, which must be an address such as 0x followed by 40 hexadecimal digits',
    ]);
    expect(problemsOf(paymentsInForce(WRITTEN, { facilitatorUrl: 'http://facilitator.example' }, SITE))).toEqual([
      'facilitator is overridden by FACILITATOR_URL=http://facilitator.example, which must be an https address',
    ]);
  });

  test('takes no network that is not known, and a facilitator on this machine for a site on this machine alone', () => {
    expect(problemsOf(paymentsInForce({ ...WRITTEN, network: 'eip155:1' }, {}, SITE))).toEqual([
      'network eip155:1 is not supported; it must be eip155:84532 (Base Sepolia) or eip155:8453 (Base)',
    ]);
    const facilitator = 'http://127.0.0.1:4022';
    expect(problemsOf(paymentsInForce({ ...WRITTEN, facilitator }, {}, SITE))).toEqual([
      `facilitator ${facilitator} is on this machine; ${SITE} needs an https address`,
    ]);
    expect(paymentsInForce({ ...WRITTEN, facilitator }, {}, 'http://127.0.0.1:8788')).toEqual({ payments: { ...WRITTEN, facilitator } });
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
