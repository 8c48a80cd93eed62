import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildIndex } from '../../../src/search/build-index.ts';
import { decodeIndex } from '../../../src/search/decode-index.ts';
import { editDistance } from '../../../src/search/edit-distance.ts';
import { encodeIndex } from '../../../src/search/encode-index.ts';
import { RANKING_VERSION, rankDocuments } from '../../../src/search/rank.ts';
import type { SearchDocument } from '../../../src/search/types.ts';
import { capsule, corpusOf, hostileText, plainText } from './arbitraries.ts';
import { naiveDistance, naiveRanking } from './naive-ranking.ts';

const ids = (documents: SearchDocument[], query: string): string[] => rankDocuments(buildIndex(documents), query).map(({ id }) => id);

const english = corpusOf(plainText).map((documents) => documents.map((document) => ({ ...document, language: 'en' })));

describe('rankDocuments()', () => {
  it('gives what the formula gives over the documents themselves', () => {
    fc.assert(
      fc.property(english, plainText, (documents, query) => {
        const ranked = rankDocuments(buildIndex(documents), query);
        const expected = naiveRanking(documents, query);
        expect(ranked.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
        for (const { id, score, matchedTerms } of ranked) {
          const naive = expected.find((other) => other.id === id);
          expect(Math.abs(score - (naive?.score ?? Number.NaN))).toBeLessThan(1e-6);
          expect(matchedTerms).toEqual(naive?.matchedTerms);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('ranks a decoded index as the built one', () => {
    fc.assert(
      fc.property(corpusOf(plainText), fc.oneof(plainText, hostileText), (documents, query) => {
        const index = buildIndex(documents);
        expect(rankDocuments(decodeIndex(encodeIndex(index)), query)).toEqual(rankDocuments(index, query));
      }),
    );
  });

  it('sorts by score, then id; scores have six decimals and are not negative; numbers lead to ids', () => {
    fc.assert(
      fc.property(corpusOf(plainText), plainText, (documents, query) => {
        const index = buildIndex(documents);
        const ranked = rankDocuments(index, query);
        ranked.forEach(({ id, documentNumber, score, matchedTerms }, at) => {
          const before = ranked[at - 1];
          expect(index.documentIds[documentNumber]).toBe(id);
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBe(Number(score.toFixed(6)));
          expect(matchedTerms.length).toBeGreaterThan(0);
          expect(new Set(matchedTerms).size).toBe(matchedTerms.length);
          if (before !== undefined) {
            expect(before.score > score || (before.score === score && before.id < id)).toBe(true);
          }
        });
      }),
    );
  });

  it('gives equal documents in the order of their ids', () => {
    const documents = ['c', 'a', 'é', 'B', 'b'].map((id) => capsule(id, 'offer of agents'));
    expect(ids(documents, 'offer agents')).toEqual(['B', 'a', 'b', 'c', 'é']);
  });

  it('leaves out what is not accepted and changes no score', () => {
    fc.assert(
      fc.property(corpusOf(plainText), plainText, fc.nat(8), (documents, query, refused) => {
        const index = buildIndex(documents);
        const accepts = (documentNumber: number): boolean => documentNumber !== refused;
        const all = rankDocuments(index, query);
        expect(rankDocuments(index, query, { accepts })).toEqual(all.filter((one) => accepts(one.documentNumber)));
      }),
    );
  });

  it('asks accepts once for each match, ascending', () => {
    const asked: number[] = [];
    const index = buildIndex([capsule('a', 'offer'), capsule('b', 'price'), capsule('c', 'offer offer')]);
    rankDocuments(index, 'offer', { accepts: (number) => asked.push(number) > 0 });
    expect(asked).toEqual([0, 2]);
  });

  it('gives a list to its caller alone', () => {
    const index = buildIndex([capsule('a', 'offer price')]);
    const first = rankDocuments(index, 'offer price');
    const copy = structuredClone(first);
    for (const { matchedTerms } of first) (matchedTerms as string[]).push('changed');
    expect(rankDocuments(index, 'offer price')).toEqual(copy);
  });

  it('never throws, whatever the corpus and query', () => {
    fc.assert(
      fc.property(corpusOf(hostileText), hostileText, (documents, query) => {
        for (const { score } of rankDocuments(buildIndex(documents), query)) expect(Number.isFinite(score)).toBe(true);
      }),
    );
  });

  it('prefers the title over the body, and the rare word over the common one', () => {
    const filler = 'agents read documents and answer questions';
    expect(ids([capsule('a', `${filler} lineage`, { title: 'Other' }), capsule('b', filler, { title: 'Lineage' })], 'lineage')).toEqual([
      'b',
      'a',
    ]);
    const common = [capsule('a', 'offer one'), capsule('b', 'offer two'), capsule('c', 'refund three'), capsule('d', 'offer four')];
    expect(ids(common, 'refund offer')[0]).toBe('c');
  });

  it('prefers words that stand next to each other as in the query', () => {
    const apart = capsule('a', 'rate of payments, then a limit');
    const together = capsule('b', 'payments then, of a rate limit');
    expect(ids([apart, together], 'rate limit')).toEqual(['b', 'a']);
  });

  it('does not read the end of one heading and the beginning of the next as neighbours', () => {
    const [split, whole] = rankDocuments(
      buildIndex([capsule('a', '', { headings: ['rate', 'limit'] }), capsule('b', '', { headings: ['rate limit', ''] })]),
      'rate limit',
    ).reverse();
    expect(whole?.score).toBeGreaterThan(split?.score ?? 0);
  });

  it('gives an empty list for stop words, blanks, unknown words and an empty corpus', () => {
    const index = buildIndex([capsule('a', 'what is the price')]);
    for (const query of ['', '  ', 'what is the', 'of '.repeat(342), '?!', 'qqqqqqqqqq', '\ud800']) {
      expect(rankDocuments(index, query)).toEqual([]);
    }
    expect(rankDocuments(buildIndex([]), 'price')).toEqual([]);
  });

  it('corrects a word of which nothing is known, for less', () => {
    const index = buildIndex([capsule('a', 'retrieval of provenance'), capsule('b', 'price list')]);
    const [clean] = rankDocuments(index, 'provenance');
    const [corrected] = rankDocuments(index, 'provanence');
    expect(corrected).toMatchObject({ id: 'a', matchedTerms: ['proven'] });
    expect(corrected?.score).toBeCloseTo(0.8 * (clean?.score ?? 0), 5);
  });

  it('does not correct known words, short words, or words with digits', () => {
    const index = buildIndex([capsule('a', 'form'), capsule('b', 'from4 farm sha256 cat')]);
    expect(rankDocuments(index, 'farm').map(({ id }) => id)).toEqual(['b']);
    for (const query of ['sha512', 'caz', 'fa']) {
      expect(rankDocuments(index, query).flatMap(({ matchedTerms }) => matchedTerms)).not.toContain('cat');
    }
    expect(rankDocuments(index, '1257')).toEqual([]);
  });

  it('corrects to the nearest, then the most frequent, then the first term', () => {
    const index = buildIndex([capsule('a', 'bark'), capsule('b', 'barn bars'), capsule('c', 'barn'), capsule('d', 'park')]);
    expect(rankDocuments(index, 'barx')[0]?.matchedTerms).toEqual(['barn']);
    expect(rankDocuments(index, 'zark')[0]?.matchedTerms).toEqual(['bark']);
  });

  it('finds one word in documents of several languages, and stop words of none', () => {
    const documents = [
      capsule('de', 'Kubernetes, und what is', { language: 'de' }),
      capsule('en', 'Running Kubernetes clusters'),
      capsule('fr', 'le thé', { language: 'fr' }),
    ];
    expect(ids(documents, 'what is Kubernetes').sort()).toEqual(['de', 'en']);
    expect(ids(documents, 'thé')).toEqual(['fr']);
    const [{ matchedTerms } = { matchedTerms: [] }] = rankDocuments(buildIndex(documents), 'what is the cluster');
    expect(matchedTerms).toEqual(['cluster']);
  });

  it('finds words of languages without spaces', () => {
    const documents = [capsule('a', '東京都に住んでいます', { language: 'ja' }), capsule('b', '知识胶囊', { language: 'zh' })];
    expect(ids(documents, '知识')).toEqual(['b']);
    expect(ids(documents, '東京')).toEqual(['a']);
  });

  it('has a version', () => {
    expect(Number.isInteger(RANKING_VERSION)).toBe(true);
  });
});

describe('editDistance()', () => {
  it('gives the distance by definition, or one more than the limit', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 3 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(naiveDistance(a, b), limit + 1));
      }),
      { numRuns: 500 },
    );
  });
});
