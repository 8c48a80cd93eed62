import { BlockCache, BlockLoader } from '../../src/gateway/knowledge/load-block.ts';
import type { BlockStore } from '../../src/gateway/platform-ports.ts';
import { type BlockReads, blockKey, kvBlockStore } from '../../src/platform/block-stores.ts';
import { sha256Hex } from '../../src/provenance/bytes-and-sha256.ts';
import type { BlockReference } from '../../src/schemas/knowledge/generation-manifest.ts';
import { IndexBlock } from '../../src/search/format/index-block.ts';
import { IndexReader } from '../../src/search/query/index-reader.ts';
import { search } from '../../src/search/query/search.ts';
import { Kernel } from '../../src/search/scoring-wasm/kernel.ts';
import { buildSearchIndex } from '../support/build-search-index.ts';
import { compiledKernel } from '../support/compiled-kernel.ts';
import { startLocalKv } from '../support/local-kv.ts';
import type { EvalDocument } from './collection.ts';
import { cpuMs } from './cpu-clock.ts';
import type { CostedRanker, CostedRanking } from './ranker.ts';

/**
 * The ranking of the gateway: its build, its blocks in KV, its reader. Reads and bytes are those of a cold isolate, CPU is that of a warm one.
 */
export const productRanker = {
  name: 'product',
  make: async (documents: readonly EvalDocument[]): Promise<CostedRanker> => {
    const sorted = [...documents].sort((a, b) => (a.id < b.id ? -1 : 1));
    const { head, blocks } = await buildSearchIndex(
      sorted.map(({ text, ...document }) => ({ ...document, body: text })),
      {},
    );
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
    const rankWithCost = async (query: string, depth: number): Promise<CostedRanking> => {
      counted.reset();
      const cold = await search(open(), query, { limit: depth });
      const { reads, bytes } = counted;
      await search(warm, query, { limit: depth });
      const started = cpuMs();
      const { results } = await search(warm, query, { limit: depth });
      const cost = { reads, bytes, cpuMs: cpuMs() - started };
      if (results.length !== cold.results.length) throw new Error('a cold and a warm isolate gave different results');
      return { ids: results.map(({ number }) => sorted[number]?.id ?? ''), cost };
    };
    return {
      name: 'product',
      close: kv.stop,
      indexBytes: blocks.reduce((sum, { length }) => sum + length, 0),
      rankWithCost,
      rank: async (query, depth) => (await search(warm, query, { limit: depth })).results.map(({ number }) => sorted[number]?.id ?? ''),
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
