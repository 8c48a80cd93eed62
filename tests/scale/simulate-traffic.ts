import { LIST_SIZES, pageLists, pagesInOrder } from '../../src/build/corpus-blocks/divide-records-into-pages.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { CAPSULE_COLUMNS } from '../../src/gateway/knowledge/capsule-filters.ts';
import { encodeRecordPage, RecordPage } from '../../src/gateway/knowledge/record-pages.ts';
import { sha256Hex } from '../../src/provenance/bytes-and-sha256.ts';
import type { DocumentPageReference } from '../../src/schemas/knowledge/generation-manifest.ts';
import { IndexBlock } from '../../src/search/format/index-block.ts';
import { IndexReader } from '../../src/search/query/index-reader.ts';
import { search } from '../../src/search/query/search.ts';
import { BENCH_SEED, syntheticDocuments, syntheticQueries } from '../bench/synthetic-corpus.ts';
import { cpuMs } from '../eval/cpu-clock.ts';
import { seededRandom } from '../eval/random.ts';
import { mean } from '../eval/statistics.ts';
import { textTable } from '../eval/text-table.ts';
import { buildSearchIndex } from '../support/build-search-index.ts';
import { announceCampaign, newCampaign, newSeed } from '../support/campaign.ts';
import { testRanking } from '../support/compiled-kernel.ts';
import { type Cost, costOf, MONTH_SECONDS, type QueryTrace, type Reads, simulateIsolates, type TracedBlock } from './isolate-life.ts';

/** CPU of a request besides ranking, in milliseconds: the row "no engine" of `npm run bench:query`. */
const REQUEST_CPU_MS = 0.33;

const RESULTS = 10;

const {
  capsules: documents,
  queries,
  seed = newSeed(),
} = newCampaign(
  'simulate:traffic',
  'Simulate isolates that answer 10, 1,000 and 100,000 queries a second: what they read from KV, and what a month costs.',
)
  .option('--capsules <number>', 'capsules of the corpus', wholeNumber(1), 100_000)
  .option('--queries <number>', 'distinct queries', wholeNumber(1), 4_000)
  .parse()
  .opts();
announceCampaign('simulate:traffic', seed, { capsules: documents, queries });

const index = await buildSearchIndex(syntheticDocuments(documents, BENCH_SEED), {
  columns: CAPSULE_COLUMNS,
  // Neighbours of a million documents take hours.
  ...(documents > 200_000 ? { pairs: false, expansion: false, neighbours: false } : {}),
  onProgress: (done) => {
    if (done % 100_000 === 0) process.stderr.write(`${done} documents indexed\n`);
  },
});

/** The blocks by which a query reads each document, in the order of the index: its page, and the list that names it. */
async function documentBlocks() {
  const records = [...syntheticDocuments(documents, BENCH_SEED)].map(({ id, attributes: _columns, ...value }) => ({ id, value }));
  const pages = pagesInOrder(records);
  const blocks: TracedBlock[][] = [];
  const references: DocumentPageReference[] = [];
  const sample = encodeRecordPage(pages[0] ?? []);
  for (const page of pages) {
    const bytes = page.reduce((sum, { value }) => sum + JSON.stringify(value).length, 0);
    references.push({ sha256: String(references.length).padStart(64, '0'), bytes, first: page[0]?.id ?? '', documents: page.length });
  }
  const lists = await listsOf(references);
  for (const [at, page] of pages.entries()) {
    const traced = [{ name: `page ${at}`, bytes: references[at]?.bytes ?? 0 }, ...(lists[at] ?? [])];
    for (const _ of page) blocks.push(traced);
  }
  return { blocks, pages: references.length, bytes: references.reduce((sum, { bytes }) => sum + bytes, 0), sample };
}

async function listsOf(references: readonly DocumentPageReference[]): Promise<TracedBlock[][]> {
  // Documents are about half of all pages of a generation.
  if (references.length * 2 <= LIST_SIZES.inlineMax) return [];
  const contents: Uint8Array[] = [];
  const add = async (content: Uint8Array) => ({ sha256: String(contents.push(content) - 1), bytes: content.length });
  const listed = await pageLists(add).documents(references);
  return listed.flatMap(({ sha256, bytes, pages = 0 }) => Array.from({ length: pages }, () => [{ name: `list ${sha256}`, bytes }]));
}

