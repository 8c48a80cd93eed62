import { BlockCache, BlockLoader } from '../../src/gateway/knowledge/load-block.ts';
import type { BlockStore } from '../../src/gateway/platform-ports.ts';
import { type BlockReads, blockKey, kvBlockStore } from '../../src/platform/block-stores.ts';
import { sha256Hex } from '../../src/provenance/bytes-and-sha256.ts';
import type { BlockReference } from '../../src/schemas/knowledge/generation-manifest.ts';
import { IndexBlock } from '../../src/search/format/index-block.ts';
import { AnalysedText } from '../../src/search/passages/analysed-text.ts';
import { passageQuery } from '../../src/search/passages/passage-query.ts';
import { READ_RESULTS, rankBySentences } from '../../src/search/passages/rank-by-sentences.ts';
import { IndexReader } from '../../src/search/query/index-reader.ts';
import { type RankedDocument, search } from '../../src/search/query/search.ts';
import { Kernel } from '../../src/search/scoring-wasm/kernel.ts';
import { buildSearchIndex } from '../support/build-search-index.ts';
import { compiledKernel } from '../support/compiled-kernel.ts';
import { startLocalKv } from '../support/local-kv.ts';
import type { EvalDocument } from './collection.ts';
import { cpuMs } from './cpu-clock.ts';
import type { CostedRanker, CostedRanking } from './ranker.ts';

/**
 * The ranking of the gateway: its build, its blocks in KV, its reader, and the texts of the first results. Reads and bytes are those of the index in a
 * cold isolate, CPU is that of a warm one.
 */
export const productRanker = {
  name: 'product',
  make: async (documents: readonly EvalDocument[]): Promise<CostedRanker> => {
    const sorted = [...documents].sort((a, b) => (a.id < b.id ? -1 : 1));
    const { head, blocks } = await buildSearchIndex(
      sorted.map(({ text, ...document }) => ({ ...document, body: text })),
      {},
    );
    const texts = sorted.map(({ text, language, title }) => new AnalysedText(text, language, title));
    const kv = await startLocalKv();
    const namespace = kv.binding<BlockReads & { put(key: string, value: ArrayBuffer): Promise<void> }>();
    const references: BlockReference[] = [];
    for (const bytes of blocks) {
      const sha256 = await sha256Hex(bytes);
      references.push({ sha256, bytes: bytes.length });
      await namespace.put(blockKey(sha256), bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer);
    }
    const counted = countReads(kvBlockStore(namespace));
    const kernel = new Kernel(compiledKernel());
    const open = (): IndexReader => {
      const loader = new BlockLoader(counted.store, new BlockCache(Number.POSITIVE_INFINITY));
      return new IndexReader(
        head,
        (block) => loader.load(references[block] as BlockReference, 'length', (bytes) => IndexBlock.open(bytes, head.tables?.[block])),
        kernel,
      );
    };
    const warm = open();
    const rankIn = async (reader: IndexReader, query: string, depth: number): Promise<RankedDocument[]> => {
      const { results, plan } = await search(reader, query, { limit: Math.max(depth, READ_RESULTS) });
      const read = rankBySentences(results.slice(0, READ_RESULTS), passageQuery(query, plan, sorted.length), (number) =>
        texts.slice(number, number + 1),
      );
      return [...read, ...results.slice(READ_RESULTS)].slice(0, depth);
    };
    const idsOf = (ranked: readonly RankedDocument[]): string[] => ranked.map(({ number }) => sorted[number]?.id ?? '');
    const rankWithCost = async (query: string, depth: number): Promise<CostedRanking> => {
      counted.reset();
      const cold = await rankIn(open(), query, depth);
      const { reads, bytes } = counted;
      await rankIn(warm, query, depth);
      const started = cpuMs();
      const ranked = await rankIn(warm, query, depth);
      const cost = { reads, bytes, cpuMs: cpuMs() - started };
      if (ranked.length !== cold.length) throw new Error('a cold and a warm isolate gave different results');
      return { ids: idsOf(ranked), cost };
    };
    return {
      name: 'product',
      close: kv.stop,
      indexBytes: blocks.reduce((sum, { length }) => sum + length, 0),
      rankWithCost,
      rank: async (query, depth) => idsOf(await rankIn(warm, query, depth)),
    };
  },
};

function countReads(inner: BlockStore): { store: BlockStore; reads: number; bytes: number; reset: () => void } {
  const counted = {
    reads: 0,
    bytes: 0,
    reset: () => {
      counted.reads = 0;
      counted.bytes = 0;
    },
    store: {
      ...inner,
      read: async (sha256: string) => {
        const value = await inner.read(sha256);
        counted.reads += 1;
        counted.bytes += value?.length ?? 0;
        return value;
      },
    },
  };
  return counted;
}
