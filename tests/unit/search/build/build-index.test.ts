import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from '../../../../src/search/analysis/analyse.ts';
import { QUANTIZED_IMPACT_MAX } from '../../../../src/search/bm25.ts';
import { chooseLayout, EXACT_BUDGET, IndexBuilder } from '../../../../src/search/build/build-index.ts';
import { search } from '../../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { capsule, corpusOf, hostileText, plainText, queryText, tieredCorpus } from '../arbitraries.ts';
import { encodeDocuments, LAYOUTS, LISTS_IN_PARTS, openIndex, UNBOUNDED } from '../open-index.ts';
import { readPostings } from '../posting-lists.ts';

/** The bit of a record's first byte that says that followers come last. */
const HAS_FOLLOWERS = 16;

const termsOf = ({ title, headings, tags, summary, body, language }: SearchDocument): Set<string> =>
  new Set([title, ...headings, ...tags, summary, body].flatMap((text) => analyse(text, language).map(({ term }) => term)));

describe('IndexBuilder', () => {
  it('gives the same bytes for the same documents in the same order, however many are added at a time', () => {
    fc.assert(
      fc.property(
        tieredCorpus(12),
        fc.array(fc.nat(3), { maxLength: 12 }),
        fc.constantFrom(...Object.values(LAYOUTS)),
        (documents, sizes, layout) => {
          const builder = new IndexBuilder({ layout });
          let added = 0;
          for (const size of [...sizes, documents.length]) {
            builder.add(documents.slice(added, added + size));
            added += size;
          }
          expect(builder.finish()).toEqual(encodeDocuments(documents, { layout }));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('lists for each term exactly the documents that have it, and separately those that were expanded with it', async () => {
    let given = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(tieredCorpus(9), corpusOf(hostileText)), async (documents) => {
        const having = documents.map(termsOf);
        const vocabulary = new Set(having.flatMap((terms) => [...terms]));
        const found = await openIndex(encodeDocuments(documents)).lookUp([...vocabulary, 'nothing-has-this'], UNBOUNDED);
        expect(new Set(found.keys())).toEqual(vocabulary);
        for (const [term, { documentFrequency, parts }] of found) {
          const expected = documents.flatMap((_, number) => (having[number]?.has(term) ? [number] : []));
          expect(documentFrequency).toBe(expected.length);
          for (const part of parts) {
            const { own, expansion } = readPostings(part, documents.length);
            expect([...own.keys()]).toEqual(expected);
            for (const impact of [...own.values(), ...expansion.values()]) expect(impact).toBeLessThanOrEqual(QUANTIZED_IMPACT_MAX);
            given += expansion.size;
          }
        }
      }),
      { numRuns: 20 },
    );
    expect(given).toBeGreaterThan(0);
  });

  it('gives the highest impact and no higher one to a term that occurs in a text and its title again and again', async () => {
    const many = 'payment '.repeat(1000);
    const documents = [
      capsule('many', many, { title: many, headings: [many], tags: [many], summary: many }),
      capsule('other', many.repeat(9)),
    ];
    const found = await openIndex(encodeDocuments(documents)).lookUp(['payment'], UNBOUNDED);
    const [part] = found.get('payment')?.parts ?? [];
    if (part === undefined) throw new Error('a list was expected');
    const impact = readPostings(part, documents.length).own.get(0);
    expect(impact).toBeGreaterThan(120);
    expect(impact).toBeLessThanOrEqual(QUANTIZED_IMPACT_MAX);
  });

  it('leaves its input as it was', () => {
    const documents = Object.freeze([Object.freeze(capsule('b', 'x')), Object.freeze(capsule('a', 'y'))]);
    expect(encodeDocuments(documents).head.documents).toBe(2);
    expect(documents.map(({ id }) => id)).toEqual(['b', 'a']);
  });

  it('names the analysers of its documents, and keeps tiers only if there are any', () => {
    const { head } = encodeDocuments([capsule('a', 'x', { language: 'ja' }), capsule('b', 'y'), capsule('c', 'z', { language: 'de' })]);
    expect([head.readings, head.tiers, head.documents]).toEqual([['en', 'de', 'und'], null, 3]);
    expect(encodeDocuments([capsule('a', 'x', { tier: 2 })]).head.tiers).not.toBeNull();
  });

  it('leaves out pairs, expansion and neighbours on request', async () => {
    const documents = [capsule('a', 'payment signature agent'), capsule('b', 'payment signature'), capsule('c', 'agent payment')];
    const { head, blocks } = encodeDocuments(documents, { pairs: false, expansion: false, neighbours: false });
    expect(head.neighbours).toBeNull();
    const found = await openIndex({ head, blocks }).lookUp(['payment', 'signatur', 'agent'], UNBOUNDED);
    for (const [part] of [...found.values()].map(({ parts }) => parts)) {
      if (part === undefined || !('records' in part)) continue;
      expect(readPostings(part, documents.length).expansion.size).toBe(0);
      expect((part.records[part.at] ?? 0) & HAS_FOLLOWERS).toBe(0);
    }
  });

  it('never throws, whatever the texts, save for an id with a lone surrogate', () => {
    fc.assert(
      fc.property(corpusOf(fc.oneof(hostileText, plainText)), (documents) => {
        expect(encodeDocuments(documents).head.documents).toBe(documents.length);
      }),
      { numRuns: 15 },
    );
    expect(() => encodeDocuments([capsule('a\ud800', 'x')])).toThrow(RangeError);
  });
});

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
      { numRuns: 15 },
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
      { numRuns: 15 },
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
      { numRuns: 20 },
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
    expect([0.02, 0.2, 2, 12, 100].map((mebibytes) => chooseLayout(mebibytes * 2 ** 20, true, true).shardBlocks)).toEqual([
      1, 64, 256, 512, 2048,
    ]);
    expect(chooseLayout(2 ** 20, true, true)).toMatchObject({ oneBlock: false, budget: EXACT_BUDGET });
  });
});
