import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseLayout } from '../../../../src/search/build/build-index.ts';
import { search } from '../../../../src/search/query/search.ts';
import { queryText, tieredCorpus } from '../arbitraries.ts';
import { encodeDocuments, LAYOUTS, LISTS_IN_PARTS, openIndex, UNBOUNDED } from '../open-index.ts';

const PLAIN = { pairs: false, expansion: false };

describe('the layout of an index', () => {
  it('changes no document and no score', async () => {
    let heavy = 0;
    await fc.assert(
      fc.asyncProperty(tieredCorpus(12, 4), fc.array(queryText, { minLength: 1, maxLength: 4 }), async (documents, queries) => {
        const encoded = Object.values(LAYOUTS).map((layout) => encodeDocuments(documents, { layout }));
        const [first, ...others] = encoded.map((index) => openIndex(index));
        heavy += encoded.at(-1)?.head.heavy.length ?? 0;
        for (const query of queries) {
          const expected = first && (await search(first, query, { limit: 100 })).results;
          for (const other of others) expect((await search(other, query, { limit: 100 })).results).toEqual(expected);
        }
      }),
      { numRuns: 50 },
    );
    expect(heavy).toBeGreaterThan(100);
  });

  it('changes no document and no score where lists are in parts, without followers and expansion', async () => {
    let parts = 0;
    await fc.assert(
      fc.asyncProperty(tieredCorpus(30, 20), fc.array(queryText, { minLength: 1, maxLength: 4 }), async (documents, queries) => {
        const whole = openIndex(encodeDocuments(documents, { ...PLAIN, layout: LAYOUTS['one block'] }));
        const split = openIndex(encodeDocuments(documents, { ...PLAIN, layout: LISTS_IN_PARTS }));
        split.head.heavy.forEach((value, at) => {
          if (at % 5 === 4) parts += value > 1 ? 1 : 0;
        });
        for (const query of queries) {
          const expected = (await search(whole, query, { limit: 100 })).results;
          expect((await search(split, query, { limit: 100 })).results).toEqual(expected);
        }
      }),
      { numRuns: 25 },
    );
    expect(parts).toBeGreaterThan(100);
  });

  it('reads of a list in parts the documents with the highest levels first', async () => {
    let unread = 0;
    await fc.assert(
      fc.asyncProperty(tieredCorpus(30, 20), fc.constantFrom('user', 'path', 'offer', 'agents', 'price'), async (documents, word) => {
        // A replaced document loses a part of its score after the lists are read.
        const english = documents.map((document) => ({ ...document, language: 'en', tier: 0 }));
        const reader = openIndex(encodeDocuments(english, { ...PLAIN, neighbours: false, layout: LISTS_IN_PARTS }));
        // A word alone might be a name, whose list is read apart.
        const all = await search(reader, `${word} zzz`, { limit: 100 });
        const some = await search(reader, `${word} zzz`, { limit: 100, budget: { ...UNBOUNDED, partsMax: 1 } });
        const byScore = (results: typeof all.results): number[] => results.map(({ score }) => score).sort((a, b) => b - a);
        expect(byScore(some.results)).toEqual(byScore(all.results).slice(0, some.results.length));
        expect(some.isExact).toBe(some.results.length === all.results.length);
        unread += all.results.length - some.results.length;
      }),
      { numRuns: 60 },
    );
    expect(unread).toBeGreaterThan(30);
  });

  it('grows with the index, and only a large one is pruned', () => {
    const sizes = [0, 12, 13, 64, 65, 1000].map((mebibytes) => chooseLayout(mebibytes * 2 ** 20, false));
    expect(sizes.map(({ oneBlock }) => oneBlock)).toEqual([true, true, false, false, false, false]);
    expect(sizes.map(({ shardBlocks }) => shardBlocks)).toEqual([1, 1, 8, 8, 1024, 1024]);
    expect(sizes.map(({ shardBits }) => shardBits)).toEqual([0, 11, 11, 12, 12, 12]);
    expect(sizes.map(({ budget }) => budget.blocksMax === null)).toEqual([true, true, true, true, false, false]);
    expect(chooseLayout(65 * 2 ** 20, true)).toMatchObject({
      largePostingsBytes: Number.POSITIVE_INFINITY,
      budget: { blocksMax: 16, partsMax: null },
    });
  });
});
