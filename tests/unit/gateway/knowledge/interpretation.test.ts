import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import type { QueryResponse, Suggestion } from '../../../../src/schemas/knowledge/query.ts';
import { ask, CACHING } from '../ask.ts';
import { randomCapsules, randomCorpus, randomFilters, randomText } from '../random-generation.ts';
import { allSummaries, realCorpus } from '../real-generation.ts';

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
    const { results } = await ask(await randomCorpus([CACHING, german]), { query: 'zahlungen zählt' });
    expect(results).toHaveLength(1);
    expect(results[0]?.highlights.map(({ start, end }) => results[0]?.quote.text.slice(start, end))).toContain('Zahlung');
  });
});

test.each([
  ['unit of ttlMs and what it resembles', 'weak', undefined],
  ['How many pairs can one KV bulk write hold?', 'strong', expect.stringContaining('10,000 pairs')],
])('the answer of a result is absent only for a weak match: %s', async (query, level, text) => {
  const [{ match, answer } = {}] = (await ask(corpus, { query, max_results: 1 })).results;
  expect([match?.level, answer?.text]).toEqual([level, text]);
});

const changedRequests = ({ suggestions = [] }: QueryResponse['meta']): Suggestion[] =>
  suggestions.filter(({ kind }) => kind !== 'subjects' && kind !== 'languages');

describe('suggestions', () => {
  test('are there only when nothing was found, or nothing that fits', async () => {
    expect((await ask(corpus, { query: 'payment' })).meta.suggestions).toBeUndefined();
    expect((await ask(corpus, { query: 'payment', filters: { language: 'xx' } })).meta.suggestions).toBeDefined();
  });

  test.each(['the of and', 'What is it?', '?!', '—'])('%j has only words that are not searched for', async (query) => {
    expect((await ask(corpus, { query })).meta.suggestions).toEqual([{ kind: 'only_stop_words' }]);
  });

  test.each<[which: string, kept: object, others: object]>([
    ['the one filter that leaves nothing', { type: 'protocol' }, { language: 'xx' }],
    ['all conditions when each of two leaves nothing', {}, { language: 'xx', license: 'MIT' }],
  ])('name %s, with what would be found without it', async (_which, kept, others) => {
    const { total } = (await ask(corpus, { query: 'payment', filters: kept })).page;
    const { meta } = await ask(corpus, { query: 'payment', filters: { ...kept, ...others } });
    const without = Object.keys(others).map((name) => `/filters/${name}`);
    expect(changedRequests(meta)).toEqual([{ kind: 'fewer_conditions', without, total }]);
  });

  test('name excluded ids when those are what leaves nothing', async () => {
    const searched = await randomCorpus([CACHING]);
    const { meta } = await ask(searched, { query: 'cache', exclude_ids: ['capsule-0'] });
    expect(changedRequests(meta)).toEqual([{ kind: 'fewer_conditions', without: ['/exclude_ids'], total: 1 }]);
  });

  test('have a query with words of the corpus where one is near enough to be meant, and it finds as many as they say', async () => {
    const { meta, page } = await ask(corpus, { query: 'What are sigantuerz?' });
    expect(page.total).toBe(0);
    const [suggestion] = meta.suggestions ?? [];
    expect(suggestion).toMatchObject({ kind: 'other_words', query: 'What are signature?' });
    expect((await ask(corpus, { query: suggestion?.query ?? '' })).page.total).toBe(suggestion?.total);
  });

  test('have no query that finds only what min_match leaves out', async () => {
    const { meta, page } = await ask(corpus, { query: 'best pizza in Naples', min_match: 'partial' });
    expect(page.total).toBe(0);
    expect((meta.suggestions ?? []).map(({ kind }) => kind)).not.toContain('other_words');
  });

  test('where nothing is near, are the subjects and languages of the corpus, with the number of capsules of each', async () => {
    const { meta, match } = await ask(corpus, { query: 'qqqqqqqqqqqqqqqzzzzzzzz' });
    expect(match).toEqual({ level: 'weak', share: 0, covered: [], missing: ['qqqqqqqqqqqqqqqzzzzzzzz'] });
    const [subjects, languages, ...others] = meta.suggestions ?? [];
    expect([subjects?.kind, languages?.kind, others]).toEqual(['subjects', 'languages', []]);
    for (const { value, count } of subjects?.values ?? [])
      expect(
        (await ask(corpus, { query: 'http agents payment search', filters: { tags: [value] }, max_results: 50 })).page.total,
      ).toBeLessThanOrEqual(count);
    expect(languages?.values).toEqual([{ value: 'en', count: (await allSummaries(corpus)).length }]);
  });

  test('are made for a weak match too, with subjects of what was found', async () => {
    const { match, results, meta } = await ask(corpus, { query: 'best pizza restaurants in Naples with a price' });
    expect(match.level).toBe('weak');
    // "Naples" is near "names", which would fit no better.
    expect(changedRequests(meta)).toEqual([]);
    const tags = new Set(results.flatMap((result) => result.tags));
    const [subjects] = (meta.suggestions ?? []).filter(({ kind }) => kind === 'subjects');
    expect(subjects?.values?.every(({ value }) => tags.has(value))).toBe(true);
  });

  test('name the condition that leaves out what fits better', async () => {
    const german = { ...CACHING, language: 'de', title: 'Anfragen', summary: 'Eine Signatur in der Anfrage', sections: [] };
    const english = { ...CACHING, title: 'Fresh answers of a cache', summary: 'How long a cache keeps fresh answers: anfrage' };
    const searched = await randomCorpus([german, english, CACHING]);
    const query = 'Anfrage nach fresh answers of a cache';
    const filters = { language: 'de' };
    const { match, results, meta } = await ask(searched, { query, filters });
    expect([match.level, results.length]).toEqual(['weak', 1]);
    expect(changedRequests(meta)).toEqual([{ kind: 'fewer_conditions', without: ['/filters/language'], total: 3 }]);
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
      { numRuns: 40 },
    );
    expect(checked).toBeGreaterThan(0);
  });
});
