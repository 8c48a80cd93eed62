import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnalysedText } from '../../../../src/search/passages/analysed-text.ts';
import { passageQuery } from '../../../../src/search/passages/passage-query.ts';
import { isFirstAhead, READ_RESULTS, rankBySentences } from '../../../../src/search/passages/rank-by-sentences.ts';
import { search } from '../../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { capsule, queryText, tieredCorpus } from '../arbitraries.ts';
import { encodeDocuments, openIndex } from '../open-index.ts';

async function ranked(documents: readonly SearchDocument[], query: string, askedBy: readonly string[] = []) {
  const index = encodeDocuments(documents);
  const { results, plan } = await search(openIndex(index), query, { limit: READ_RESULTS });
  const textsOf = (number: number): AnalysedText[] =>
    documents
      .slice(number, number + 1)
      .map(({ body, language, title }) => new AnalysedText(body, language, title, number === 1 ? askedBy : []));
  return { results, bySentences: rankBySentences(results, passageQuery(query, plan, index.head.documents), textsOf) };
}

const SCATTERED =
  'A lease ends after a day. Nobody renews it. A server may cache what it reads. The token is elsewhere, and so is the key.';
const IN_ONE =
  'A lease ends when the server drops the token. Nobody renews it. What it reads may be in a cache. The key is elsewhere, after a day.';

describe('rankBySentences()', () => {
  it('puts a text first that has the words of the query in one sentence', async () => {
    for (const bodies of [
      [SCATTERED, IN_ONE],
      [IN_ONE, SCATTERED],
    ]) {
      const documents = bodies.map((body, number) => capsule(`text-${number}`, body));
      const { bySentences } = await ranked(documents, 'when does the server drop the token of a lease');
      expect(documents[bySentences[0]?.number ?? -1]?.body).toBe(IN_ONE);
    }
  });

  it('counts the title, and the words by which readers ask for a text, like a sentence', async () => {
    const documents = [capsule('first', SCATTERED), capsule('second', SCATTERED)];
    const points = async (second: Partial<SearchDocument>, askedBy?: readonly string[]): Promise<number> => {
      const { bySentences } = await ranked(
        [documents[0] as SearchDocument, { ...documents[1], ...second } as SearchDocument],
        'lease token key',
        askedBy,
      );
      const of = (number: number): number => {
        const { score = 0, sentencePoints = 0 } = bySentences.find((one) => one.number === number) ?? {};
        return sentencePoints / (score - sentencePoints);
      };
      return of(1) - of(0);
    };
    expect(await points({})).toBe(0);
    expect(await points({ title: 'The token and key of a lease' })).toBeGreaterThan(0.05);
    expect(await points({}, ['token', 'key', 'lease'])).toBeGreaterThan(0.05);
  });

  it('adds at most two fifths to a score, and moves no document to another tier', async () => {
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(tieredCorpus(12, 2), queryText, async (documents, query) => {
        const { results, bySentences } = await ranked(documents, query);
        expect(bySentences.map(({ number }) => number).sort()).toEqual(results.map(({ number }) => number).sort());
        for (const { number, score, sentencePoints } of bySentences) {
          const before = results.find((result) => result.number === number)?.score ?? 0;
          expect(score - sentencePoints).toBe(before);
          expect(sentencePoints).toBeGreaterThanOrEqual(0);
          expect(sentencePoints).toBeLessThanOrEqual(Math.round(before * 0.4));
        }
        const unnamed = bySentences.filter(({ isNamed }) => !isNamed);
        expect(unnamed.map(({ tier }) => tier)).toEqual(unnamed.map(({ tier }) => tier).sort((a, b) => a - b));
        for (const [at, { tier, score }] of unnamed.slice(1).entries())
          if (unnamed[at]?.tier === tier) expect(unnamed[at]?.score).toBeGreaterThanOrEqual(score);
        if (bySentences.some(({ number }, at) => results[at]?.number !== number)) moved += 1;
      }),
      { numRuns: 150 },
    );
    expect(moved).toBeGreaterThan(5);
  });
});

it.each([
  ['What is a lease?', true],
  ['what does lease mean', true],
  ['What is the lease?', false],
  ['What is a token lease?', false],
  ['lease', false],
])('passageQuery() says whether "%s" asks for a definition alone: %s', async (question, expected) => {
  const index = encodeDocuments([capsule('first', SCATTERED)]);
  const { plan } = await search(openIndex(index), question, { limit: 1 });
  expect(passageQuery(question, plan, 1).asksForDefinition).toBe(expected);
});

describe('isFirstAhead()', () => {
  const found = (score: number, number: number, tier = 0, namePoints = 0) => ({
    ...{ number, score, tier, namePoints },
    isReplaced: false,
    isNamed: false,
  });
  const isAhead = (...results: ReturnType<typeof found>[]): boolean => isFirstAhead(results, ({ number }) => number === 9);

  it('holds where no other result of its tier that says something else has 97 % of its score', () => {
    expect([isAhead(), isAhead(found(1_000, 1)), isAhead(found(1_000, 1), found(970, 2)), isAhead(found(1_000, 1), found(971, 2))]).toEqual(
      [false, true, true, false],
    );
    expect(isAhead(found(1_000, 1), found(999, 9), found(900, 2))).toBe(true);
    expect(isAhead(found(1_000, 1), found(999, 9), found(990, 2))).toBe(false);
    expect(isAhead(found(1_000, 1), found(2_000, 2, 3))).toBe(true);
    expect(isAhead(found(100_900, 1, 0, 100_000), found(100_800, 2, 0, 100_000))).toBe(true);
    expect(isAhead(found(100_900, 1, 0, 100_000), found(100_890, 2, 0, 100_000))).toBe(false);
  });
});
