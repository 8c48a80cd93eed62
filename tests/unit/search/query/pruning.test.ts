import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexBlock, SearchBudget } from '../../../../src/search/format/index-block.ts';
import { IndexReader } from '../../../../src/search/query/index-reader.ts';
import { search } from '../../../../src/search/query/search.ts';
import { capsule, queryText, tieredCorpus } from '../arbitraries.ts';
import { encodeDocuments, LAYOUTS, LISTS_IN_PARTS, openBlock, openIndex, TEST_KERNEL, UNBOUNDED } from '../open-index.ts';

const bound = fc.option(fc.nat(6), { nil: null });
const budgets: fc.Arbitrary<SearchBudget> = fc.record({
  blocksMax: bound,
  partsMax: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
  postingsMax: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(UNBOUNDED.postingsMax)),
});
const layouts = fc.constantFrom(...Object.values(LAYOUTS), LISTS_IN_PARTS);

describe('a budget', () => {
  it('gives the same answer each time, says so if it left something out, and lets no document score more', async () => {
    let pruned = 0;
    await fc.assert(
      fc.asyncProperty(tieredCorpus(20, 5), queryText, layouts, budgets, async (documents, query, layout, budget) => {
        // Pairs are worth more the fewer documents have them, and neighbours support each other: both may gain by what is left out.
        const encoded = encodeDocuments(documents, { layout, neighbours: false, pairs: false });
        const all = await search(openIndex(encoded), query, { limit: 100, budget: UNBOUNDED });
        const some = await search(openIndex(encoded), query, { limit: 100, budget });
        expect((await search(openIndex(encoded), query, { limit: 100, budget })).results).toEqual(some.results);
        const scores = new Map(all.results.map(({ number, score }) => [number, score]));
        for (const { number, score } of some.results) expect(score).toBeLessThanOrEqual(scores.get(number) ?? 0);
        if (some.isExact) expect(some.results).toEqual(all.results);
        if (!some.isExact) pruned++;
      }),
      { numRuns: 200 },
    );
    expect(pruned).toBeGreaterThan(20);
  });

  it('of the index holds unless another is given', async () => {
    await fc.assert(
      fc.asyncProperty(tieredCorpus(12), queryText, layouts, budgets, async (documents, query, layout, budget) => {
        const bounded = openIndex(encodeDocuments(documents, { layout, budget }));
        const free = openIndex(encodeDocuments(documents, { layout, budget: UNBOUNDED }));
        expect((await search(bounded, query, { limit: 100 })).results).toEqual((await search(free, query, { limit: 100, budget })).results);
        expect((await search(bounded, query, { limit: 100, budget: UNBOUNDED })).results).toEqual(
          (await search(free, query, { limit: 100 })).results,
        );
      }),
      { numRuns: 40 },
    );
  });

  it('bounds blocks and parts that are read, each time words are looked up', async () => {
    const asked = ['user', 'path', 'offer', 'agent', 'price', 'index', 'fetch', 'nothing'];
    const bounded = { blocks: 0, parts: 0 };
    await fc.assert(
      fc.asyncProperty(
        tieredCorpus(25, 15),
        fc.subarray(asked),
        fc.constantFrom(LISTS_IN_PARTS, LAYOUTS['few blocks']),
        budgets,
        async (documents, terms, layout, budget) => {
          const index = encodeDocuments(documents, { layout, neighbours: false });
          const read = new Set<number>();
          const readBlock = (number: number): Promise<IndexBlock> => {
            read.add(number);
            return openBlock(index, number);
          };
          const reader = new IndexReader(index.head, readBlock, TEST_KERNEL);
          const found = await reader.lookUp(terms, budget);
          expect(read.size).toBeLessThanOrEqual(budget.blocksMax ?? Number.POSITIVE_INFINITY);
          for (const { parts, isWhole } of found.values()) {
            expect(parts.length).toBeLessThanOrEqual(budget.partsMax ?? Number.POSITIVE_INFINITY);
            if (parts.length === 0) bounded.blocks++;
            else if (!isWhole) bounded.parts++;
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(bounded.blocks).toBeGreaterThan(10);
    expect(bounded.parts).toBeGreaterThan(5);
  });

  it('leaves out the most frequent terms when their postings are too many, and keeps the rarest whatever it has', async () => {
    await fc.assert(
      fc.asyncProperty(tieredCorpus(20, 5), queryText, fc.integer({ min: 1, max: 40 }), async (documents, query, postingsMax) => {
        const reader = openIndex(encodeDocuments(documents));
        const { plan, skipped } = await search(reader, query, { limit: 100, budget: { ...UNBOUNDED, postingsMax } });
        const frequencies = plan.terms.map(({ indexed }) => indexed.documentFrequency);
        const kept = frequencies.filter((_, number) => !skipped.includes(number));
        const sum = kept.reduce((all, one) => all + one, 0);
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(1, frequencies.length));
        expect(kept.length < 2 || sum <= postingsMax).toBe(true);
        for (const number of skipped) expect(frequencies[number]).toBeGreaterThanOrEqual(Math.max(...kept));
      }),
      { numRuns: 80 },
    );
  });

  it('takes a word whose block it may not read neither for unknown nor for misspelt', async () => {
    const documents = [capsule('a', 'payment agent'), capsule('b', 'agent')];
    const reader = openIndex(encodeDocuments(documents, { expansion: false, neighbours: false }));
    const { isExact, skipped, plan, results } = await search(reader, 'agents', { limit: 3, budget: { ...UNBOUNDED, blocksMax: 0 } });
    expect([isExact, skipped, results, plan.corrections, plan.unknown]).toEqual([false, [0], [], [], []]);
  });
});
