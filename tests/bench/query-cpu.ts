import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { CAPSULE_COLUMNS } from '../../src/gateway/knowledge/capsule-filters.ts';
import type { EncodedIndex } from '../../src/search/build/build-index.ts';
import { mean, percentile } from '../eval/statistics.ts';
import { buildSearchIndex } from '../support/build-search-index.ts';
import { newScript, wholeNumbers } from '../support/campaign.ts';
import { ROOT } from '../support/paths.ts';
import { BENCH_SEED } from './bench-corpus.ts';
import { childrenNamed, cpuMsOf, memoryOf } from './process-figures.ts';
import { type SyntheticQuery, syntheticDocuments, syntheticQueries } from './synthetic-corpus.ts';

interface BundledWorker {
  readonly main: string;
  readonly modules: Readonly<Record<string, { readonly type: 'esm' | 'wasm'; readonly contents: Uint8Array }>>;
}

interface QueryResponse {
  readonly first: number | null;
  readonly reads: number;
  readonly bytes: number;
}

/** Bundles `query-cpu-worker.ts` like functions, for an index of some documents. */
async function bundleWorker(documents: number): Promise<BundledWorker> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'tests/bench/query-cpu-worker.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2024',
    minify: true,
    write: false,
    outdir: ROOT,
    loader: { '.wasm': 'copy' },
    define: { DOCUMENTS: String(documents) },
  });
  const modules = outputFiles.map(
    ({ path, contents }) => [basename(path), { type: path.endsWith('.wasm') ? 'wasm' : 'esm', contents }] as const,
  );
  return { main: 'query-cpu-worker.js', modules: Object.fromEntries(modules) };
}

/** A fresh isolate in its own workerd, whose CPU is measured. Linux only. */
class WorkerdIsolate {
  readonly #miniflare: Miniflare;
  #pid = 0;

