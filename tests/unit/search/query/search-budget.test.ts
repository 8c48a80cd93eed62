import { describe, expect, it } from 'vitest';
import { IndexBuilder } from '../../../../src/search/build/build-index.ts';
import type { IndexReader } from '../../../../src/search/query/index-reader.ts';
import { search } from '../../../../src/search/query/search.ts';
import { capsule } from '../arbitraries.ts';
import { openIndex } from '../open-index.ts';

function smallReader(): IndexReader {
  const builder = new IndexBuilder({ expansion: false, neighbours: false });
  builder.add([capsule('a', 'payment agent'), capsule('b', 'payment agent'), capsule('c', 'agent')]);
  return openIndex(builder.finish());
}

describe('search() within a budget', () => {
  it('says that it is exact when it leaves nothing out', async () => {
    const { isExact, skipped, matching } = await search(smallReader(), 'payment agent', { limit: 3 });
    expect([isExact, skipped, matching.length]).toEqual([true, [], 3]);
  });

  it('names the terms whose postings it did not score, and is not exact', async () => {
    const budget = { blocksMax: null, partsMax: null, postingsMax: 2 };
    const { isExact, skipped, matching, plan } = await search(smallReader(), 'agent payment', { limit: 3, budget });
    expect([isExact, skipped.map((number) => plan.terms[number]?.term), [...matching]]).toEqual([false, ['agent'], [0, 1]]);
  });

  it('takes a word whose block it may not read neither for unknown nor for misspelt', async () => {
    const budget = { blocksMax: 0, partsMax: null, postingsMax: 100 };
    const { isExact, skipped, plan, results } = await search(smallReader(), 'agents', { limit: 3, budget });
    expect({ isExact, skipped, results }).toEqual({ isExact: false, skipped: [0], results: [] });
    expect([plan.corrections, plan.unknown]).toEqual([[], []]);
  });
});
