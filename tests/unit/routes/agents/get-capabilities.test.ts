import { expect, test } from 'vitest';
import { entityTag } from '../../../../src/gateway/digests-and-base62.ts';
import { publishedBudgets } from '../../../../src/gateway/limits/quotas.ts';
import { capabilitiesInForce } from '../../../../src/routes/agent-routes.ts';
import type { PublishedBudget } from '../../../../src/schemas/agents.ts';
import type { RateLimitName } from '../../../../src/schemas/limits.ts';
import { ALL_FEATURES } from '../../../support/features.ts';

const budgets = (level: PublishedBudget['level']): PublishedBudget[] =>
  publishedBudgets(ALL_FEATURES).map((budget) => ({ ...budget, level }));
const UNKNOWN = budgets('unknown');

const policies = [
  { name: 'query', enforcement: 'isolate' },
  { name: 'register', enforcement: 'isolate' },
  { name: 'proposals', enforcement: 'exact' },
];
const built = async (enforcement = 'isolate', published: readonly object[] = policies) => {
  const body = JSON.stringify({
    name: 'n',
    rate_limits: { enforcement, policies: published },
    budgets: published.length === 0 ? [] : UNKNOWN,
    documents: {},
  });
  return { contentType: 'application/json', body, etag: await entityTag(body) };
};
const located = (...names: RateLimitName[]): ReadonlySet<RateLimitName> => new Set(names);

test('the document stays as it was built where the location counts nothing', async () => {
  const document = await built();
  expect(await capabilitiesInForce(document, located(), UNKNOWN)).toBe(document);
});

test('each limit that the location counts says so, the others and all else stay; the entity tag fits the bytes', async () => {
  const document = await built();
  const { body, etag, contentType } = await capabilitiesInForce(document, located('query', 'network'), UNKNOWN);
  expect(JSON.parse(body)).toEqual({
    name: 'n',
    rate_limits: {
      enforcement: 'location',
      policies: [
        { name: 'query', enforcement: 'location' },
        { name: 'register', enforcement: 'isolate' },
        { name: 'proposals', enforcement: 'exact' },
      ],
    },
    budgets: UNKNOWN,
    documents: {},
  });
  expect(etag).toBe(await entityTag(body));
  expect(etag).not.toBe(document.etag);
  expect(contentType).toBe(document.contentType);
});

test('it is made once for the same limits, in whatever order they come, and again for others', async () => {
  const document = await built();
  const one = await capabilitiesInForce(document, located('query', 'network'), UNKNOWN);
  expect(await capabilitiesInForce(document, located('network', 'query'), UNKNOWN)).toBe(one);
  expect(await capabilitiesInForce(document, located('network'), UNKNOWN)).not.toBe(one);
});

test('a limit that is not published makes nothing stronger', async () => {
  const { body } = await capabilitiesInForce(await built('lifted', []), located('query'), UNKNOWN);
  expect(JSON.parse(body)).toMatchObject({ rate_limits: { enforcement: 'lifted', policies: [] } });
});

test('levels of budgets that are known stand in it, and it is made again when one changes', async () => {
  const document = await built();
  const open = await capabilitiesInForce(document, located(), budgets('open'));
  expect(JSON.parse(open.body)).toMatchObject({ budgets: budgets('open') });
  expect(await capabilitiesInForce(document, located(), budgets('open'))).toBe(open);
  const raised = await capabilitiesInForce(document, located(), budgets('challenge_required'));
  expect(JSON.parse(raised.body)).toMatchObject({ budgets: budgets('challenge_required') });
  expect(raised.etag).not.toBe(open.etag);
});

test('a document without budgets gets none', async () => {
  const { body } = await capabilitiesInForce(await built('lifted', []), located(), budgets('open'));
  expect(JSON.parse(body)).toMatchObject({ budgets: [] });
});
