import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeNamed } from '../../../../src/search/query/place-named.ts';
import { search } from '../../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { capsule, corpusOf, hostileText, queryText, tieredCorpus } from '../arbitraries.ts';
import { NaiveRanking } from '../naive-ranking.ts';
import { encodeDocuments, openIndex } from '../open-index.ts';

async function rank(documents: readonly SearchDocument[], query: string) {
  return (await search(openIndex(encodeDocuments(documents)), query, { limit: 1000 })).results;
}

describe('search() against the definitions', () => {
  it('gives the documents and scores that the formulas give straight from the texts', async () => {
    const seen = { results: 0, pairs: 0, corrections: 0, smoothed: 0 };
    await fc.assert(
      fc.asyncProperty(tieredCorpus(9), fc.array(queryText, { minLength: 1, maxLength: 4 }), async (documents, queries) => {
        const reader = openIndex(encodeDocuments(documents));
        const naive = new NaiveRanking(documents);
        for (const query of queries) {
          const { results, plan, matching, adjustments } = await search(reader, query, { limit: 1000 });
          const expected = naive.search(query);
          expect(results).toEqual(expected);
          expect([...matching]).toEqual(expected.map(({ number }) => number).sort((a, b) => a - b));
          expect(plan.corrections).toEqual(naive.plan(query).corrections);
          seen.results += results.length;
          seen.pairs += plan.pairs.length;
          seen.corrections += plan.corrections.length;
          seen.smoothed += results.filter(({ number }) => (adjustments.get(number) ?? 0) !== 0).length;
        }
      }),
      { numRuns: 150 },
    );
    expect(seen.results).toBeGreaterThan(500);
    expect(seen.pairs).toBeGreaterThan(500);
    expect(seen.corrections).toBeGreaterThan(50);
    expect(seen.smoothed).toBeGreaterThan(100);
  });

  it('does so for more documents than are rescored', async () => {
    await fc.assert(
      fc.asyncProperty(tieredCorpus(170, 140), fc.array(queryText, { minLength: 3, maxLength: 3 }), async (documents, queries) => {
        const reader = openIndex(encodeDocuments(documents));
        const naive = new NaiveRanking(documents);
        for (const query of queries) expect((await search(reader, query, { limit: 1000 })).results).toEqual(naive.search(query));
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });

  it('does so where a field has a word more often than is counted, where more words follow one than are kept, and for queries of many terms', async () => {
    const words = [...'bdfgkmnp'].flatMap((first) => [...'aiouz'].map((second) => `x${first}${second}`));
    const hub = (some: readonly string[]): string => some.map((word) => `hub ${word}`).join(' ');
    const counts = fc.tuple(fc.nat(80), fc.nat(400), fc.subarray(words), fc.subarray(words));
    await fc.assert(
      fc.asyncProperty(
        fc.array(counts, { minLength: 2, maxLength: 6 }),
        fc.shuffledSubarray(words, { minLength: 1 }),
        async (texts, asked) => {
          const documents = texts.map(([few, many, first, second], number) => {
            const repeated = {
              title: 'offer '.repeat(few),
              tags: ['offer '.repeat(few)],
              headings: ['price '.repeat(few), 'price '.repeat(many)],
            };
            return capsule(`${number}`, `${hub(first)} ${'offer '.repeat(many)}`, { ...repeated, summary: hub(second) });
          });
          const reader = openIndex(encodeDocuments(documents));
          const naive = new NaiveRanking(documents);
          for (const query of ['offer price', hub(asked), asked.join(' ')]) {
            expect((await search(reader, query, { limit: 100 })).results).toEqual(naive.search(query));
          }
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('does so whatever the texts and the query', async () => {
    await fc.assert(
      fc.asyncProperty(corpusOf(hostileText), hostileText, async (documents, query) => {
        expect(await rank(documents, query)).toEqual(new NaiveRanking(documents).search(query));
      }),
      { numRuns: 100 },
    );
  });
});

describe('search()', () => {
  it('gives pages of one ranking', async () => {
    await fc.assert(
      fc.asyncProperty(tieredCorpus(9), queryText, fc.nat(10), fc.nat(10), async (documents, query, offset, limit) => {
        const reader = openIndex(encodeDocuments(documents));
        const all = await search(reader, query, { limit: 1000 });
        const page = await search(reader, query, { offset, limit });
        expect(page.results).toEqual(all.results.slice(offset, offset + limit));
        expect(page.matching).toEqual(all.matching);
      }),
      { numRuns: 100 },
    );
  });

  it('leaves out what is not accepted and changes no score', async () => {
    await fc.assert(
      fc.asyncProperty(tieredCorpus(9), queryText, fc.integer({ min: 0, max: 511 }), async (documents, query, refused) => {
        const reader = openIndex(encodeDocuments(documents));
        const accepts = (number: number): boolean => ((refused >> number) & 1) === 0;
        const all = await search(reader, query, { limit: 1000 });
        const some = await search(reader, query, { limit: 1000, accepts });
        // A retracted document that is asked for by name is the third of those that are accepted.
        expect(some.results).toEqual(placeNamed(all.results.filter(({ number }) => accepts(number))));
        expect([...some.matching]).toEqual([...all.matching].filter(accepts));
      }),
      { numRuns: 100 },
    );
  });

  it('asks accepts once for each match, ascending', async () => {
    const asked: number[] = [];
    const reader = openIndex(encodeDocuments([capsule('a', 'offer'), capsule('b', 'price'), capsule('c', 'offer offer')]));
    await search(reader, 'offer', { limit: 5, accepts: (number) => asked.push(number) > 0 });
    expect(asked).toEqual([0, 2]);
  });

  it('gives an empty list for stop words, blanks, unknown words and an empty corpus', async () => {
    for (const query of ['', '  ', 'what is the', 'of '.repeat(342), '?!', 'qqqqqqqqqq', '\ud800']) {
      expect(await rank([capsule('a', 'what is the price')], query)).toEqual([]);
    }
    expect(await rank([], 'price')).toEqual([]);
  });
});
