import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { type BuildOptions, IndexBuilder, type Layout } from '../../../src/search/build/build-index.ts';
import { BLOCK_HEADER, INDEX_FORMAT_VERSION, IndexBlock, type IndexHead, type SectionRef } from '../../../src/search/format/index-block.ts';
import { hashTerm } from '../../../src/search/format/postings.ts';
import { IndexReader } from '../../../src/search/query/index-reader.ts';
import { search } from '../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../src/search/search-document.ts';
import { testRanking } from '../../support/compiled-kernel.ts';

export interface IndexVector {
  readonly head: IndexHead;
  /** In Base64. */
  readonly blocks: readonly string[];
  readonly answers: readonly {
    readonly query: string;
    readonly results: readonly (readonly [number: number, score: number, tier: number])[];
    readonly corrections: readonly { readonly word: string; readonly readAs: string }[];
  }[];
}

/** A change of an index after which a reader that reads everything must refuse it. */
export interface RefusedVector {
  readonly why: string;
  readonly index: VectorName;
  readonly head?: Partial<IndexHead>;
  readonly block?: number;
  /** Bytes that are left of the block. */
  readonly cutTo?: number;
  /** Bytes of the block from some places on, in hexadecimal. */
  readonly put?: readonly { readonly at: number; readonly hex: string }[];
}

const SPLIT: Omit<Layout, 'largePartBytes'> = {
  shardBits: 3,
  shardBlocks: 4,
  oneBlock: false,
  largePostingsBytes: 8,
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
  'lists-apart': { columns: COLUMNS, layout: { ...SPLIT, largePartBytes: 2 ** 20 } },
  'lists-in-parts': { columns: COLUMNS, expansion: false, pairs: false, neighbours: false, layout: { ...SPLIT, largePartBytes: 8 } },
} as const satisfies Record<string, BuildOptions>;

export type VectorName = keyof typeof VECTOR_OPTIONS;

const fileOf = (name: string): URL => new URL(`${name}.json`, import.meta.url);

export const readVector = <T>(name: string): T => JSON.parse(readFileSync(fileOf(name), 'utf8')) as T;

export function openVector({ head, blocks }: IndexVector, change?: RefusedVector): IndexReader {
  const bytes = blocks.map((block) => new Uint8Array(Buffer.from(block, 'base64')));
  const tables = change?.head?.tables ?? head.tables;
  const readBlock = async (number: number): Promise<IndexBlock> => {
    const block = bytes[number] ?? new Uint8Array();
    if (number !== change?.block) return IndexBlock.open(block, tables?.[number]);
    for (const { at, hex } of change.put ?? []) block.set(Buffer.from(hex, 'hex'), at);
    return IndexBlock.open(block.subarray(0, change.cutTo), tables?.[number]);
  };
  return new IndexReader({ ...head, ...change?.head }, readBlock, testRanking());
}

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

