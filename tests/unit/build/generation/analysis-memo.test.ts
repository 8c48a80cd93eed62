import { expect, it } from 'vitest';
import { AnalysisMemo } from '../../../../src/build/generation/analysis-memo.ts';
import { buildSearchIndex } from '../../../../src/build/generation/build-search-index.ts';
import { syntheticDocuments } from '../../../bench/synthetic-corpus.ts';

it('gives the same bytes as an analysis from the beginning, after changes, additions and removals', async () => {
  const memo = new AnalysisMemo();
  const all = [...syntheticDocuments(150, 7)];
  const [first, second, ...rest] = all;
  if (first === undefined || second === undefined) throw new Error('there are documents');
  const changed = { ...first, body: `${first.body} A zebra crosses.` };
  for (const documents of [all, [changed, second, ...rest], [changed, ...rest], [changed, second, ...rest.slice(0, -1)], all.slice(40)])
    expect(await buildSearchIndex(documents, { analyses: memo })).toEqual(await buildSearchIndex(documents));
});

it('analyses a document again only if it is another object, and few with it', () => {
  const memo = new AnalysisMemo();
  const all = [...syntheticDocuments(300, 7)];
  const before = memo.analyse(all);
  const after = memo.analyse(all.map((document, index) => (index === 150 ? { ...document } : document)));
  expect(after.filter((group) => !before.includes(group))).toHaveLength(1);
});
