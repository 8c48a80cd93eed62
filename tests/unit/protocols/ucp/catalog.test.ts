import { describe, expect, test } from 'vitest';
import { acpFeedProducts } from '../../../../src/protocols/acp/acp.ts';
import { productOf, searchCatalog, type UcpCatalog } from '../../../../src/protocols/ucp/catalog.ts';
import { UcpProduct, UcpProductRequest, UcpSearchRequest } from '../../../../src/protocols/ucp/ucp-schemas.ts';
import { loadUcpSchemas, officialAcp } from '../../../support/official-schemas.ts';
import { soldOffer } from '../../../support/sold-offer.ts';
import { smallPublication } from '../../documents/publication-fixture.ts';

const schemas = loadUcpSchemas();
const catalog: UcpCatalog = {
  baseUrl: 'https://signpost.example',
  commerce: { acp: false, ucp: true, processor: 'links', webhookHosts: [] },
  today: '2027-01-01',
  offers: [
    soldOffer({
      id: 'digest',
      name: 'Weekly digest',
      summary: 'What reviews found, once a week.',
      category: 'reading',
      amountMinor: 900,
      cadence: 'monthly',
      image: { path: '/media/digest.0123456789ab.png', width: 800, height: 600, variants: [], alt: 'A letter' },
    }),
    soldOffer({ id: 'review', aliases: ['check'], name: 'Review of a page', category: 'service', amountMinor: 12_000 }),
    soldOffer({ id: 'past', name: 'Review of the past', validUntil: '2026-12-31' }),
    soldOffer({ id: 'notes', name: 'Notes', category: 'reading', amountMinor: 0, cadence: 'free', demo: false }),
  ],
};
const search = async (request: object, of = catalog) => {
  const found = await searchCatalog(UcpSearchRequest.parse(request), of);
  if (!found.ok) throw new Error(found.refusal.code);
  expect(schemas?.requestFaults('search', 'shopping/catalog_search.json#/$defs/search_request', request) ?? []).toEqual([]);
  expect(schemas?.faults('shopping/catalog_search.json#/$defs/search_response', found.value) ?? []).toEqual([]);
  return found.value;
};
const ids = async (request: object) => (await search(request)).products.map(({ id }) => id);

describe('searchCatalog()', () => {
  test('finds offers by their words without endings, the name before the summary, and never what is not sold any more', async () => {
    expect(await ids({ query: 'reviewing' })).toEqual(['review', 'digest']);
    expect(await ids({ query: 'the review of a weekly' })).toEqual(['digest', 'review']);
    // Two words in a summary come before one in a name.
    expect(await ids({ query: 'found week page' })).toEqual(['digest', 'review']);
    expect(await ids({ query: 'check' })).toEqual(['review']);
    expect(await ids({ query: 'SERVICE' })).toEqual(['review']);
    expect(await ids({ query: 'nothing of the kind' })).toEqual([]);
    expect(await ids({ query: 'the' })).toEqual([]);
  });

  test('has the picture of an offer, in the form that the product feed of ACP has too', async () => {
    const url = 'https://signpost.example/media/digest.0123456789ab.png';
    const { products: found } = await search({ query: 'digest review' });
    const media = found.map((product) => UcpProduct.parse(product).media);
    expect(media).toEqual([[{ type: 'image', url, alt_text: 'A letter', width: 800, height: 600 }], undefined]);
    const publication = await smallPublication('edge');
    const feed = acpFeedProducts({ ...publication, deployment: { ...publication.deployment, ...catalog } })
      .trimEnd()
      .split('\n');
    const products = feed.map((line) => JSON.parse(line) as { readonly media?: unknown });
    expect(products[0]?.media).toEqual(media[0]);
    for (const product of products) expect(officialAcp()('Product', product, 'feed')).toEqual([]);
  });

  test('browses by filters alone, and wants a query or a filter', async () => {
    expect(await ids({ filters: { categories: ['reading'] } })).toEqual(['digest', 'notes']);
    expect(await ids({ filters: { price: { min: 1, max: 900 } } })).toEqual(['digest']);
    expect(await ids({ filters: { price: { max: 899 } }, context: { currency: 'USD' } })).toEqual(['notes']);
    await expect(search({ query: ' ', filters: {} })).rejects.toThrow('invalid_request');
    await expect(search({})).rejects.toThrow('invalid_request');
  });

  test('names the filters that it does not know', async () => {
    const { messages } = await search({ query: 'review', filters: { price: { max: 1, unit: 'x' }, category: ['reading'] } } as never);
    expect(messages).toEqual([
      { type: 'info', code: 'filter_ignored', content: 'The filter price.unit is unknown and was ignored.' },
      { type: 'info', code: 'filter_ignored', content: 'The filter category is unknown and was ignored. Did you mean "categories"?' },
    ]);
  });

  test('names other members that it does not know, but what a context says is not counted as ignored', async () => {
    const { messages } = await search({ query: 'review', limit: 1, pagination: { size: 1 }, context: { intent: 'a' } } as never);
    expect(messages).toEqual([
      { type: 'info', code: 'member_ignored', content: 'The member pagination.size is unknown and was ignored.' },
      { type: 'info', code: 'member_ignored', content: 'The member limit is unknown and was ignored. Did you mean "pagination.limit"?' },
    ]);
    const product = productOf(UcpProductRequest.parse({ id: 'review', currency: 'EUR' }), catalog);
    expect(product.messages?.map(({ content }) => content)).toEqual([
      'The member currency is unknown and was ignored. Did you mean "context.currency"?',
    ]);
    const misnamed = await searchCatalog(UcpSearchRequest.parse({ q: 'review' }), catalog);
    const detail = 'Send a query or a filter. The member q is unknown and was ignored. Did you mean "query"?';
    expect(misnamed).toMatchObject({ refusal: { detail, errors: [{ pointer: '/query' }] } });
  });

  test('does not count a price filter in another currency, and says so', async () => {
    const found = await search({ query: 'review', filters: { price: { max: 1 } }, context: { currency: 'EUR' } });
    expect(found).toMatchObject({
      products: [{ id: 'review' }, { id: 'digest' }],
      messages: [{ type: 'info', code: 'price_filter_ignored' }],
    });
  });

  test('pages through everything once, with a cursor that belongs to its request and its catalog', async () => {
    const request = { filters: { price: { min: 0 } }, pagination: { limit: 2 } };
    const first = await search(request);
    expect(first).toMatchObject({ products: [{ id: 'digest' }, { id: 'review' }], pagination: { has_next_page: true, total_count: 3 } });
    const { cursor } = first.pagination;
    const second = await search({ ...request, pagination: { limit: 2, cursor } });
    expect(second).toMatchObject({ products: [{ id: 'notes' }], pagination: { has_next_page: false, total_count: 3 } });
    await expect(search({ query: 'review', pagination: { cursor } })).rejects.toThrow('invalid_cursor');
    await expect(search({ ...request, pagination: { cursor: 'x' } })).rejects.toThrow('invalid_cursor');
    const changed = { ...catalog, offers: catalog.offers.slice(1) };
    await expect(search({ ...request, pagination: { cursor } }, changed)).rejects.toThrow('invalid_cursor');
  });

  test('an offer has its price in minor units, with the currency in capitals', async () => {
    expect(await search({ query: 'page' })).toMatchObject({
      products: [
        {
          id: 'review',
          url: 'https://signpost.example/buy/review',
          price_range: { min: { amount: 12_000, currency: 'USD' } },
          variants: [{ id: 'review', price: { amount: 12_000, currency: 'USD' }, metadata: { cadence: 'one_time', demo: true } }],
        },
      ],
    });
  });
});

