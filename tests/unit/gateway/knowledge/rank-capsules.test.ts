import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { queryKnowledge } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { FACET_NAMES } from '../../../../src/schemas/knowledge/kinds-and-levels.ts';
import { QueryRequest, type QueryResponse } from '../../../../src/schemas/knowledge/query.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { allPages, ask, CACHING } from '../ask.ts';
import { randomCapsules, randomCorpus, randomFilters, randomText } from '../random-generation.ts';
import { allSummaries, BASE_URL, codeOf, expectValue, realCorpus } from '../real-generation.ts';

let corpus: Corpus;
beforeAll(async () => {
  ({ corpus } = await realCorpus());
});

const idsOf = ({ results }: QueryResponse): string[] => results.map(({ capsule_id }) => capsule_id);
const QUERIES = ['how long may a cached response be reused', 'ETag validators', 'freshness lifetime max-age'];

describe('several texts', () => {
  test('are fused by reciprocal rank, and each result says which found it', async () => {
    const alone = await Promise.all(QUERIES.map(async (query) => idsOf(await ask(corpus, { query, max_results: 50 }))));
    const fused = await ask(corpus, { queries: QUERIES, max_results: 50 });
    expect(new Set(idsOf(fused)).size).toBe(fused.results.length);
    for (const { capsule_id, score, found_by = [], status } of fused.results) {
      const ranks = alone.flatMap((ids, query) => (ids.includes(capsule_id) ? [{ query, rank: ids.indexOf(capsule_id) + 1 }] : []));
      expect(found_by.filter(({ rank }) => rank <= 50)).toEqual(ranks.sort((a, b) => a.rank - b.rank));
      expect(score).toBe(found_by.reduce((sum, { rank }) => sum + Math.floor(1_000_000 / (60 + rank)), 0));
      expect(status).toBeDefined();
    }
    const current = fused.results.filter(({ status }) => status === 'current').map(({ score }) => score);
    expect(current).toEqual([...current].sort((a, b) => b - a));
  });

  test('quote and match for the text that ranks a result best', async () => {
    const fused = await ask(corpus, { query: QUERIES[0], queries: QUERIES.slice(1) });
    for (const { capsule_id, quote, match, found_by } of fused.results) {
      const best = QUERIES[found_by?.[0]?.query ?? 0];
      const alone = (await ask(corpus, { query: best, max_results: 50 })).results.find((result) => result.capsule_id === capsule_id);
      expect({ quote, match }).toEqual({ quote: alone?.quote, match: alone?.match });
    }
  });

  test('are paged without gaps, and a cursor belongs to all of them', async () => {
    const whole = await ask(corpus, { queries: QUERIES, max_results: 50 });
    const pages = await allPages(corpus, { queries: QUERIES }, [7]);
    for (const { match, page } of pages) expect([match, page.total]).toEqual([whole.match, whole.page.total]);
    const ids = pages.flatMap(idsOf);
    expect(ids.slice(0, 50)).toEqual(idsOf(whole));
    expect(ids.length).toBe(whole.page.total);
    const others = [
      { queries: QUERIES.slice(1) },
      { query: QUERIES[0] },
      { queries: QUERIES, sort: 'newest' },
      { queries: QUERIES, min_match: 'strong' },
    ];
    for (const other of others) {
      const request = QueryRequest.parse({ ...other, cursor: pages[0]?.page.next_cursor });
      expect(codeOf(await queryKnowledge(request, corpus, BASE_URL))).toBe('invalid_cursor');
    }
  });
});

describe('a least match', () => {
  test('leaves out what fits less, and counts what is left', async () => {
    const query = 'payment header signature';
    const whole = await ask(corpus, { query, max_results: 50 });
    for (const [min_match, levels] of [
      ['strong', ['strong']],
      ['partial', ['strong', 'partial']],
    ] as const) {
      const fitting = await ask(corpus, { query, max_results: 50, min_match });
      expect(fitting.results).toEqual(whole.results.filter(({ match }) => (levels as readonly string[]).includes(match.level)));
      expect(fitting.page.total).toBe(fitting.results.length);
    }
  });

  test('says what would be found without it', async () => {
    const { results, match, meta } = await ask(corpus, { query: 'best pizza in Naples header', min_match: 'strong' });
    expect([results, match.level]).toEqual([[], 'weak']);
    expect(meta.suggestions?.[0]).toMatchObject({ kind: 'fewer_conditions', without: ['/min_match'] });
  });
});

