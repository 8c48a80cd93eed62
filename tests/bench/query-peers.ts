import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { median } from '../eval/statistics.ts';
import { newScript, wholeNumbers } from '../support/campaign.ts';
import { installPackages } from '../support/install-packages.ts';
import { ROOT } from '../support/paths.ts';
import { bundleWorker, type WorkerModules } from '../support/workerd.ts';
import { rawRequest } from './load/http-connection.ts';
import { latenciesOf, perSecond, runLoadInThread } from './load/run-load.ts';
import { cpuMsOf, memoryOf, type ProcessMemory } from './process-figures.ts';
import { ENGINES } from './query-peers/engines.ts';
import type { EngineFigures, FailedEngine, QueryPeersReport } from './query-peers/figures.ts';
import { type PreparedEngine, prepareEngine, type RunningWorker, startWorker, type WorkerSetting } from './query-peers/prepare-engine.ts';
import { reportText } from './query-peers/report-rows.ts';
import { BENCH_SEED, type SyntheticQuery, syntheticQueries } from './synthetic-corpus.ts';

/** What a worker took, with the memory of its process after the queries that are asked one after the other. */
type WorkerFigures = Pick<EngineFigures, 'cold' | 'steady' | 'known'> & { readonly process: ProcessMemory };

type FirstAnswer = EngineFigures['cold'];
const CONNECTIONS = [1, 10];

/** Fresh isolates that are asked once; fewer of an engine whose first answer is slow. */
const COLD_STARTS = 5;
const SLOW_COLD_STARTS = 2;
const SLOW_MS = 2_000;

/** Queries that are asked one after the other, before steady times are measured, and how long that may take. */
const KNOWN_QUERIES = 400;
const KNOWN_MAX_MS = 20_000;

/** What a Worker may hold (developers.cloudflare.com/workers/platform/limits). */
const ISOLATE_MEGABYTES = 128;
const BOUNDED_QUERIES = 20;

/** Starts a worker several times for its first answer, then asks the last one on. */
async function measureWorker(setting: WorkerSetting, queries: readonly SyntheticQuery[]): Promise<WorkerFigures> {
  const firsts: FirstAnswer[] = [];
  for (;;) {
    const worker = await startWorker(setting);
    try {
      firsts.push(await firstAnswer(worker, queries[firsts.length]));
      if (firsts.length < (firsts.some(({ wallMs }) => wallMs > SLOW_MS) ? SLOW_COLD_STARTS : COLD_STARTS)) continue;
      const known = await askKnown(worker, queries);
      const process = memoryOf(worker.pid);
      const steady = [];
      for (const connections of CONNECTIONS) steady.push(await measureSteady(worker, queries, connections));
      return { cold: medianOf(firsts), known, steady, process };
    } finally {
      await worker.stop();
    }
  }
}

/** Why a worker does not answer if its isolate may hold 128 MB of objects; `undefined` if it does. */
async function failureInBounds(setting: WorkerSetting, queries: readonly SyntheticQuery[]): Promise<string | undefined> {
  const worker = await startWorker({ ...setting, heapMegabytes: ISOLATE_MEGABYTES });
  try {
    for (const query of queries.slice(0, BOUNDED_QUERIES)) await worker.ask(pathOf(query));
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return /ECONNRESET|ECONNREFUSED|the connection ended/.test(message) ? `out of memory with ${ISOLATE_MEGABYTES} MB` : message;
  } finally {
    await worker.stop();
  }
}

async function firstAnswer({ ask, pid }: RunningWorker, query: SyntheticQuery | undefined): Promise<FirstAnswer> {
  for (let turn = 0; turn < 3; turn += 1) await ask('/ready');
  await wait(50);
  const cpu = cpuMsOf(pid);
  const started = performance.now();
  await ask(pathOf(query));
  const wallMs = performance.now() - started;
  // A thread's time is known once it rests.
  await wait(20);
  const cpuMs = cpuMsOf(pid) - cpu;
  const reads = JSON.parse(await ask('/reads')) as { reads: number; bytes?: number };
  return { wallMs, cpuMs, ...reads };
}

