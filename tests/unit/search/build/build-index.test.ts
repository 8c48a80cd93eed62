import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from '../../../../src/search/analysis/analyse.ts';
import { QUANTIZED_IMPACT_MAX } from '../../../../src/search/bm25.ts';
import { IndexBuilder } from '../../../../src/search/build/build-index.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { capsule, corpusOf, hostileText, plainText, tieredCorpus } from '../arbitraries.ts';
import { encodeDocuments, LAYOUTS, openIndex, UNBOUNDED } from '../open-index.ts';
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
      { numRuns: 60 },
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
      { numRuns: 60 },
    );
    expect(given).toBeGreaterThan(20);
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
      { numRuns: 40 },
    );
    expect(() => encodeDocuments([capsule('a\ud800', 'x')])).toThrow(RangeError);
  });
});
