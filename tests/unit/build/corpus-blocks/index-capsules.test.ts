import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AnalysisCache, indexCapsules } from '../../../../src/build/corpus-blocks/index-capsules.ts';
import { MemoryAnalysisCache } from '../../../../src/build/dev/live-publication.ts';
import type { AuthoredCapsule } from '../../../../src/publication/authored-content.ts';
import { publishCapsules } from '../../../../src/publication/publish/published-capsules.ts';
import type { EncodedIndex } from '../../../../src/search/build/build-index.ts';
import type { PublishedCapsule } from '../../../../src/text/publication-model.ts';
import { contentOf, syntheticCapsules } from '../../../bench/capsule-corpus.ts';

const COUNT = 70;
const published = (capsules: readonly AuthoredCapsule[]): Promise<PublishedCapsule[]> => publishCapsules(contentOf(capsules));

async function indexed(
  capsules: readonly PublishedCapsule[],
  options: { readonly analyses?: AnalysisCache; readonly threads?: number } = {},
): Promise<{ readonly index: EncodedIndex; readonly analysed: number }> {
  let analysed = -1;
  const index = await indexCapsules(capsules, { threads: 0, ...options, onAnalysed: (count) => (analysed = count) });
  return { index, analysed };
}

let authored: AuthoredCapsule[];
let capsules: PublishedCapsule[];
let whole: EncodedIndex;
beforeAll(async () => {
  authored = syntheticCapsules(COUNT, 7);
  capsules = await published(authored);
  whole = (await indexed(capsules)).index;
});

describe('indexCapsules()', () => {
  it('gives the same bytes with kept analyses, after edits, additions and removals, and analyses few capsules again', async () => {
    const [first, second, ...rest] = authored;
    const added = syntheticCapsules(COUNT + 1, 7).at(-1);
    if (first === undefined || second === undefined || added === undefined) throw new Error('there are capsules');
    const edited = { ...first, markdown: `${first.markdown}\nA zebra crosses.\n` };
    const retitled = { ...second, frontMatter: { ...second.frontMatter, title: 'A title that nothing else has' } };
    const memo = new MemoryAnalysisCache();
    expect(await indexed(capsules, { analyses: memo })).toEqual({ index: whole, analysed: COUNT });
    for (const changed of [[edited, second, ...rest], [edited, retitled, ...rest], [first, second, added, ...rest], rest, authored]) {
      memo.forgetUnused();
      const now = await published(changed);
      const { index, analysed } = await indexed(now, { analyses: memo });
      expect(isDeepStrictEqual(index, (await indexed(now)).index)).toBe(true);
      expect(analysed).toBeLessThan(COUNT);
    }
    memo.forgetUnused();
    expect(await indexed(capsules, { analyses: memo })).toEqual({ index: whole, analysed: 0 });
  });

  it('analyses again what turns out to be damaged', async () => {
    const set: string[] = [];
    const damaged: AnalysisCache = { has: () => true, get: () => undefined, set: (from) => void set.push(from) };
    expect(isDeepStrictEqual((await indexed(capsules, { analyses: damaged })).index, whole)).toBe(true);
  });

  it('gives the same bytes from any number of threads', async () => {
    expect(isDeepStrictEqual((await indexed(capsules, { threads: 2 })).index, whole)).toBe(true);
  });

  it('keeps nothing of a text that is sold', async () => {
    const [one, ...others] = capsules;
    if (one === undefined) throw new Error('there are capsules');
    const sold = { ...one, metadata: { ...one.metadata, access: 'paid' as const }, markdown: 'Zwiebelkuchen.' };
    const memo = new MemoryAnalysisCache();
    await indexed([sold, ...others], { analyses: memo });
    const open = { ...sold, metadata: { ...sold.metadata, access: 'public' as const } };
    expect(isDeepStrictEqual((await indexed([open, ...others], { analyses: memo })).index, (await indexed([open, ...others])).index)).toBe(
      true,
    );
    expect(isDeepStrictEqual((await indexed([sold, ...others], { analyses: memo })).index, (await indexed([open, ...others])).index)).toBe(
      false,
    );
  });
});
