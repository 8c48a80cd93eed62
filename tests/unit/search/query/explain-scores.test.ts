import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexBuilder } from '../../../../src/search/build/build-index.ts';
import type { IndexReader } from '../../../../src/search/query/index-reader.ts';
import { explainScores, search } from '../../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { capsule, corpusOf, plainText } from '../arbitraries.ts';
import { openIndex } from '../open-index.ts';

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
      { numRuns: 200 },
    );
    expect(pairs).toBeGreaterThan(50);
    expect(explained).toBeGreaterThan(500);
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
