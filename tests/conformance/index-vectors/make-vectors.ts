import { readFileSync, writeFileSync } from 'node:fs';
import { type BuildOptions, IndexBuilder } from '../../../src/search/build/build-index.ts';
import type { Layout } from '../../../src/search/build/layout.ts';
import type { IndexHead } from '../../../src/search/format/section.ts';
import { hashTerm } from '../../../src/search/format/term-hash.ts';
import { BLOCK_HEADER, INDEX_FORMAT_VERSION } from '../../../src/search/index-format.ts';
import { IndexReader } from '../../../src/search/query/index-reader.ts';
import { search } from '../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../src/search/types.ts';

/** An index as it is written down, with what it answers. */
export interface IndexVector {
  readonly head: IndexHead;
  /** In Base64. */
  readonly blocks: readonly string[];
  readonly answers: readonly {
    readonly query: string;
    /** Number of the document, score and tier of every match, in their order. */
    readonly results: readonly (readonly [number: number, score: number, tier: number])[];
    readonly corrections: readonly { readonly word: string; readonly readAs: string }[];
  }[];
}

/** A change of an index after which a reader that reads everything must refuse it. */
export interface RefusedVector {
  readonly why: string;
  readonly index: VectorName;
  /** Members of the head that are others. */
  readonly head?: Partial<IndexHead>;
  readonly block?: number;
  /** Bytes that are left of the block. */
  readonly cutTo?: number;
  /** Bytes of the block from some place on, in hexadecimal. */
  readonly put?: { readonly at: number; readonly hex: string };
}

const SPLIT: Omit<Layout, 'heavyPartBytes'> = {
  shardBits: 2,
  oneBlock: false,
  heavyListBytes: 8,
  budget: { blocksMax: null, partsMax: null, postingsMax: 2_000_000 },
};

const COLUMNS: BuildOptions['columns'] = [
  { name: 'status', kind: 'keyword' },
  { name: 'tags', kind: 'keywords' },
  { name: 'updated', kind: 'number' },
];

/** How the indexes are made of the same documents. */
export const VECTOR_OPTIONS = {
  'one-block': { columns: COLUMNS },
  'lists-apart': { columns: COLUMNS, layout: { ...SPLIT, heavyPartBytes: 2 ** 20 } },
  'lists-in-parts': { columns: COLUMNS, expansion: false, pairs: false, neighbours: false, layout: { ...SPLIT, heavyPartBytes: 8 } },
} as const satisfies Record<string, BuildOptions>;

/** The name of one index, which is that of its file. */
export type VectorName = keyof typeof VECTOR_OPTIONS;

const fileOf = (name: string): URL => new URL(`${name}.json`, import.meta.url);

/** Reads a file of the vectors. */
export function readVector<T>(name: string): T {
  return JSON.parse(readFileSync(fileOf(name), 'utf8')) as T;
}

/** Opens an index that was written down, changed as a refused one is. */
export function openVector({ head, blocks }: IndexVector, change?: RefusedVector): IndexReader {
  const bytes = blocks.map((block) => new Uint8Array(Buffer.from(block, 'base64')));
  return new IndexReader({ ...head, ...change?.head }, async (number) => {
    const block = bytes[number] ?? new Uint8Array();
    if (number !== change?.block) return block;
    if (change.put) block.set(Buffer.from(change.put.hex, 'hex'), change.put.at);
    return block.subarray(0, change.cutTo);
  });
}

/** The documents as an index of some options, and what it answers. */
export async function makeVector(options: BuildOptions): Promise<IndexVector> {
  const builder = new IndexBuilder(options);
  builder.add(readVector<SearchDocument[]>('documents'));
  const { head, blocks } = builder.finish();
  const encoded = blocks.map((block) => Buffer.from(block).toString('base64'));
  const reader = openVector({ head, blocks: encoded, answers: [] });
  const answers: IndexVector['answers'][number][] = [];
  for (const query of readVector<string[]>('queries')) {
    const { results, plan } = await search(reader, query, { limit: 100 });
    answers.push({ query, results: results.map(({ number, score, tier }) => [number, score, tier]), corrections: plan.corrections });
  }
  return { head, blocks: encoded, answers };
}

