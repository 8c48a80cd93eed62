import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { ask, CACHING } from '../ask.ts';
import { randomCapsules, randomCorpus, randomFilters, randomText } from '../random-generation.ts';
import { realCorpus } from '../real-generation.ts';

let corpus: Corpus;
beforeAll(async () => {
  ({ corpus } = await realCorpus());
});

describe('interpretation', () => {
  test('says which words were corrected, which are unknown, and which were left out', async () => {
    const { meta, results } = await ask(corpus, { query: 'What is the paymnet of qqqqzzzzvvvv and the PAYMENT?' });
    expect(meta.interpretation).toEqual({
      corrected: [{ word: 'paymnet', read_as: 'payment' }],
      unknown: ['qqqqzzzzvvvv'],
      ignored: ['What', 'is', 'the', 'of', 'and'],
      skipped: [],
    });
    expect(results.length).toBeGreaterThan(0);
  });

  test('highlights and quotes what a corrected word was read as', async () => {
    const { results } = await ask(corpus, { query: 'idempotncy', max_results: 3 });
    expect(results.length).toBeGreaterThan(0);
    for (const { quote, highlights } of results) {
      expect(highlights.length).toBeGreaterThan(0);
      for (const { start, end } of highlights) expect(quote.text.slice(start, end).toLowerCase()).toMatch(/^idempoten/);
    }
  });

  test('reads a query as the language of every capsule, and highlights it there', async () => {
    const german = {
      ...CACHING,
      language: 'de',
      title: 'Zahlungen',
      summary: 'Über Zahlungen',
      sections: [['Mehr', 'Jede Zahlung zählt']] as const,
    };
    const { results } = await ask(await randomCorpus([CACHING, german]), { query: 'zahlungen' });
    expect(results).toHaveLength(1);
    expect(results[0]?.highlights.map(({ start, end }) => results[0]?.quote.text.slice(start, end))).toContain('Zahlungen');
  });
});

describe('suggestions', () => {
  test('are there only when nothing was found', async () => {
    expect((await ask(corpus, { query: 'payment' })).meta.suggestions).toBeUndefined();
    expect((await ask(corpus, { query: 'payment', filters: { language: 'xx' } })).meta.suggestions).toBeDefined();
  });

  test.each(['the of and', 'What is it?', '?!', '—'])('%j has only words that are not searched for', async (query) => {
    expect((await ask(corpus, { query })).meta.suggestions).toEqual([{ kind: 'only_stop_words' }]);
  });

  test('name the one filter that leaves nothing, with what would be found without it', async () => {
    const without = (await ask(corpus, { query: 'payment', filters: { type: 'protocol' } })).page.total;
    const { meta } = await ask(corpus, { query: 'payment', filters: { type: 'protocol', language: 'xx' } });
    expect(meta.suggestions).toEqual([{ kind: 'fewer_conditions', without: ['/filters/language'], total: without }]);
  });

  test('name all conditions when each of two leaves nothing', async () => {
    const all = (await ask(corpus, { query: 'payment' })).page.total;
    const { meta } = await ask(corpus, { query: 'payment', filters: { language: 'xx', license: 'MIT' } });
    expect(meta.suggestions).toEqual([{ kind: 'fewer_conditions', without: ['/filters/language', '/filters/license'], total: all }]);
  });

  test('name excluded ids when those are what leaves nothing', async () => {
    const searched = await randomCorpus([CACHING]);
    const { meta } = await ask(searched, { query: 'cache', exclude_ids: ['capsule-0'] });
    expect(meta.suggestions).toEqual([{ kind: 'fewer_conditions', without: ['/exclude_ids'], total: 1 }]);
  });

  test('have a query with words of the corpus where one is near enough to be meant, and it finds as many as they say', async () => {
    const { meta, page } = await ask(corpus, { query: 'What are sigantuerz?' });
    expect(page.total).toBe(0);
    const [suggestion] = meta.suggestions ?? [];
    expect(suggestion).toMatchObject({ kind: 'other_words', query: 'What are signature?' });
    expect((await ask(corpus, { query: suggestion?.query ?? '' })).page.total).toBe(suggestion?.total);
  });

  test('are none where nothing is near', async () => {
    expect((await ask(corpus, { query: 'qqqqqqqqqqqqqqqzzzzzzzz' })).meta.suggestions).toEqual([]);
  });

  test('find as many as they say, for random corpora, queries and conditions', async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(randomCapsules, randomText, randomFilters, async (some, query, filters) => {
        const searched = await randomCorpus(some);
        const { meta } = await ask(searched, { query, filters });
        for (const { kind, without = [], total } of meta.suggestions ?? []) {
          if (kind !== 'fewer_conditions') continue;
          const fewer = Object.fromEntries(Object.entries(filters).filter(([name]) => !without.includes(`/filters/${name}`)));
          expect((await ask(searched, { query, filters: fewer })).page.total).toBe(total);
          checked += 1;
        }
      }),
      { numRuns: 80 },
    );
    expect(checked).toBeGreaterThan(0);
  });
});