/** Where a section is in its block, and where its digest is, as the table says. */
function placeOf(block: Buffer, number: number): { start: number; length: number; digestAt: number } {
  const entry = BLOCK_HEADER.length + 4 + number * 40;
  return { start: block.readUInt32LE(entry), length: block.readUInt32LE(entry + 4), digestAt: entry + 8 };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function refusedVectors({ head, blocks }: IndexVector): RefusedVector[] {
  const index = 'one-block';
  const block = Buffer.from(blocks[0] ?? '', 'base64');
  const tableEnd = BLOCK_HEADER.length + 4 + block.readUInt32LE(BLOCK_HEADER.length) * 40;
  const numberOf = (name: 'shard' | 'neighbours' | 'columns' | 'spelling'): number =>
    ((name === 'shard' ? head.shards[0] : head[name]) as SectionRef)[1];
  const start = (name: Parameters<typeof numberOf>[0]): number => placeOf(block, numberOf(name)).start;
  const inBlock = (why: string, change: Omit<RefusedVector, 'why' | 'index'>): RefusedVector => ({ why, index, block: 0, ...change });
  /** A section that is wrong although it has its digest: only its form tells. */
  const inSection = (why: string, name: Parameters<typeof numberOf>[0], at: number, hex: string): RefusedVector => {
    const place = placeOf(block, numberOf(name));
    const changed = Buffer.from(block);
    changed.write(hex, place.start + at, 'hex');
    const digest = sha256(changed.subarray(place.start, place.start + place.length));
    changed.write(digest, place.digestAt, 'hex');
    const put = [
      { at: place.start + at, hex },
      { at: place.digestAt, hex: digest },
    ];
    return inBlock(why, { head: { tables: [sha256(changed.subarray(0, tableEnd))] }, put });
  };
  const [first, second] = [placeOf(block, 0), placeOf(block, 1)];
  return [
    { why: 'the head is of the version before', index, head: { format: INDEX_FORMAT_VERSION - 1 } },
    { why: 'the head is of the version after', index, head: { format: INDEX_FORMAT_VERSION + 1 } },
    { why: 'another analyser made the terms', index, head: { analyser: 'other/1' } },
    { why: 'the head names fewer shards than it says', index, head: { shardBits: 2 } },
    { why: 'the head has no digest of a table', index, head: { tables: [] } },
    { why: 'the head has another digest of a table', index, head: { tables: ['0'.repeat(64)] } },
    { why: 'the head names a section that the block does not have', index, head: { columns: [0, 1_000, 1] } },
    inBlock('the block is of another kind', { put: [{ at: 0, hex: '43494459' }] }),
    inBlock('the block is of the version after', { put: [{ at: 4, hex: `0${INDEX_FORMAT_VERSION + 1}` }] }),
    inBlock('the block is of a version above 255', { put: [{ at: 5, hex: '01' }] }),
    inBlock('the block is empty', { cutTo: 0 }),
    inBlock('the block ends within its header', { cutTo: BLOCK_HEADER.length - 1 }),
    inBlock('the block ends after its header', { cutTo: BLOCK_HEADER.length }),
    inBlock('the block ends within its table', { cutTo: tableEnd - 1 }),
    inBlock('the block ends after its table', { cutTo: tableEnd }),
    inBlock('the block ends within its shard', { cutTo: start('shard') + 100 }),
    inBlock('the block ends within its last section', { cutTo: start('spelling') + 40 }),
    inBlock('the table names more sections', { put: [{ at: BLOCK_HEADER.length, hex: 'ffffffff' }] }),
    inBlock('the table names fewer sections', { put: [{ at: BLOCK_HEADER.length, hex: '01' }] }),
    inBlock('the table has another digest of a section', { put: [{ at: first.digestAt, hex: '00000000' }] }),
    inBlock('the places of two sections in the table are swapped', {
      put: [
        { at: first.digestAt - 8, hex: block.toString('hex', second.digestAt - 8, second.digestAt) },
        { at: second.digestAt - 8, hex: block.toString('hex', first.digestAt - 8, first.digestAt) },
      ],
    }),
    ...(['shard', 'neighbours', 'columns', 'spelling'] as const).map((name) => {
      const { start: at, length } = placeOf(block, numberOf(name));
      const last = at + length - 1;
      return inBlock(`a bit of the section ${name} is another`, { put: [{ at: last, hex: hexByte((block[last] ?? 0) ^ 1) }] });
    }),
    inSection('the shard names more terms than it has', 'shard', 0, 'ffff'),
    inSection('the shard names more twins than it has', 'shard', 4, 'ff'),
    inSection('the shard names more bytes of records than it has', 'shard', 8, 'ffffff7f'),
    inSection('the neighbours are of another number of documents', 'neighbours', 0, '01'),
    inSection('the neighbours name more entries than they have', 'neighbours', 4, 'ffff'),
    inSection('the columns have a longer header than they are', 'columns', 0, 'ffffff00'),
    inSection('the header of the columns is no JSON', 'columns', 4, '5b5b'),
    inSection('the words are more than there are', 'spelling', 0, 'ffff'),
    inSection('the words have a longer text than they are', 'spelling', 4, 'ffff'),
    { why: 'the tiers are of another number of documents', index, head: { tiers: head.columns } },
    {
      why: 'a list of its own block ends before its record',
      index: 'lists-apart',
      block: blockOfList('agent'),
      cutTo: BLOCK_HEADER.length + 4 + 40 + 2,
    },
  ];
}

function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function blockOfList(term: string): number {
  const { heavy } = readVector<IndexVector>('lists-apart').head;
  const { key } = hashTerm(term);
  return heavy.find((_, at) => at % 5 === 3 && heavy[at - 2] === key) ?? -1;
}

export async function writeVectors(): Promise<void> {
  for (const [name, options] of Object.entries(VECTOR_OPTIONS)) write(name, await makeVector(options));
  write('refused', refusedVectors(readVector<IndexVector>('one-block')));
}

function write(name: string, value: unknown): void {
  writeFileSync(fileOf(name), `${JSON.stringify(value, undefined, 1)}\n`);
}
