import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { FACET_NAMES } from '../../../../src/schemas/knowledge/vocabulary.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { ask } from '../ask.ts';
import { randomCapsules, randomCorpus, randomFilters, randomText } from '../random-generation.ts';
import { allSummaries, realCorpus } from '../real-generation.ts';

let corpus: Corpus;
beforeAll(async () => {
  ({ corpus } = await realCorpus());
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

describe('exclude_ids', () => {
  test('leave out exactly those, and nothing for ids that no capsule has', async () => {
    const whole = await ask(corpus, { query: 'agent payment', max_results: 50 });
    const ids = whole.results.map(({ capsule_id }) => capsule_id);
    const out = ids.filter((_, index) => index % 3 === 0);
    const fewer = await ask(corpus, { query: 'agent payment', max_results: 50, exclude_ids: [...out, 'no-such-capsule'] });
    const kept = whole.results.filter(({ capsule_id }) => !out.includes(capsule_id));
    expect(fewer.results.slice(0, kept.length)).toEqual(kept);
    expect(fewer.results.filter(({ capsule_id }) => out.includes(capsule_id))).toEqual([]);
    expect(fewer.page.total).toBe(whole.page.total - out.length);
    expect((await ask(corpus, { query: 'agent payment', max_results: 50, exclude_ids: ['no-such-capsule'] })).results).toEqual(
      whole.results,
    );
  });
});