/** CPU that an isolate takes to check and open a page that it reads, in milliseconds a byte. */
async function openingCpuMs(page: Uint8Array): Promise<number> {
  const times = 2_000;
  const before = cpuMs();
  for (let time = 0; time < times; time += 1) {
    await sha256Hex(page);
    new RecordPage(page);
  }
  return (cpuMs() - before) / times / page.length;
}

const { blocks: blocksOfDocument, bytes: pageBytes, pages, sample } = await documentBlocks();
const openingCpu = await openingCpuMs(sample);
const headBytes = JSON.stringify(index.head).length;
const head: readonly TracedBlock[] = headBytes > LIST_SIZES.headMaxBytes ? [{ name: 'head', bytes: headBytes }] : [];
let blocksRead = new Map<string, TracedBlock>();
const opened = new Map<number, Promise<IndexBlock>>();
const reader = new IndexReader(
  index.head,
  (number) => {
    const bytes = index.blocks[number] as Uint8Array;
    const name = `index ${number}`;
    blocksRead.set(name, { name, bytes: bytes.length });
    const known = opened.get(number) ?? IndexBlock.open(bytes, index.head.tables?.[number]);
    opened.set(number, known);
    return known;
  },
  testRanking(),
);

async function trace(text: string): Promise<{ readonly blocks: QueryTrace; readonly cpu: number }> {
  blocksRead = new Map(head.map((block) => [block.name, block]));
  const before = cpuMs();
  const { results } = await search(reader, text, { limit: RESULTS });
  const cpu = cpuMs() - before;
  for (const { number } of results) {
    for (const block of blocksOfDocument[number] ?? []) blocksRead.set(block.name, block);
  }
  return { blocks: [...blocksRead.values()], cpu };
}

const traced: Awaited<ReturnType<typeof trace>>[] = [];
for (const { text } of syntheticQueries(queries, seed, documents)) traced.push(await trace(text));
const traces = traced.map(({ blocks }) => blocks);
const cpu = mean(traced.slice(traced.length / 2).map((one) => one.cpu)) + REQUEST_CPU_MS;
const indexBytes = index.blocks.reduce((sum, { length }) => sum + length, 0);
const storedBytes = indexBytes + pageBytes;
console.log(
  `${documents} capsules: index ${index.blocks.length} blocks, ${(indexBytes / 1e6).toFixed(0)} MB; ${pages} pages of texts, ${(pageBytes / 1e6).toFixed(0)} MB`,
);
console.log(
  `a query in an empty isolate: ${mean(traces.map(({ length }) => length)).toFixed(1)} blocks, ${(mean(traces.map((one) => one.reduce((sum, { bytes }) => sum + bytes, 0))) / 1e6).toFixed(2)} MB; ${cpu.toFixed(2)} ms of CPU`,
);
const dollars = (value: number): string => Math.round(value).toLocaleString('en');
const MONTH = [
  'requests, $',
  'CPU, $',
  'KV reads, $',
  'storage, $',
  'a month, $',
  '$/million',
  '$/million without the cache of each location',
];
const rows = [['queries/s', 'isolate reads/query', 'MB/query', 'KV reads/query', ...MONTH]];
for (const rate of [10, 1_000, 100_000]) {
  const { ofIsolates, ofLocations } = simulateIsolates(traces, rate, seededRandom(seed));
  const requests = rate * MONTH_SECONDS;
  const cpuOfQuery = cpu + ofIsolates.bytes * openingCpu;
  const costWith = ({ blocks }: Reads): Cost => costOf({ requests, cpuMs: requests * cpuOfQuery, kvReads: requests * blocks, storedBytes });
  const perMillion = ({ total }: Cost): string => ((total / requests) * 1e6).toFixed(2);
  const cost = costWith(ofLocations);
  rows.push([
    rate.toLocaleString('en'),
    ofIsolates.blocks.toFixed(3),
    (ofIsolates.bytes / 1e6).toFixed(3),
    ofLocations.blocks.toFixed(4),
    ...[cost.requests, cost.cpu, cost.kvReads, cost.storage, cost.total].map(dollars),
    perMillion(cost),
    perMillion(costWith(ofIsolates)),
  ]);
}
console.log(`\n${textTable(rows)}`);
