import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexBuilder } from '../../../../src/search/build/build-index.ts';
import type { IndexBlock, SearchBudget } from '../../../../src/search/format/index-block.ts';
import { explainScores } from '../../../../src/search/query/explain-scores.ts';
import { IndexReader } from '../../../../src/search/query/index-reader.ts';
import { placeNamed } from '../../../../src/search/query/order-named-results.ts';
import type { QueryPlan } from '../../../../src/search/query/plan-query.ts';
import { scoringOrder } from '../../../../src/search/query/score-documents.ts';
import { search } from '../../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { capsule, corpusOf, hostileText, plainText, queryText, tieredCorpus } from '../arbitraries.ts';
import { NaiveRanking } from '../naive-ranking.ts';
import { encodeDocuments, LAYOUTS, LISTS_IN_PARTS, openBlock, openIndex, TEST_KERNEL, UNBOUNDED } from '../open-index.ts';

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
      { numRuns: 30 },
    );
    expect(seen.results).toBeGreaterThan(60);
    expect(seen.pairs).toBeGreaterThan(60);
    expect(seen.corrections).toBeGreaterThan(10);
    expect(seen.smoothed).toBeGreaterThan(20);
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
      { numRuns: 12, endOnFailure: true },
    );
  });

  it('does so whatever the texts and the query', async () => {
    await fc.assert(
      fc.asyncProperty(corpusOf(hostileText), hostileText, async (documents, query) => {
        expect(await rank(documents, query)).toEqual(new NaiveRanking(documents).search(query));
      }),
      { numRuns: 30 },
    );
  });
});