async function askKnown({ ask }: RunningWorker, queries: readonly SyntheticQuery[]): Promise<EngineFigures['known']> {
  const deadline = performance.now() + KNOWN_MAX_MS;
  let asked = 0;
  let found = 0;
  for (const query of queries.slice(0, KNOWN_QUERIES)) {
    if (performance.now() > deadline) break;
    const ids = JSON.parse(await ask(pathOf(query))) as string[];
    asked += 1;
    if (ids.includes(query.id)) found += 1;
  }
  return { asked, found };
}

async function measureSteady(
  { host, port, pid }: RunningWorker,
  queries: readonly SyntheticQuery[],
  connections: number,
): Promise<EngineFigures['steady'][number]> {
  // Those that were asked one after the other come last.
  const asked = [...queries.slice(KNOWN_QUERIES), ...queries.slice(0, KNOWN_QUERIES)];
  const requests = asked.map((query) => ({
    route: 'query',
    statuses: [200],
    bytes: rawRequest(host, { method: 'GET', path: pathOf(query) }),
  }));
  const cpu = cpuMsOf(pid);
  const outcome = await runLoadInThread({ host, port, connections, seconds, requests });
  const { count, p50, p99 } = latenciesOf(outcome);
  if (outcome.unexpected + outcome.socketErrors > 0) throw new Error(`queries failed: ${outcome.reasons.join(', ')}`);
  return { connections, perSecond: perSecond(outcome), p50Ms: p50, p99Ms: p99, cpuMs: (cpuMsOf(pid) - cpu) / Math.max(1, count) };
}

function pathOf(query: SyntheticQuery | undefined): string {
  return `/search?q=${encodeURIComponent(query?.text ?? '')}`;
}

function medianOf(firsts: readonly FirstAnswer[]): FirstAnswer {
  const middle = (of: (first: FirstAnswer) => number): number => median(firsts.map(of));
  const bytes = firsts.every((first) => first.bytes !== undefined) ? { bytes: middle((first) => first.bytes ?? 0) } : {};
  return { wallMs: middle(({ wallMs }) => wallMs), cpuMs: middle(({ cpuMs }) => cpuMs), reads: middle(({ reads }) => reads), ...bytes };
}

/** Different queries; those of a steady time begin again after the last. */
const QUERIES = 2_000;

const tell = (line: string): void => void process.stderr.write(`${line}\n`);

/** Measures all engines on corpora of as many documents. */
async function measureCorpora(sizes: readonly number[]): Promise<QueryPeersReport> {
  tell('bundling workers');
  const workers = new Map<string, WorkerModules>();
  for (const { key, packages } of ENGINES) workers.set(key, await bundleEngine(key, packages));
  const filler = await bundleEngine('fill-store');
  const queriesOf = (documents: number): SyntheticQuery[] => [...syntheticQueries(QUERIES, BENCH_SEED, documents)];
  tell('a worker without an engine');
  const empty = { modules: await bundleEngine('empty'), stores: join(folder, 'empty') };
  const { process: own, known: _, ...floor } = await measureWorker(empty, queriesOf(100));
  const corpora: QueryPeersReport['corpora'][number][] = [];
  for (const documents of sizes) {
    const engines: (EngineFigures | FailedEngine)[] = [];
    for (const { key: engine, label } of ENGINES) {
      const tellOf = (line: string): void => tell(`${documents} documents, ${label}: ${line}`);
      try {
        tellOf('making the index');
        const prepared = await prepareEngine(engine, documents, join(folder, `${documents}-${engine}`), filler);
        const { process: memory, ...figures } = await measureEngine(prepared, workers.get(engine) ?? {}, queriesOf(documents), tellOf);
        const residentBytes = Math.max(0, memory.resident - own.resident);
        engines.push({ engine, ...figures, memory: { residentBytes, peakBytes: Math.max(0, memory.peak - own.peak) } });
      } catch (error) {
        const failure = error instanceof Error ? error.message : String(error);
        tellOf(failure);
        engines.push({ engine, failure });
      }
    }
    corpora.push({ documents, engines });
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: { cpu: cpus()[0]?.model ?? '', cores: cpus().length, memoryBytes: totalmem() },
    versions: await versions(),
    seconds,
    floor,
    corpora,
  };
}

