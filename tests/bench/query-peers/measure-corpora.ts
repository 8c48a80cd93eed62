import { readFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { PUBLICATION, ROOT } from '../../support/paths.ts';
import { BENCH_SEED } from '../bench-corpus.ts';
import { type SyntheticQuery, syntheticQueries } from '../synthetic-corpus.ts';
import { bundleWorker, type WorkerModules } from './bundle-worker.ts';
import { ENGINES, type Engine, type EngineKey } from './engines.ts';
import type { EngineFigures, FailedEngine, QueryPeersReport } from './figures.ts';
import { failureInBounds, measureWorker, type WorkerFigures } from './measure-worker.ts';
import { prepareEngine } from './prepare-engine.ts';

/** Different queries; those of a steady time begin again after the last. */
const QUERIES = 2_000;

interface Setting {
  readonly documents: number;
  readonly seconds: number;
  readonly queries: readonly SyntheticQuery[];
  /** An empty one. */
  readonly folder: string;
  readonly workers: ReadonlyMap<string, WorkerModules>;
  readonly floor: WorkerFigures;
}

/**
 * Measures all engines on corpora of as many documents.
 *
 * @param folder An empty one, for bundles and stores.
 * @param tell Is given a line about every step.
 */
export async function measureCorpora(
  sizes: readonly number[],
  seconds: number,
  folder: string,
  tell: (line: string) => void,
): Promise<QueryPeersReport> {
  tell('bundling workers');
  const workers = new Map<string, WorkerModules>();
  const bundle = async (worker: string, packages: Readonly<Record<string, string>>): Promise<void> => {
    // In the project, where what the workers import is found.
    workers.set(worker, await bundleWorker(worker, packages, join(PUBLICATION, '.akg/query-peers', worker)));
  };
  for (const { worker, packages } of ENGINES) await bundle(worker, packages);
  for (const worker of ['empty', 'fill-store']) await bundle(worker, {});
  const queriesOf = (documents: number): SyntheticQuery[] => [...syntheticQueries(QUERIES, BENCH_SEED, documents)];
  tell('a worker without an engine');
  const empty = workers.get('empty') ?? {};
  const floor = await measureWorker({ modules: empty, stores: join(folder, 'empty') }, { queries: queriesOf(100), seconds });
  const corpora: QueryPeersReport['corpora'][number][] = [];
  for (const documents of sizes) {
    const engines: (EngineFigures | FailedEngine)[] = [];
    for (const engine of ENGINES) {
      const setting = {
        documents,
        seconds,
        queries: queriesOf(documents),
        folder: join(folder, `${documents}-${engine.key}`),
        workers,
        floor,
      };
      engines.push(await measureOrSayWhyNot(engine, setting, (line) => tell(`${documents} documents, ${engine.label}: ${line}`)));
    }
    corpora.push({ documents, engines });
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: { cpu: cpus()[0]?.model ?? '', cores: cpus().length, memoryBytes: totalmem() },
    versions: await versions(),
    seconds,
    floor: { cold: floor.cold, steady: floor.steady },
    corpora,
  };
}

async function measureOrSayWhyNot(engine: Engine, setting: Setting, tell: (line: string) => void): Promise<EngineFigures | FailedEngine> {
  try {
    return await measureEngine(engine, setting, tell);
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    tell(failure);
    return { engine: engine.key, failure };
  }
}

async function measureEngine(
  { key, worker }: { readonly key: EngineKey; readonly worker: string },
  { documents, seconds, queries, folder, workers, floor }: Setting,
  tell: (line: string) => void,
): Promise<EngineFigures> {
  tell('making the index');
  const { bindings, stores, ...made } = await prepareEngine(key, documents, folder, workers.get('fill-store') ?? {});
  const setting = { modules: workers.get(worker) ?? {}, bindings, stores };
  tell(`index made in ${made.build.wallSeconds.toFixed(1)} s; asking an isolate of 128 MB`);
  const boundedFailure = await failureInBounds(setting, queries);
  tell(boundedFailure ?? 'measuring');
  const { process: memory, ...figures } = await measureWorker(setting, { queries, seconds });
  return {
    engine: key,
    ...made,
    ...figures,
    memory: {
      residentBytes: Math.max(0, memory.resident - floor.process.resident),
      peakBytes: Math.max(0, memory.peak - floor.process.peak),
    },
    ...(boundedFailure === undefined ? {} : { boundedFailure }),
  };
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
