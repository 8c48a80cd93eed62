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
  it('lists covered and missing words as the query writes them, each once, without stop words and the adverb of a question for a degree', async () => {
    const [best] = await fits('How long is the fresh response of a cache?');
    expect(best).toMatchObject({ id: 'cache', covered: ['fresh', 'response', 'cache'], missing: [] });
    const [price] = await fits('Prices of PIZZA, pizza in a CURRENCY');
    expect(price).toMatchObject({ id: 'price', covered: ['Prices', 'CURRENCY'], missing: ['PIZZA'] });
  });

  it('is strong where a document has all words, and weak where it has few', async () => {
    const [whole] = await fits('What is a fresh response of the cache to requests?');
    expect(whole).toMatchObject({ id: 'cache', level: 'strong', missing: [] });
    const [{ share = 1, level } = {}] = await fits('best pizza restaurant with a long price list');
    expect([level, share < 0.3]).toEqual(['weak', true]);
  });

  it('falls with every word that the document lacks, most with one that the corpus lacks', async () => {
    const [whole, known, unknown] = await Promise.all(
      ['minor units of a currency', 'minor units of a currency header', 'minor units of a currency pizza'].map(
        async (query) => (await fits(query))[0],
      ),
    );
    expect([whole, known, unknown].map((fit) => fit?.id)).toEqual(['price', 'price', 'price']);
    expect(whole?.share).toBeGreaterThan(known?.share ?? 1);
    expect(known?.share).toBeGreaterThan(unknown?.share ?? 1);
  });

  it('covers a corrected word by less', async () => {
    const [clean] = await fits('currency');
    const [corrected] = await fits('currancy');
    expect(corrected).toMatchObject({ covered: ['currancy'], missing: [] });
    expect(corrected?.share).toBeLessThan(clean?.share ?? 0);
  });

  it('leaves out documents that fit less than asked for', async () => {
    const query = 'price currency in minor units, cache';
    expect((await fits(query)).map(({ id }) => id)).toEqual(['price', 'cache']);
    expect((await fits(query, { leastFit: 'strong' })).map(({ id }) => id)).toEqual(['price']);
  });

  it('refuses a document that is not among the results', async () => {
    const { fitOf } = await search(openIndex(encodeDocuments(DOCUMENTS)), 'cache', { limit: 1 });
    expect(() => fitOf(2)).toThrow('not among the results');
  });
});