  constructor({ main, modules }: BundledWorker, { head, blocks }: EncodedIndex) {
    const serveBlock = (request: Request): Response => {
      const name = new URL(request.url).pathname.slice(1);
      return name === 'head' ? Response.json(head) : new Response(blocks[Number(name)] as Uint8Array<ArrayBuffer>);
    };
    this.#miniflare = new Miniflare({
      cf: false,
      workers: [
        {
          config: {
            name: 'ranking',
            compatibilityDate: '2026-10-01',
            manifest: { mainModule: main, modulesRoot: '/', modules },
            env: { BLOCKS: { type: 'fetcher', handler: serveBlock } },
          },
        },
      ],
    } as unknown as ConstructorParameters<typeof Miniflare>[0]);
  }

  async load(): Promise<void> {
    const before = new Set(childrenNamed('workerd'));
    await this.#miniflare.ready;
    this.#pid = childrenNamed('workerd').find((pid) => !before.has(pid)) ?? 0;
    await (await this.#miniflare.dispatchFetch('http://worker/')).text();
  }

  async rank(queries: readonly string[], times: number): Promise<QueryResponse[]> {
    const response = await this.#miniflare.dispatchFetch('http://worker/', { method: 'POST', body: JSON.stringify({ queries, times }) });
    return (await response.json()) as QueryResponse[];
  }

  /** CPU of {@link rank}, of all threads of the process, in milliseconds. */
  async cpuOf(queries: readonly string[], times: number): Promise<number> {
    const before = cpuMsOf(this.#pid);
    await this.rank(queries, times);
    return cpuMsOf(this.#pid) - before;
  }

  memory(): number {
    return memoryOf(this.#pid).resident;
  }

  close(): Promise<void> {
    return this.#miniflare.dispose();
  }
}

interface QueryCpu {
  readonly mean: number;
  readonly p95: number;
}

interface MeasuredRanking {
  readonly steady: Readonly<Record<SyntheticQuery['style'], QueryCpu>>;
  /** Means of the first, second and third query of fresh isolates. */
  readonly fresh: readonly number[];
  /** Blocks and bytes that one query of a cold isolate reads. */
  readonly reads: { readonly mean: number; readonly p95: number; readonly max: number };
  readonly bytes: { readonly mean: number; readonly p95: number; readonly max: number };
  /** Memory of the process with all blocks, before the first and after the last query, in bytes. */
  readonly memoryBefore: number;
  readonly memoryAfter: number;
}

interface Effort {
  readonly isolates: number;
  readonly queries: number;
  readonly times: number;
}

const WARM_UP_ROUNDS = 3;

/**
 * Measures an index in fresh isolates.
 *
 * @param queries Alternately of both styles.
 */
async function measureQueryCpu(index: EncodedIndex, queries: readonly SyntheticQuery[], effort: Effort): Promise<MeasuredRanking> {
  const worker = await bundleWorker(index.head.documents);
  const fresh: number[][] = [];
  let steady: Omit<MeasuredRanking, 'fresh'> | undefined;
  for (let number = 0; number < effort.isolates; number++) {
    const isolate = new WorkerdIsolate(worker, index);
    try {
      await isolate.load();
      const memoryBefore = isolate.memory();
      const empty = await emptyRequest(isolate);
      const first = queries.filter(({ style }) => style === 'sentence').slice(number * 3, number * 3 + 3);
      const costs: number[] = [];
      for (const { text } of first) costs.push(Math.max(0, (await isolate.cpuOf([text], 1)) - empty));
      fresh.push(costs);
      if (number === effort.isolates - 1) steady = await measureSteady(isolate, queries, effort, memoryBefore);
    } finally {
      await isolate.close();
    }
  }
  if (steady === undefined) throw new Error('Nothing is measured without an isolate');
  return { ...steady, fresh: [0, 1, 2].map((place) => mean(fresh.map((costs) => costs[place] ?? 0))) };
}

async function measureSteady(
  isolate: WorkerdIsolate,
  queries: readonly SyntheticQuery[],
  { queries: count, times }: Effort,
  memoryBefore: number,
): Promise<Omit<MeasuredRanking, 'fresh'>> {
  const texts = (style: SyntheticQuery['style']): string[] =>
    queries
      .filter((query) => query.style === style)
      .slice(0, count)
      .map(({ text }) => text);
  const [titles, sentences] = [texts('title'), texts('sentence')];
  const answers = await isolate.rank([...titles, ...sentences], 1);
  // Each in its own request: a connection is closed after seconds without a response.
  for (let round = 0; round < WARM_UP_ROUNDS; round++) for (const text of [...titles, ...sentences]) await isolate.rank([text], times);
  const measure = async (style: readonly string[]): Promise<QueryCpu> => {
    const empty = await emptyRequest(isolate);
    const each: number[] = [];
    for (const text of style) each.push(((await isolate.cpuOf([text], times)) - empty) / times);
    return { mean: mean(each), p95: percentile(each, 0.95) };
  };
  const spread = (values: readonly number[]) => ({ mean: mean(values), p95: percentile(values, 0.95), max: Math.max(...values) });
  return {
    steady: { title: await measure(titles), sentence: await measure(sentences) },
    reads: spread(answers.map(({ reads }) => reads)),
    bytes: spread(answers.map(({ bytes }) => bytes)),
    memoryBefore,
    memoryAfter: isolate.memory(),
  };
}

async function emptyRequest(isolate: WorkerdIsolate): Promise<number> {
  await isolate.cpuOf([], 1);
  const costs: number[] = [];
  for (let turn = 0; turn < 9; turn++) costs.push(await isolate.cpuOf([], 1));
  return percentile(costs, 0.5);
}

/**
 * CPU of ranking one query in workerd, with all blocks in memory, steady and for the first queries of fresh isolates; reads; memory. The CPU of
 * an empty request is subtracted. Runs on a busy machine are harder to compare. Linux only.
 *
 * Above 200,000 documents the index has no pairs, expansion or neighbours.
 */
const DEFAULT_DOCUMENTS = [10_000, 100_000];
const WHOLE_MAX_DOCUMENTS = 200_000;

function report(documents: number, { steady, fresh, reads, bytes, memoryBefore, memoryAfter }: MeasuredRanking): string {
  const ms = (value: number): string => `${value.toFixed(3)} ms`;
  const megabytes = (value: number): string => `${(value / 2 ** 20).toFixed(1)} MB`;
  const style = ({ mean, p95 }: { mean: number; p95: number }): string => `mean ${ms(mean)}, p95 ${ms(p95)}`;
  return [
    `${documents} documents`,
    `  steady   titles ${style(steady.title)}; sentences ${style(steady.sentence)}; both ${ms((steady.title.mean + steady.sentence.mean) / 2)}`,
    `  fresh    first ${fresh.map((value) => `${value.toFixed(1)} ms`).join(', then ')}`,
    `  reads    mean ${reads.mean.toFixed(1)}, p95 ${reads.p95}, most ${reads.max}; ${megabytes(bytes.mean)}, p95 ${megabytes(bytes.p95)}, most ${megabytes(bytes.max)}`,
    `  memory   ${megabytes(memoryBefore)} before, ${megabytes(memoryAfter)} after`,
  ].join('\n');
}

const script = newScript(
  'bench:cpu',
  'Measure the CPU of ranking one query in workerd, with and without the WebAssembly kernel. Linux only.',
)
  .argument('[documents...]', `sizes of synthetic corpora (default: ${DEFAULT_DOCUMENTS.join(' ')})`, wholeNumbers(1))
  .option('--isolates <number>', 'fresh isolates', wholeNumber(1), 5)
  .option('--queries <number>', 'queries of each style', wholeNumber(1), 100)
  .option('--times <number>', 'how often each query is repeated', wholeNumber(1), 10)
  .option('--json', 'print figures as JSON lines')
  .parse();
const [named] = script.processedArgs;
// A repeated argument that is absent is an empty list.
const sizes = named.length > 0 ? named : DEFAULT_DOCUMENTS;
const { json, ...effort } = script.opts();
for (const documents of sizes) {
  const variant = documents > WHOLE_MAX_DOCUMENTS ? { pairs: false, expansion: false, neighbours: false } : {};
  const index = await buildSearchIndex(syntheticDocuments(documents, BENCH_SEED), { ...variant, columns: CAPSULE_COLUMNS });
  const queries = [...syntheticQueries(effort.queries * 2, BENCH_SEED, documents)];
  const measured = await measureQueryCpu(index, queries, effort);
  console.log(json ? JSON.stringify({ documents, ...measured }) : report(documents, measured));
}
