import { expect, test } from 'vitest';
import { IndexBuilder } from '../../../../src/search/build/build-index.ts';
import { explainScores } from '../../../../src/search/query/explain-scores.ts';
import type { IndexReader } from '../../../../src/search/query/index-reader.ts';
import { search } from '../../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { openIndex } from '../open-index.ts';

/** Documents of equal length, so that their averages are the same in every index. */
const documentOf = (id: string, body: string): SearchDocument => ({
  id,
  language: 'en',
  title: 'Text',
  headings: [],
  tags: [],
  summary: '',
  body,
});

const CAPSULES = [
  documentOf('a', 'agent key header token'),
  documentOf('b', 'agent price header cache'),
  documentOf('c', 'agent cache digest block'),
];
const OTHERS = [documentOf('d', 'agent offer price review'), documentOf('e', 'refund offer policy review')];

function readerOf(documents: readonly SearchDocument[]): IndexReader {
  const builder = new IndexBuilder({ expansion: false, neighbours: false });
  builder.add(documents);
  return openIndex(builder.finish());
}

const [capsules, others, whole] = [readerOf(CAPSULES), readerOf(OTHERS), readerOf([...CAPSULES, ...OTHERS])];
const segments = [capsules, others];

test.each(['agent price', 'review offer agent cache', 'refund', 'header token'])(
  'segments score "%s" as one index of all their documents does',
  async (query) => {
    const expected = await search(whole, query, { limit: 10 });
    const scores = new Map(expected.results.map(({ number, score }) => [number, score]));
    const [first, second] = await Promise.all(segments.map((segment) => search(segment, query, { limit: 10, segments })));
    const found = [
      ...(first?.results ?? []),
      ...(second?.results ?? []).map(({ number, score }) => ({ number: number + CAPSULES.length, score })),
    ];
    expect(new Map(found.map(({ number, score }) => [number, score]))).toEqual(scores);
  },
);

test('a word that only another segment knows is neither corrected nor skipped', async () => {
  expect((await search(capsules, 'agents refund', { limit: 10 })).plan.unknown).toEqual(['refund']);
  const together = await search(capsules, 'agents refund', { limit: 10, segments });
  expect(together.plan).toMatchObject({ unknown: [], corrections: [] });
  expect(together).toMatchObject({ skipped: [], isExact: true, documentCount: 5 });
});

test('a misspelt word is corrected by the words of every segment', async () => {
  for (const segment of segments) {
    const { plan } = await search(segment, 'reviev', { limit: 1, segments });
    expect(plan.corrections).toEqual([{ word: 'reviev', readAs: 'review' }]);
  }
});

test('the parts of a score over several segments add up to it', async () => {
  const { results, ...outcome } = await search(capsules, 'agent price header review', { limit: 10, segments });
  const parts = explainScores(
    capsules,
    outcome,
    results.map(({ number }) => number),
  );
  for (const { number, score } of results) expect(parts.get(number)?.reduce((sum, { points }) => sum + points, 0)).toBe(score);
});

test('a search without other segments is one over the index alone', async () => {
  const alone = await search(capsules, 'agent price', { limit: 10 });
  expect(await search(capsules, 'agent price', { limit: 10, segments: [capsules] })).toMatchObject({ results: alone.results });
});
