import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EncodedIndex } from '../../../../src/search/build/build-index.ts';
import { IndexBlock } from '../../../../src/search/format/index-block.ts';
import { IndexReader } from '../../../../src/search/query/index-reader.ts';
import { search } from '../../../../src/search/query/search.ts';
import { Kernel } from '../../../../src/search/scoring-wasm/kernel.ts';
import { compiledKernel } from '../../../support/compiled-kernel.ts';
import { queryText, tieredCorpus } from '../arbitraries.ts';
import { blockOf, encodeDocuments, LAYOUTS, openBlock, openIndex, TEST_KERNEL } from '../open-index.ts';

const queries = fc.array(queryText, { minLength: 1, maxLength: 5 });
const layouts = fc.constantFrom(...Object.values(LAYOUTS));

/** A reader whose blocks are kept and forgotten, and arrive late, as a list of numbers says. */
function forgetfulReader(index: EncodedIndex, whims: readonly number[]): { reader: IndexReader; reads: () => number } {
  const kept = new Map<number, IndexBlock>();
  let calls = 0;
  let reads = 0;
  const readBlock = async (number: number): Promise<IndexBlock> => {
    const whim = whims[calls++ % whims.length] ?? 0;
    if (whim % 3 === 0) kept.delete(number);
    if (whim % 7 === 0) kept.clear();
    const cached = kept.get(number);
    if (cached) return cached;
    for (let turn = 0; turn < whim % 5; turn++) await Promise.resolve();
    reads++;
    const block = await IndexBlock.open(blockOf(index.blocks, number).slice(), index.head.tables?.[number]);
    kept.set(number, block);
    return block;
  };
  const reader = new IndexReader(index.head, readBlock, TEST_KERNEL);
  return { reader, reads: () => reads };
}

const whims = fc.array(fc.nat(20), { minLength: 1, maxLength: 30 });

describe('the same question', () => {
  it('has the same answer whatever is kept of the index, and whatever was asked before', async () => {
    let reads = 0;
    await fc.assert(
      fc.asyncProperty(tieredCorpus(9), queries, layouts, whims, async (documents, asked, layout, when) => {
        const encoded = encodeDocuments(documents, { layout });
        const forgetful = forgetfulReader(encoded, when);
        for (const query of [...asked, ...asked]) {
          const answer = await search(forgetful.reader, query, { limit: 100 });
          const fresh = await search(openIndex(encoded), query, { limit: 100 });
          expect(answer.results).toEqual(fresh.results);
          expect(answer.matching).toEqual(fresh.matching);
          const added = ({ results, adjustments }: typeof answer) => results.map(({ number }) => adjustments.get(number) ?? 0);
          expect(added(answer)).toEqual(added(fresh));
        }
        reads += forgetful.reads();
      }),
      { numRuns: 20 },
    );
    expect(reads).toBeGreaterThan(100);
  });

  it('has the same answer while others are asked of the same reader, or of another one with the same kernel', async () => {
    await fc.assert(
      fc.asyncProperty(tieredCorpus(9, 1), tieredCorpus(9), queries, layouts, whims, async (documents, more, asked, layout, when) => {
        const kernel = new Kernel(compiledKernel());
        const encoded = [encodeDocuments(documents, { layout }), encodeDocuments(more, { layout })];
        const readers = encoded.map((one) => {
          const { reader } = forgetfulReader(one, when);
          return new IndexReader(
            one.head,
            async (number) => {
              await reader.columns();
              return openBlock(one, number);
            },
            kernel,
          );
        });
        const all = asked.flatMap((query) => readers.map((reader, at) => ({ query, reader, at })));
        const together = await Promise.all(all.map(({ query, reader }) => search(reader, query, { limit: 100 })));
        for (const [place, { query, at }] of all.entries()) {
          const alone = await search(openIndex(encoded[at] as EncodedIndex), query, { limit: 100 });
          expect(together[place]?.results).toEqual(alone.results);
          expect(together[place]?.matching).toEqual(alone.matching);
        }
      }),
      { numRuns: 20 },
    );
  });
});