test.each([
  ['review', 'review', { available: false, status: 'out_of_stock' }],
  ['check', 'review', { available: false, status: 'out_of_stock' }],
  ['notes', 'notes', { available: true, status: 'in_stock' }],
])('productOf(%s) answers with %s; a demonstration cannot be bought: %j', (name, id, availability) => {
  const answer = productOf(UcpProductRequest.parse({ id: name }), catalog);
  expect(schemas?.faults('shopping/catalog_lookup.json#/$defs/get_product_response', answer) ?? []).toEqual([]);
  expect(answer).toMatchObject({ ucp: { status: 'success' }, product: { id, variants: [{ availability }] } });
});

test.each([[{ id: 'past' }], [{ id: 'x' }], [{ id: 'review', filters: { categories: ['reading'] } }]])(
  'productOf(%j) is an outcome and no fault',
  (request) => {
    const answer = productOf(UcpProductRequest.parse(request), catalog);
    expect(schemas?.faults('common/types/error_response.json', answer) ?? []).toEqual([]);
    expect(answer).toMatchObject({ ucp: { status: 'error' }, messages: [{ code: 'not_found', severity: 'unrecoverable' }] });
  },
);

describe('prices in several currencies', () => {
  const wheel = soldOffer({
    id: 'wheel',
    currencyOptions: [
      { currency: 'EUR', amountMinor: 7_500, checkoutUrl: 'https://checkout.example/eur' },
      { currency: 'CHF', amountMinor: 7_000 },
    ],
  });
  const offers = { ...catalog, offers: [wheel, soldOffer({ id: 'dollars', name: 'Another wheel' })] };
  const found = async (request: object, of = offers) => {
    const response = await search(request, of);
    return { ...response, prices: response.products.map(({ id, variants }) => [id, variants[0]?.price]) };
  };
  const filters = { categories: ['review'] };

  test('are in the preferred currency where an offer can be paid in it, and in US dollars elsewhere', async () => {
    expect((await found({ filters, context: { currency: 'eur' } })).prices).toEqual([
      ['wheel', { amount: 7_500, currency: 'EUR' }],
      ['dollars', { amount: 8_000, currency: 'USD' }],
    ]);
    // Nothing charges francs here.
    expect((await found({ filters, context: { currency: 'CHF' } })).prices[0]).toEqual(['wheel', { amount: 8_000, currency: 'USD' }]);
    const stripe = { ...offers, commerce: { ...catalog.commerce, processor: 'stripe' as const } };
    expect((await found({ filters, context: { currency: 'CHF' } }, stripe)).prices[0]).toEqual([
      'wheel',
      { amount: 7_000, currency: 'CHF' },
    ]);
    expect(productOf(UcpProductRequest.parse({ id: 'wheel', context: { currency: 'EUR' } }), offers)).toMatchObject({
      product: { price_range: { min: { amount: 7_500, currency: 'EUR' } } },
    });
  });

  test('are filtered in the preferred currency, and a message says where that was not possible', async () => {
    const cheap = { ...filters, price: { max: 7_600 } };
    const inEuros = await found({ filters: cheap, context: { currency: 'EUR' } });
    expect(inEuros.prices.map(([id]) => id)).toEqual(['wheel', 'dollars']);
    expect(inEuros.messages).toMatchObject([{ code: 'price_filter_ignored' }]);
    expect((await found({ filters: cheap })).prices).toEqual([]);
    const alone = { ...offers, offers: [wheel] };
    expect((await found({ filters: cheap, context: { currency: 'EUR' } }, alone)).messages).toBeUndefined();
  });
});
