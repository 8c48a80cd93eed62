import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { InsightCount } from '../../../src/gateway/insights.ts';
import { bindGateway, insightEvents } from '../../../src/platform/bind-gateway.ts';
import type { Environment } from '../../../src/platform/environment.ts';
import { PROTOCOL_ADAPTERS } from '../../../src/protocols/protocols.ts';
import { DEMO_PROFILE } from '../../../src/schemas/commerce/stablecoin-payments.ts';
import { testRanking } from '../../support/compiled-kernel.ts';
import { TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';
import { paidSite } from '../../support/paid-site.ts';

test('counts are data points where a dataset is bound; texts of questions stay in the database, which deletes them', async () => {
  const points: unknown[] = [];
  const stored: InsightCount[] = [];
  const add = insightEvents({ writeDataPoint: (point) => void points.push(point) }, async (_day, counts) => void stored.push(...counts));
  const question: InsightCount = { kind: 'question', name: 'Where is it?', count: 1 };
  await add(0, [{ kind: 'cart', name: 'review', count: 3 }, question], 1);
  await add(0, [{ kind: 'tool', name: 'search', count: 2 }], 1);
  expect(points).toEqual([
    { indexes: ['cart'], blobs: ['insight', 'cart', 'review'], doubles: [3] },
    { indexes: ['tool'], blobs: ['insight', 'tool', 'search'], doubles: [2] },
  ]);
  expect(stored).toEqual([question]);
});

test.each([
  ['akg_test_', DEMO_PROFILE, { kind: 'paid', paymentReference: 'pi_demo_', amountMinor: 50, currency: 'USD' }],
  ['akg_live_', DEMO_PROFILE, 'missing'],
  ['akg_test_', 'profile_1AbC', 'missing'],
] as const)(
  'a gateway with keys %s and the profile %s is a demonstration only at a loopback address',
  async (keyPrefix, stripeProfile, expected) => {
    const { deployment, generation } = (await paidSite()).generated;
    const environment = { ASSETS: {}, STATE: {} } as Environment;
    const bound = { ...deployment, keyPrefix, payments: { ...deployment.payments, stripeProfile } };
    const { loadSales } = await bindGateway(environment, bound, generation, testRanking(), async () => PROTOCOL_ADAPTERS);
    const { payments } = await loadSales();
    if (payments === undefined || 'missing' in payments) return expect(expected).toBe('missing');
    const charge = { metadata: {}, token: 'spt_1', amountMinor: 50, currency: 'USD', idempotencyKey: '' };
    return expect(await payments.processor?.charge(charge)).toEqual(expected);
  },
);

test.each([
  ['akg_live_', TEST_SIGNING_SECRETS, true],
  ['akg_test_', TEST_SIGNING_SECRETS, false],
  ['akg_live_', `1:${randomBytes(32).toString('base64url')}`, false],
] as const)('of keys %s with a signing secret %# nobody who knows a sample can mint any', async (keyPrefix, SIGNING_SECRETS, isRefused) => {
  const { deployment, generation } = (await paidSite()).generated;
  const environment = { ASSETS: {}, SIGNING_SECRETS } as Environment;
  const { secrets } = await bindGateway(
    environment,
    { ...deployment, keyPrefix },
    generation,
    testRanking(),
    async () => PROTOCOL_ADAPTERS,
  );
  expect('missing' in secrets).toBe(isRefused);
});

test('protocols are loaded for the first paid text, not to start', async () => {
  const { deployment, generation } = (await paidSite()).generated;
  let loaded = 0;
  const loadAdapters = async () => {
    loaded += 1;
    return PROTOCOL_ADAPTERS;
  };
  const { loadSales } = await bindGateway({ ASSETS: {} } as Environment, deployment, generation, testRanking(), loadAdapters);
  expect(loaded).toBe(0);
  expect((await loadSales()).schemes).toHaveLength(2);
  await loadSales();
  expect(loaded).toBe(1);
});
