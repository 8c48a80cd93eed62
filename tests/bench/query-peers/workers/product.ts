import { BlockCache, BlockLoader } from '../../../../src/gateway/knowledge/load-block.ts';
import { BLOCK_CACHE_BYTES, type BlockReads, kvBlockStore } from '../../../../src/platform/block-stores.ts';
import type { BlockReference } from '../../../../src/schemas/knowledge/generation-manifest.ts';
import { IndexBlock, type IndexHead } from '../../../../src/search/format/index-block.ts';
import { IndexReader } from '../../../../src/search/query/index-reader.ts';
import { search } from '../../../../src/search/query/search.ts';
import { Kernel } from '../../../../src/search/scoring-wasm/kernel.ts';
import { type EngineWorker, once, serveEngine } from './serve-engine.ts';

export interface ProductModules {
  readonly kernel: { readonly default: WebAssembly.Module };
}

/** What travels with a deploy: where everything is. */
export interface ProductIndex {
  readonly head: IndexHead;
  readonly blocks: readonly BlockReference[];
  /** Pages of ids, as JSON, in the order of document numbers. */
  readonly idPages: readonly BlockReference[];
  readonly idsPerPage: number;
}

export interface ProductBindings {
  readonly STORE: BlockReads;
  readonly INDEX: ProductIndex;
}

/** The index of the gateway, read block by block as its queries need them; ids are read as the gateway reads its documents. */
export function engineWorker({ kernel }: ProductModules): EngineWorker<ProductBindings> {
  const ranking = new Kernel(kernel.default);
  return serveEngine(({ STORE, INDEX }) => {
    let reads = 0;
    let bytes = 0;
    const inner = kvBlockStore(STORE);
    const loader = new BlockLoader(
      {
        read: async (sha256) => {
          const block = await inner.read(sha256);
          reads += 1;
          bytes += block?.length ?? 0;
          return block;
        },
        readMany: async (references) => {
          const blocks = await (inner.readMany?.(references) ?? new Map<string, Uint8Array>());
          reads += 1;
          for (const block of blocks.values()) bytes += block.length;
          return blocks;
        },
      },
      new BlockCache(BLOCK_CACHE_BYTES),
    );
    const reader = once(
      async () =>
        new IndexReader(
          INDEX.head,
          (block) =>
            loader.load(INDEX.blocks[block] as BlockReference, 'length', (bytes) => IndexBlock.open(bytes, INDEX.head.tables?.[block])),
          ranking,
        ),
    );
    return {
      search: async (query, limit) => {
        const { results } = await search(await reader(), query, { limit });
        const pageOf = (number: number): number => Math.floor(number / INDEX.idsPerPage);
        const wanted = [...new Set(results.map(({ number }) => pageOf(number)))];
        const pages = await loader.loadTexts(
          wanted.map((page) => INDEX.idPages[page] as BlockReference),
          (page) => JSON.parse(new TextDecoder().decode(page)) as string[],
        );
        return results.map(({ number }) => pages[wanted.indexOf(pageOf(number))]?.[number % INDEX.idsPerPage] ?? '');
      },
      touchStore: () => STORE.get('none', { type: 'arrayBuffer', cacheTtl: 60 }),
      storeReads: () => ({ reads, bytes }),
    };
  });
}
