import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { builtGenerated, useSharedGateway } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { expectUcpError, UCP_SCHEMAS, ucpSend } from '../../support/ucp.ts';

const { deployment } = await builtGenerated();
const gateway = useSharedGateway();

interface Found {
  readonly products: { readonly id: string; readonly variants: { readonly price: object; readonly inputs?: object[] }[] }[];
  readonly pagination: { readonly has_next_page: boolean; readonly cursor?: string; readonly total_count: number };
}
const answerOf = async (path: string, body: object, schema: string): Promise<Found> => {
  const response = await ucpSend(gateway, path, body);
  expect(response.status).toBe(200);
  const answer = (await response.json()) as Found;
  expect(UCP_SCHEMAS?.faults(schema, answer) ?? []).toEqual([]);
  return answer;
};
const search = (body: object) => answerOf('/catalog/search', body, 'shopping/catalog_search.json#/$defs/search_response');

describe('searchUcpCatalog 200 application/json', () => {
  test('the best offer comes first, with the price of the catalog in minor units', async () => {
    const { products } = await search({ query: 'evidence review of a page' });
    const offer = deployment.offers.find(({ id }) => id === SAMPLE_OFFER.id);
    expect(products[0]).toMatchObject({ id: SAMPLE_OFFER.id, variants: [{ price: { amount: offer?.amountMinor, currency: 'USD' } }] });
  });

  test('Request-Id comes back', async () => {
    const response = await ucpSend(
      gateway,
      '/catalog/search',
      { query: 'review' },
      { 'Request-Id': '6e7f0a10-0000-4000-8000-000000000001' },
    );
    expect(response.headers.get('request-id')).toBe('6e7f0a10-0000-4000-8000-000000000001');
  });

  test.each([
    'profile="https://agent.example/p"; version="2026-08-25"',
    'name="a, b; profile=", profile="https://agent.example/p"',
    'profile="https://agent.example/a\\"b", x=1',
    'profile="http://localhost:3000/p"',
  ])('the header %s names a platform', async (header) => {
    expect((await ucpSend(gateway, '/catalog/search', { query: 'review' }, { 'UCP-Agent': header })).status).toBe(200);
  });
});

test('getUcpProducts 200 application/json: an id is found exactly, an alias as the product, and what is neither is named', async () => {
  const body = { ids: [SAMPLE_OFFER.alias, SAMPLE_OFFER.id, 'no-such-offer'] };
  const answer = await answerOf('/catalog/lookup', body, 'shopping/catalog_lookup.json#/$defs/lookup_response');
  expect(answer).toMatchObject({
    products: [
      {
        id: SAMPLE_OFFER.id,
        variants: [
          {
            inputs: [
              { id: SAMPLE_OFFER.alias, match: 'featured' },
              { id: SAMPLE_OFFER.id, match: 'exact' },
            ],
          },
        ],
      },
    ],
    messages: [{ type: 'info', code: 'not_found', content: 'no-such-offer' }],
  });
});

test('getUcpProduct 200 application/json: an offer, and an outcome where there is none', async () => {
  const schema = 'shopping/catalog_lookup.json#/$defs/get_product_response';
  expect(await answerOf('/catalog/product', { id: SAMPLE_OFFER.id }, schema)).toMatchObject({ product: { id: SAMPLE_OFFER.id } });
  const [message] = await expectUcpError(await ucpSend(gateway, '/catalog/product', { id: 'no-such-offer' }), 200, 'not_found');
  expect(message?.content).toBe('We do not sell an offer with the id "no-such-offer".');
});

test('searchUcpCatalog 400 invalid_cursor: a cursor that no answer gave', async () => {
  await expectUcpError(await ucpSend(gateway, '/catalog/search', { query: 'review', pagination: { cursor: 'x' } }), 400, 'invalid_cursor');
});

test.each([
  [{}, '$.query'],
  [{ query: 1 }, '$.query'],
  [{ query: 'a'.repeat(LIMITS.queryMaxLength + 1) }, '$.query'],
  [{ query: 'a', pagination: { limit: 0 } }, '$.pagination.limit'],
  [{ query: 'a', filters: { price: { min: 1.5 } } }, '$.filters.price.min'],
])('searchUcpCatalog 400 invalid_request: %j', async (body, path) => {
  expect((await expectUcpError(await ucpSend(gateway, '/catalog/search', body), 400, 'invalid_request'))[0]?.path).toBe(path);
});

test('each message has the code of what is wrong, though the response has one status', async () => {
  const response = await gateway.post('/api/v1/ucp/catalog/search', { query: 5 });
  expect(((await response.json()) as { messages: object[] }).messages).toMatchObject([
    { code: 'invalid_profile_url' },
    { code: 'invalid_request', path: '$.query', content: 'query must be a string.' },
  ]);
});

describe('getUcpProducts 400 invalid_request', () => {
  test.each([[{}], [{ ids: [] }], [{ ids: 'a' }], [{ ids: [1] }]])('%j', async (body) => {
    await expectUcpError(await ucpSend(gateway, '/catalog/lookup', body), 400, 'invalid_request');
  });

  test('more ids than one lookup takes', async () => {
    const ids = Array.from({ length: LIMITS.catalogLookupMax + 1 }, (_, index) => `a-${index}`);
    await expectUcpError(await ucpSend(gateway, '/catalog/lookup', { ids }), 400, 'request_too_large');
  });
});

test.each([[{}], [{ id: 1 }], [{ id: 'a'.repeat(LIMITS.shortTextMaxLength + 1) }]])(
  'getUcpProduct 400 invalid_request: %j',
  async (body) => {
    await expectUcpError(await ucpSend(gateway, '/catalog/product', body), 400, 'invalid_request');
  },
);
