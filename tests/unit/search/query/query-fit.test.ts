import { describe, expect, it } from 'vitest';
import { type SearchOptions, search } from '../../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { capsule } from '../arbitraries.ts';
import { encodeDocuments, openIndex } from '../open-index.ts';

const DOCUMENTS: readonly SearchDocument[] = [
  capsule('cache', 'A cache answers requests while the response is fresh.', { title: 'Freshness' }),
  capsule('retry', 'The Retry-After header says how long a client waits.', { title: 'Retry-After' }),
  capsule('price', 'A price in minor units and a currency.', { title: 'Prices' }),
];

async function fits(query: string, options: Partial<SearchOptions> = {}) {
  const { results, fitOf } = await search(openIndex(encodeDocuments(DOCUMENTS)), query, { limit: 10, ...options });
  return results.map(({ number }) => ({ id: DOCUMENTS[number]?.id, ...fitOf(number) }));
}

describe('SearchOutcome.fitOf()', () => {
  it('gives the whole share where a document has all words of a query, whatever its stop words', async () => {
    const [best] = await fits('How long is the fresh response of a cache?');
    expect(best).toMatchObject({ id: 'cache', covered: ['fresh', 'response', 'cache'], missing: ['long'] });
    expect((await fits('What is a fresh response of the cache?'))[0]).toMatchObject({ share: 1, level: 'strong', missing: [] });
  });

  it('lists covered and missing words as the query writes them, each once', async () => {
    const [best] = await fits('Prices of PIZZA, pizza in a CURRENCY');
    expect(best).toMatchObject({ id: 'price', covered: ['Prices', 'CURRENCY'], missing: ['PIZZA'] });
  });

  it('weighs a word that the corpus lacks as much as the rarest', async () => {
    const [{ share = 1, level } = {}] = await fits('best pizza restaurant with a long price list');
    expect(level).toBe('weak');
    expect(share).toBeLessThan(0.4);
  });

  it('covers a corrected word by less', async () => {
    const [best] = await fits('currancy');
    expect(best).toMatchObject({ covered: ['currancy'], missing: [] });
    expect(best?.share).toBeCloseTo(0.8, 5);
  });

  it('leaves out documents that fit less than asked for', async () => {
    const query = 'cache currency in minor units';
    expect((await fits(query)).map(({ id }) => id)).toEqual(['price', 'cache']);
    expect((await fits(query, { leastFit: 'strong' })).map(({ id }) => id)).toEqual(['price']);
  });

  it('refuses a document that is not among the results', async () => {
    const { fitOf } = await search(openIndex(encodeDocuments(DOCUMENTS)), 'cache', { limit: 1 });
    expect(() => fitOf(2)).toThrow('not among the results');
  });
});