describe('newest first', () => {
  test('orders what fits by its newest change, then by relevance; what is not current follows', async () => {
    const { results, meta } = await ask(corpus, { query: 'payment header', sort: 'newest', max_results: 50 });
    expect(results.length).toBeGreaterThan(3);
    expect(meta.applied).toMatchObject({ sort: 'newest', min_match: 'partial' });
    expect(results.every(({ match }) => match.level !== 'weak')).toBe(true);
    const states = ['current', 'superseded', 'retracted'];
    const keys = results.map(
      ({ status, updated, score }) => `${states.indexOf(status)} ${9e7 - Number(updated.replaceAll('-', ''))} ${1e9 - score}`,
    );
    expect(keys).toEqual([...keys].sort());
  });

  test('updated_within_days counts from the newest change of the corpus', async () => {
    const days = [1, 3, 9].map((day) => ({ ...CACHING, day }));
    const searched = await randomCorpus(days);
    for (const [within, expected] of [
      [1, ['capsule-2']],
      [6, ['capsule-2']],
      [7, ['capsule-1', 'capsule-2']],
      [9, ['capsule-0', 'capsule-1', 'capsule-2']],
    ] as const)
      expect(idsOf(await ask(searched, { query: 'cache', filters: { updated_within_days: within } })).sort()).toEqual(expected);
  });
});

describe('what a result has', () => {
  test('is the named members, and always those that verify it', async () => {
    const { results, meta } = await ask(corpus, { query: 'stemming', max_results: 2 });
    const request = QueryRequest.parse({ query: 'stemming', max_results: 2, fields: ['title', 'quote'] });
    const slim = expectValue(await queryKnowledge(request, corpus, BASE_URL));
    const members = ['kind', 'capsule_id', 'version', 'title', 'content_sha256', 'quote'] as const;
    expect(slim.results).toEqual(results.map((result) => Object.fromEntries(members.map((name) => [name, result[name]]))));
    expect(slim.meta.tokens_used).toBeLessThan(meta.tokens_used);
  });

  test('are passages and explanations where fields name them', async () => {
    const request = QueryRequest.parse({ query: 'stemming', max_results: 1, fields: ['passages', 'explanation', 'score'] });
    const [{ passages = [], explanation, score } = {}] = expectValue(await queryKnowledge(request, corpus, BASE_URL)).results;
    expect(passages.length).toBeGreaterThan(1);
    expect(explanation?.parts.reduce((sum, { points }) => sum + points, 0)).toBe(score);
  });

  test('are quotes of the length that is asked for; a longer one is lowered', async () => {
    const short = await ask(corpus, { query: 'payment', quote_length: 60, passages: 9 });
    expect(short.results.flatMap(({ passages = [] }) => passages).every(({ text }) => text.length <= 60)).toBe(true);
    expect(short.meta.clamped).toEqual([{ pointer: '/passages', requested: 9, applied: 3 }]);
    expect((await ask(corpus, { query: 'payment', quote_length: 9_000 })).meta.applied.quote_length).toBe(2_000);
  });
});

