import { expect, test } from 'vitest';
import { entityTag } from '../../../../src/gateway/entity-tag.ts';
import { capabilitiesInForce } from '../../../../src/routes/documents/capabilities-in-force.ts';
import type { RateLimitName } from '../../../../src/schemas/limits.ts';

const policies = [
  { name: 'query', enforcement: 'isolate' },
  { name: 'register', enforcement: 'isolate' },
  { name: 'proposals', enforcement: 'exact' },
];
const built = async (enforcement = 'isolate', published: readonly object[] = policies) => {
  const body = JSON.stringify({ name: 'n', rate_limits: { enforcement, policies: published }, documents: {} });
  return { contentType: 'application/json', body, etag: await entityTag(body) };
};
const located = (...names: RateLimitName[]): ReadonlySet<RateLimitName> => new Set(names);

test('the document stays as it was built where the location counts nothing', async () => {
  const document = await built();
  expect(await capabilitiesInForce(document, located())).toBe(document);
});

test('each limit that the location counts says so, the others and all else stay; the entity tag fits the bytes', async () => {
  const document = await built();
  const { body, etag, contentType } = await capabilitiesInForce(document, located('query', 'network'));
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
    documents: {},
  });
  expect(etag).toBe(await entityTag(body));
  expect(etag).not.toBe(document.etag);
  expect(contentType).toBe(document.contentType);
});

test('it is made once for the same limits, in whatever order they come, and again for others', async () => {
  const document = await built();
  const one = await capabilitiesInForce(document, located('query', 'network'));
  expect(await capabilitiesInForce(document, located('network', 'query'))).toBe(one);
  expect(await capabilitiesInForce(document, located('network'))).not.toBe(one);
});

test('a limit that is not published makes nothing stronger', async () => {
  const { body } = await capabilitiesInForce(await built('lifted', []), located('query'));
  expect(JSON.parse(body)).toMatchObject({ rate_limits: { enforcement: 'lifted', policies: [] } });
});
