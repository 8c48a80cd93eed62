import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { queryKnowledge } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { QueryRequest, type QueryResponse } from '../../../../src/schemas/knowledge/query.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { matchesFilters } from '../../../support/matches-filters.ts';
import { allPages, ask, CACHING } from '../ask.ts';
import { type DescribedCapsule, randomCapsules, randomCorpus, randomFilters, randomId, randomText } from '../random-generation.ts';
import { BASE_URL, codeOf } from '../real-generation.ts';

const excluded = fc.uniqueArray(fc.integer({ min: 0, max: 35 }).map(randomId), { maxLength: 12 });
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

describe('pages of a query', () => {
  test('have no gaps and no repeats, with filters, excluded ids and ties, and change no score', async () => {
    let ties = 0;
    let deepest = 0;
    await fc.assert(
      fc.asyncProperty(
        randomCapsules,
        randomText,
        randomFilters,
        excluded,
        sizes,
        async (described, query, filters, exclude_ids, pageSizes) => {
          const corpus = await randomCorpus(described);
          const askAll = async (conditions: object) =>
            (await ask(corpus, { query, ...conditions, max_results: 50, explain: true, token_budget: LIMITS.tokenBudgetMax })).results;
          const accepted = (await askAll({})).filter(
            (result) => matchesFilters(result, filters) && !exclude_ids.includes(result.capsule_id),
          );
          const expected = await askAll({ filters, exclude_ids });
          // Points for sentences go to the first results, and others are first without those that are left out.
          const withoutSentences = (results: typeof expected) =>
            new Map(
              results.map(({ capsule_id, score, explanation }) => {
                const { points = 0 } = explanation?.parts.find(({ kind }) => kind === 'sentence') ?? {};
                return [capsule_id, score - points];
              }),
            );
          expect(withoutSentences(expected)).toEqual(withoutSentences(accepted));
          const pages = await allPages(corpus, { query, filters, exclude_ids }, pageSizes);
          const found = pages.flatMap(({ results }) => results);
          expect(found.map(({ capsule_id, score }) => [capsule_id, score])).toEqual(
            expected.map(({ capsule_id, score }) => [capsule_id, score]),
          );
          for (const [index, answer] of pages.entries()) {
            expect(answer.page.total).toBe(expected.length);
            expect(answer.page.has_more).toBe(index < pages.length - 1);
          }
          ties += found.length - new Set(found.map(({ score, status }) => `${status} ${score}`)).size;
          deepest = Math.max(deepest, pages.length);
        },
      ),
      { numRuns: 30 },
    );
    expect(ties).toBeGreaterThan(15);
    expect(deepest).toBeGreaterThan(1);
  }, 60_000);

  test('have the same results whatever language is preferred, and of a text and its translations those in it first', async () => {
    let moved = 0;
    let cut = 0;
    const budgets = fc.constantFrom(LIMITS.tokenBudgetMax, 700, 1_200);
    await fc.assert(
      fc.asyncProperty(
        randomCapsules,
        randomText,
        fc.constantFrom('de', 'en', 'en-GB', 'en-gb', 'fr'),
        sizes,
        budgets,
        async (described, query, prefer_language, pageSizes, token_budget) => {
          const originalOf = (place: number): number => place % 2;
          const translated = described.map((one, place) =>
            place === originalOf(place) ? one : { ...one, translation_of: randomId(originalOf(place)) },
          );
          const corpus = await randomCorpus(translated);
          const [without, preferring] = await Promise.all(
            [{}, { prefer_language }].map((more) => allPages(corpus, { query, token_budget, ...more }, pageSizes)),
          );
          const closeness = (language: string): number =>
            [language.split('-')[0] !== prefer_language.split('-')[0], language.toLowerCase() !== prefer_language.toLowerCase()]
              .map(Number)
              .reduce((sum, one) => sum + one);
          expect(preferring?.length).toBe(without?.length);
          for (const [at, page] of (preferring ?? []).entries()) {
            const before = without?.[at]?.results ?? [];
            const setOf = ({ capsule_id, translation_of = capsule_id, status }: QueryResponse['results'][number]): string =>
              `${translation_of} ${status}`;
            expect(page.results.map(({ capsule_id }) => capsule_id).sort()).toEqual(before.map(({ capsule_id }) => capsule_id).sort());
            expect(page.results.map(setOf)).toEqual(before.map(setOf));
            expect({ ...page, results: [] }).toEqual({ ...without?.[at], results: [] });
            for (const set of new Set(before.map(setOf))) {
              const [found, ranked] = [page.results, before].map((list) => list.filter((one) => setOf(one) === set));
              expect(found).toEqual(ranked?.toSorted((a, b) => closeness(a.language) - closeness(b.language)));
              moved += Number(found?.[0]?.capsule_id !== ranked?.[0]?.capsule_id);
            }
            cut += Number(page.meta.next_result_tokens !== undefined && page.results.length > 1);
          }
        },
      ),
      { numRuns: 45 },
    );
    expect(moved).toBeGreaterThan(0);
    expect(cut).toBeGreaterThan(0);
  }, 60_000);

  test('belong to their query, filters and excluded ids, in whatever order those are written', async () => {
    const corpus = await randomCorpus(Array.from({ length: 9 }, () => SAME));
    const request = {
      query: 'cache',
      max_results: 1,
      exclude_ids: ['capsule-1', 'capsule-2'],
      filters: { type: 'protocol', license: 'CC0-1.0' },
    };
    const { corpus_version, page } = await ask(corpus, request);
    const cursor = page.next_cursor;
    const code = async (changed: Record<string, unknown>): Promise<string> =>
      codeOf(await queryKnowledge(QueryRequest.parse({ ...request, cursor, ...changed }), corpus, BASE_URL));
    expect(await code({})).toBe('ok');
    expect(await code({ max_results: 5, explain: true, facets: ['type'] })).toBe('ok');
    expect(await code({ exclude_ids: ['capsule-2', 'capsule-1', 'capsule-2'], filters: { license: 'CC0-1.0', type: 'protocol' } })).toBe(
      'ok',
    );
    expect(await code({ exclude_ids: ['capsule-1'] })).toBe('invalid_cursor');
    expect(await code({ exclude_ids: undefined })).toBe('invalid_cursor');
    expect(await code({ filters: { type: 'protocol' } })).toBe('invalid_cursor');
    expect(await code({ query: 'caches' })).toBe('invalid_cursor');
    expect(await code({ corpus_version })).toBe('ok');
    expect(await code({ corpus_version: '0'.repeat(64) })).toBe('invalid_cursor');
  });

  test('deep in a list of ties go on where they ended', async () => {
    const corpus = await randomCorpus(Array.from({ length: 120 }, () => SAME));
    const pages = await allPages(corpus, { query: 'cache' }, [7]);
    const ids = pages.flatMap(({ results }) => results.map(({ capsule_id }) => capsule_id));
    expect(ids).toEqual(Array.from({ length: 120 }, (_, place) => randomId(place)).sort());
    expect(pages.at(-1)?.page.next_cursor).toBeNull();
  });
});

const SAME: DescribedCapsule = { ...CACHING, title: 'cache', summary: 'cache', sections: [] };