function bundleEngine(worker: string, packages: Readonly<Record<string, string>> = {}): Promise<WorkerModules> {
  const imported = Object.entries(packages).map(([name, path]) => `import * as ${name} from '${join(ROOT, path)}';`);
  const contents = `${imported.join('\n')}
import { engineWorker } from './query-peers/workers/${worker}.ts';
export default engineWorker({ ${Object.keys(packages).join(', ')} });`;
  return bundleWorker({ stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' }, minify: true });
}

async function measureEngine(
  { bindings, stores, ...made }: PreparedEngine,
  modules: WorkerModules,
  queries: readonly SyntheticQuery[],
  tellOf: (line: string) => void,
) {
  tellOf(`index made in ${made.build.wallSeconds.toFixed(1)} s; asking an isolate of 128 MB`);
  const boundedFailure = await failureInBounds({ modules, bindings, stores }, queries);
  tellOf(boundedFailure ?? 'measuring');
  const figures = await measureWorker({ modules, bindings, stores }, queries);
  return { ...made, ...figures, ...(boundedFailure === undefined ? {} : { boundedFailure }) };
}

async function versions(): Promise<Record<string, string>> {
  const of = async (folder: string): Promise<string> =>
    (JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as { version: string }).version;
  const peers = 'tests/eval/peers/node_modules';
  return {
    node: process.versions.node,
    workerd: await of('node_modules/workerd'),
    miniflare: await of('node_modules/miniflare'),
    minisearch: await of(`${peers}/minisearch`),
    orama: await of(`${peers}/@orama/orama`),
  };
}

/**
 * The index of the gateway beside MiniSearch, Orama and the FTS5 of D1: each in a workerd of its own, over the same synthetic
 * capsules and the same queries. First answers of fresh isolates, steady requests, CPU, memory, bytes, and how often the document
 * that a query was taken from is in the first ten.
 *
 * Progress goes to standard error. Linux only.
 */
const DEFAULT_DOCUMENTS = [1_000, 10_000, 100_000];
const DEFAULT_SECONDS = 5;
const QUICK = { documents: [1_000], seconds: 2 };

const script = newScript(
  'bench:query',
  'Compare the index with MiniSearch, Orama and the FTS5 of D1, each in a workerd of its own. Linux only.',
)
  .argument('[documents...]', `sizes of synthetic corpora (default: ${DEFAULT_DOCUMENTS.join(' ')})`, wholeNumbers(1))
  .option('--seconds <number>', `how long each is measured (default: ${DEFAULT_SECONDS})`, wholeNumber(1))
  .option('--quick', `measure ${QUICK.documents.join(' ')} documents for ${QUICK.seconds} seconds`)
  .option('--json', 'print the figures as JSON')
  .parse();
const { quick, json, seconds = quick ? QUICK.seconds : DEFAULT_SECONDS } = script.opts();
const [sizes] = script.processedArgs;
// A repeated argument that is absent is an empty list.
const documents = sizes.length > 0 ? sizes : quick ? QUICK.documents : DEFAULT_DOCUMENTS;

installPackages(join(import.meta.dirname, '../eval/peers'), '--ignore-scripts');
const folder = await mkdtemp(join(tmpdir(), 'query-peers-'));
try {
  const report = await measureCorpora(documents);
  console.log(json ? JSON.stringify(report, null, 2) : reportText(report));
} finally {
  await rm(folder, { recursive: true, force: true });
}