describe('facets', () => {
  test('count the values of all capsules found, not of the page alone, after filters and excluded ids', async () => {
    await fc.assert(
      fc.asyncProperty(randomCapsules, randomText, randomFilters, async (some, query, filters) => {
        const searched = await randomCorpus(some);
        const summaries = new Map((await allSummaries(searched)).map((summary) => [summary.capsule_id, summary]));
        const exclude_ids = ['capsule-0', 'capsule-3'];
        const all = (await ask(searched, { query, filters, exclude_ids, max_results: 50 })).results.map(({ capsule_id }) =>
          summaries.get(capsule_id),
        );
        const answer = await ask(searched, { query, filters, exclude_ids, max_results: 1, facets: [...FACET_NAMES] });
        for (const name of FACET_NAMES) {
          const counts = new Map<string, number>();
          for (const value of all.flatMap((summary) => summary?.[name] ?? [])) counts.set(value, (counts.get(value) ?? 0) + 1);
          const expected = [...counts]
            .map(([value, count]) => ({ value, count }))
            .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
          expect(answer.facets?.[name]).toEqual(expected);
        }
        expect(answer.meta.facets_cut).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test('list the most frequent values alone where there are many, and say so', async () => {
    const { facets, meta, results } = await ask(corpus, { query: 'agent', max_results: 1, facets: ['tags', 'type'] });
    expect(results).toHaveLength(1);
    expect(facets?.tags).toHaveLength(LIMITS.facetValuesMax);
    expect(meta.facets_cut).toEqual(['tags']);
    expect(Object.keys(facets ?? {})).toEqual(['type', 'tags']);
    const counts = facets?.tags?.map(({ count }) => count) ?? [];
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });

  test('are in the answer only if they were asked for', async () => {
    const answer = await ask(corpus, { query: 'agent', max_results: 1 });
    expect('facets' in answer || 'facets_cut' in answer.meta).toBe(false);
  });
});

test('the first results are in one order, whatever the number of results and the length of their quotes', async () => {
  for (const query of [...QUERIES, ...(await allSummaries(corpus)).slice(0, 30).map(({ summary }) => summary.split('. ')[0])]) {
    const { match, ...all } = await ask(corpus, { query, max_results: 50 });
    const whole = idsOf({ match, ...all });
    const later = await ask(corpus, {
      query,
      max_results: 6,
      cursor: (await ask(corpus, { query, max_results: 6 })).page.next_cursor ?? '',
    });
    expect(later.match).toEqual(match);
    for (const shape of [{ max_results: 1 }, { max_results: 3 }, { max_results: 8 }, { quote_length: 60 }, { quote_length: 2_000 }]) {
      const found = idsOf(await ask(corpus, { query, ...shape }));
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(whole.slice(0, found.length));
    }
  }
});

test('exclude_ids leave out exactly those, and nothing for ids that no capsule has', async () => {
  const whole = await ask(corpus, { query: 'agent payment', max_results: 50 });
  const out = idsOf(whole).filter((_, index) => index % 3 === 0);
  const fewer = await ask(corpus, { query: 'agent payment', max_results: 50, exclude_ids: [...out, 'no-such-capsule'] });
  const kept = whole.results.filter(({ capsule_id }) => !out.includes(capsule_id));
  expect(idsOf(fewer)).toEqual(expect.arrayContaining(kept.map(({ capsule_id }) => capsule_id)));
  expect(fewer.results.filter(({ capsule_id }) => out.includes(capsule_id))).toEqual([]);
  expect(fewer.page.total).toBe(whole.page.total - out.length);
  expect((await ask(corpus, { query: 'agent payment', max_results: 50, exclude_ids: ['no-such-capsule'] })).results).toEqual(whole.results);
});

describe('explain', () => {
  test('gives parts that add up to every score, and fields that have what the parts say', async () => {
    const titles = (await allSummaries(corpus)).map(({ title }) => title);
    let parts = 0;
    for (const query of ['cached answers reused', 'paymnet protcol', 'how are capsules ranked by bm25', ...titles.slice(0, 12)]) {
      const plain = await ask(corpus, { query, max_results: 20 });
      const explained = await ask(corpus, { query, max_results: 20, explain: true });
      expect(explained.results.map(({ explanation: _explanation, ...result }) => result)).toEqual(plain.results);
      for (const { score, explanation } of explained.results) {
        expect(explanation?.parts.reduce((sum, { points }) => sum + points, 0)).toBe(score);
        for (const { kind, fields, words, weight = 0, level = 0, points } of explanation?.parts ?? []) {
          parts += 1;
          if (kind === 'term' || kind === 'expansion') expect(weight * level).toBe(points);
          expect(fields !== undefined && Object.keys(fields).length > 0).toBe(kind === 'term');
          for (const { word } of words ?? []) expect(query).toContain(word);
        }
      }
    }
    expect(parts).toBeGreaterThan(500);
  });

  test('counts a word in each part of the capsule, the body with its headings, and not in addresses', async () => {
    const linked = { ...CACHING, sections: [['Fresh cache', 'Fresh [cache](https://example.org/fresh-cache) here']] as const };
    const { results } = await ask(await randomCorpus([linked]), { query: 'cache fresh', explain: true });
    const fields = results[0]?.explanation?.parts.filter(({ kind }) => kind === 'term').map((part) => [part.terms, part.fields]);
    expect(fields).toEqual([
      [['cach'], { title: 1, headings: 1, summary: 1, body: 3 }],
      [['fresh'], { headings: 1, body: 2 }],
    ]);
  });

  test('names the word as it was written and as it was read, and is there only if asked for', async () => {
    const searched = await randomCorpus([CACHING]);
    const { results } = await ask(searched, { query: 'anwsers', explain: true });
    expect(results[0]?.explanation?.parts[0]).toMatchObject({
      kind: 'term',
      words: [{ word: 'anwsers', read_as: 'answers' }],
      terms: ['answer'],
    });
    expect((await ask(searched, { query: 'anwsers' })).results[0]?.explanation).toBeUndefined();
  });
});