/** Each kind of index that is refused. */
function refusedVectors({ head }: IndexVector): RefusedVector[] {
  const index = 'one-block';
  const start = (section: keyof IndexHead): number => (head[section] as number[] | null)?.[1] ?? 0;
  const shard = head.shards[0]?.[1] ?? 0;
  const inBlock = (why: string, change: Omit<RefusedVector, 'why' | 'index'>): RefusedVector => ({ why, index, block: 0, ...change });
  return [
    { why: 'the head is of the version before', index, head: { format: INDEX_FORMAT_VERSION - 1 } },
    { why: 'the head is of the version after', index, head: { format: INDEX_FORMAT_VERSION + 1 } },
    { why: 'another analyser made the terms', index, head: { analyser: 'other/1' } },
    { why: 'the head names fewer shards than it says', index, head: { shardBits: 2 } },
    inBlock('the block is of another kind', { put: { at: 0, hex: '43494459' } }),
    inBlock('the block is of the version after', { put: { at: 4, hex: `0${INDEX_FORMAT_VERSION + 1}` } }),
    inBlock('the block is of a version above 255', { put: { at: 5, hex: '01' } }),
    inBlock('the block is empty', { cutTo: 0 }),
    inBlock('the block ends within its header', { cutTo: BLOCK_HEADER.length - 1 }),
    inBlock('the block ends after its header', { cutTo: BLOCK_HEADER.length }),
    inBlock('the block ends within its shard', { cutTo: shard + 100 }),
    inBlock('the block ends within its last section', { cutTo: start('spelling') + 40 }),
    inBlock('the shard names more terms than it has', { put: { at: shard, hex: 'ffff' } }),
    inBlock('the shard names more twins than it has', { put: { at: shard + 4, hex: 'ff' } }),
    inBlock('the shard names more bytes of records than it has', { put: { at: shard + 8, hex: 'ffffff7f' } }),
    inBlock('the neighbours are of another number of documents', { put: { at: start('neighbours'), hex: '01' } }),
    inBlock('the neighbours name more entries than they have', { put: { at: start('neighbours') + 4, hex: 'ffff' } }),
    inBlock('the columns have a longer header than they are', { put: { at: start('columns'), hex: 'ffffff00' } }),
    inBlock('the header of the columns is no JSON', { put: { at: start('columns') + 4, hex: '5b5b' } }),
    inBlock('the words are more than there are', { put: { at: start('spelling'), hex: 'ffff' } }),
    inBlock('the words have a longer text than they are', { put: { at: start('spelling') + 4, hex: 'ffff' } }),
    { why: 'the tiers are of another number of documents', index, head: { tiers: [0, start('tiers'), head.documents - 1] } },
    {
      why: 'a list of its own block ends before its record',
      index: 'lists-apart',
      block: blockOfList('agent'),
      cutTo: BLOCK_HEADER.length + 2,
    },
  ];
}

/** The block of a list that is apart. */
function blockOfList(term: string): number {
  const { heavy } = readVector<IndexVector>('lists-apart').head;
  const { key } = hashTerm(term);
  return heavy.find((_, at) => at % 5 === 3 && heavy[at - 2] === key) ?? -1;
}

/** Writes all vectors anew. */
export async function writeVectors(): Promise<void> {
  for (const [name, options] of Object.entries(VECTOR_OPTIONS)) write(name, await makeVector(options));
  write('refused', refusedVectors(readVector<IndexVector>('one-block')));
}

function write(name: string, value: unknown): void {
  writeFileSync(fileOf(name), `${JSON.stringify(value, undefined, 1)}\n`);
}
