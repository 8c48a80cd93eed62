/// <reference path="../../src/functions/wasm.d.ts" />

import type { IndexHead } from '../../src/search/format/index-block.ts';
import { IndexBlock } from '../../src/search/format/index-block.ts';
import { IndexReader } from '../../src/search/query/index-reader.ts';
import { search } from '../../src/search/query/search.ts';
import { Kernel } from '../../src/search/scoring-wasm/kernel.ts';
import kernelModule from '../../src/search/scoring-wasm/kernel.wasm';

interface Environment {
  readonly BLOCKS: { fetch(address: string): Promise<Response> };
}

interface Task {
  readonly queries: readonly string[];
  readonly times: number;
}

declare const DOCUMENTS: number;

const ranking = new Kernel(kernelModule);
const blocks = new Map<number, Uint8Array>();
const opened = new Map<number, Promise<IndexBlock>>();
let read = new Set<number>();
let reader: IndexReader | undefined;

async function load({ BLOCKS }: Environment): Promise<void> {
  const head = (await (await BLOCKS.fetch('http://blocks/head')).json()) as IndexHead;
  for (let block = 0; block < head.blocks; block++) {
    const response = await BLOCKS.fetch(`http://blocks/${block}`);
    blocks.set(block, new Uint8Array(await response.arrayBuffer()));
  }
  const readBlock = (block: number): Promise<IndexBlock> => {
    read.add(block);
    const known = opened.get(block);
    if (known !== undefined) return known;
    const found = IndexBlock.open(blocks.get(block) ?? new Uint8Array(), head.tables?.[block]);
    opened.set(block, found);
    return found;
  };
  reader = new IndexReader(head, readBlock, ranking);
}

/** An isolate with all blocks in memory that only ranks queries, so that its CPU is that of ranking. */
export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    if (request.method === 'GET') {
      await load(environment);
      return new Response();
    }
    const { queries, times } = (await request.json()) as Task;
    const answers: { first: number | undefined; reads: number; bytes: number }[] = [];
    for (const query of queries) {
      read = new Set();
      let first: number | undefined;
      for (let time = 0; time < times; time++) {
        if (reader !== undefined) first = (await search(reader, query, { limit: 10 })).results[0]?.number;
      }
      const bytes = [...read].reduce((sum, block) => sum + (blocks.get(block)?.length ?? 0), 0);
      answers.push({ first, reads: read.size, bytes });
    }
    return Response.json(answers);
  },
};