describe('search()', () => {
  it('gives the beginning of one ranking', async () => {
    await fc.assert(
      fc.asyncProperty(tieredCorpus(9), queryText, fc.nat(20), async (documents, query, limit) => {
        const reader = openIndex(encodeDocuments(documents));
        const all = await search(reader, query, { limit: 1000 });
        const page = await search(reader, query, { limit });
        expect(page.results).toEqual(all.results.slice(0, limit));
        expect(page.matching).toEqual(all.matching);
      }),
      { numRuns: 30 },
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
      { numRuns: 30 },
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

function readerOf(documents: readonly SearchDocument[]): IndexReader {
  const builder = new IndexBuilder();
  builder.add(documents);
  return openIndex(builder.finish());
}

describe('explainScores()', () => {
  it('gives parts that add up to the score, for every document that matches, whatever the corpus, the query and the bound on the work', async () => {
    let pairs = 0;
    let explained = 0;
    await fc.assert(
      fc.asyncProperty(corpusOf(plainText), plainText, fc.constantFrom(2_000_000, 12, 3), async (documents, query, postingsMax) => {
        const reader = readerOf(documents);
        const budget = { blocksMax: null, partsMax: null, postingsMax };
        const { results, ...outcome } = await search(reader, query, { limit: 50, budget });
        const { plan } = outcome;
        const numbers = results.map(({ number }) => number);
        const parts = explainScores(reader, outcome, numbers, budget);
        expect([...parts.keys()]).toEqual(numbers);
        for (const { number, score } of results) {
          const ofDocument = parts.get(number) ?? [];
          expect(ofDocument.reduce((sum, { points }) => sum + points, 0)).toBe(score);
          for (const { kind, terms, points, weight, impact } of ofDocument) {
            expect(Number.isInteger(points) && (points > 0 || kind === 'neighbours')).toBe(true);
            expect(terms.every((term) => plan.terms[term] !== undefined)).toBe(true);
            if (kind === 'term' || kind === 'expansion') expect((weight ?? 0) * (impact ?? 0)).toBe(points);
            if (kind === 'pair') pairs++;
            explained++;
          }
        }
      }),
      { numRuns: 25 },
    );
    expect(pairs).toBeGreaterThan(1);
    expect(explained).toBeGreaterThan(60);
  });

  it('has a pair for a document in which both words are neighbours, and none for one that has them apart', async () => {
    const documents = [
      capsule('near', 'a payment signature here'),
      capsule('apart', 'a signature for the payment'),
      capsule('other', 'nothing'),
    ];
    const reader = readerOf(documents);
    const outcome = await search(reader, 'payment signature', { limit: 3 });
    const parts = explainScores(reader, outcome, [0, 1, 2]);
    expect(parts.get(0)?.map(({ kind }) => kind)).toEqual(['term', 'term', 'pair']);
    expect(parts.get(1)?.map(({ kind }) => kind)).toEqual(['term', 'term']);
    expect(parts.get(2)).toEqual([]);
  });

  it('explains no documents on request of none', async () => {
    const reader = readerOf([capsule('a', 'payment')]);
    expect(explainScores(reader, await search(reader, 'payment', { limit: 1 }), []).size).toBe(0);
  });
});

/** A plan of terms in so many documents each; `read` says whether their lists were read. */
function planOf(terms: readonly { readonly documents: number; readonly read?: boolean }[], pairs: QueryPlan['pairs'] = []) {
  return {
    terms: terms.map(({ documents, read = true }, number) => ({
      term: `term-${number}`,
      indexed: {
        hash: { key: number, shard: 0 },
        documentFrequency: documents,
        parts: read ? [{ records: new Uint8Array(), at: 0, end: 0 }] : [],
        isWhole: read,
      },
      weight: 1,
      places: [],
    })),
    pairs,
  };
}

describe('scoringOrder()', () => {
  it('takes the rarest terms first, as many as the bound allows, and the rarest one in any case', () => {
    expect(scoringOrder(planOf([{ documents: 50 }, { documents: 5 }, { documents: 30 }]), 40).scored).toEqual([1, 2]);
    expect(scoringOrder(planOf([{ documents: 900 }, { documents: 600 }]), 500).scored).toEqual([1]);
  });

  it('gives no place to a term whose list was not read, however frequent it is', () => {
    const terms = [{ documents: 900_000, read: false }, { documents: 600_000 }];
    expect(scoringOrder(planOf(terms), 500_000)).toMatchObject({ scored: [1], marked: [1] });
  });

  it('looks for pairs of scored terms alone, the first ones as long as their documents fit into memory', () => {
    const frequent = Array.from({ length: 32 }, () => ({ documents: 60_000 }));
    const pairs = frequent.flatMap((_, first) => [0, 1, 2, 3, 4, 5, 6].map((step) => ({ first, second: (first + step) % 32, weight: 1 })));
    expect(scoringOrder(planOf(frequent, pairs), 2_000_000).pairs).toEqual(pairs.slice(0, 16));
    expect(scoringOrder(planOf([{ documents: 10 }, { documents: 90 }], [{ first: 0, second: 1, weight: 1 }]), 50).pairs).toEqual([]);
  });
});

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
      { numRuns: 25 },
    );
    expect(pruned).toBeGreaterThan(3);
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
      { numRuns: 20 },
    );
  });

  it('bounds blocks and parts that are read, each time words are looked up', async () => {
    const asked = ['user', 'path', 'offer', 'agent', 'price', 'index', 'fetch', 'nothing'];
    const bounded = { blocks: 0, parts: 0 };
    await fc.assert(
      fc.asyncProperty(
        tieredCorpus(25, 15),
        fc.subarray(asked),
        fc.constantFrom(LISTS_IN_PARTS, LAYOUTS['few blocks, words in parts']),
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
      { numRuns: 30 },
    );
    expect(bounded.blocks).toBeGreaterThan(4);
    expect(bounded.parts).toBeGreaterThan(1);
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
      { numRuns: 20 },
    );
  });

  it('takes a word whose block it may not read neither for unknown nor for misspelt', async () => {
    const documents = [capsule('a', 'payment agent'), capsule('b', 'agent')];
    const reader = openIndex(encodeDocuments(documents, { expansion: false, neighbours: false }));
    const { isExact, skipped, plan, results } = await search(reader, 'agents', { limit: 3, budget: { ...UNBOUNDED, blocksMax: 0 } });
    expect([isExact, skipped, results, plan.corrections, plan.unknown]).toEqual([false, [0], [], [], []]);
  });

  it('says that it left out a name whose block it may not read', async () => {
    const reader = openIndex(encodeDocuments([{ ...capsule('a', 'payment'), headings: ['&&'] }]));
    const all = await search(reader, '&&', { limit: 3, budget: UNBOUNDED });
    const none = await search(reader, '&&', { limit: 3, budget: { ...UNBOUNDED, blocksMax: 0 } });
    expect([all, none].map(({ isExact, results }) => [isExact, results.length])).toEqual([
      [true, 1],
      [false, 0],
    ]);
  });
});
