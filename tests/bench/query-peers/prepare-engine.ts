import { fork } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startWorkerd, type WorkerModules } from '../../support/workerd.ts';
import { HttpConnection, type RequestParts, rawRequest } from '../load/http-connection.ts';
import { cpuMsOf, newWorkerd } from '../process-figures.ts';
import { type BuildTask, type BuiltIndex, peerBatches } from './build-engine.ts';
import type { EngineKey } from './engines.ts';
import type { EngineFigures } from './figures.ts';

export interface PreparedEngine extends Pick<EngineFigures, 'build' | 'storedBytes' | 'storedValues'> {
  readonly bindings: Readonly<Record<string, unknown>>;
  readonly stores: string;
}

/** CPU time that making an index may take before it is given up, so that a busy machine gives up no sooner. */
const BUILD_MAX_CPU_MS = 240_000;
const BUILD_FAILURE = `index not made in ${BUILD_MAX_CPU_MS / 1_000} s of CPU`;

/**
 * Makes the index of an engine and fills its stores.
 *
 * @param folder An empty one, for all that comes of it.
 * @throws {Error} With the reason, if the index cannot be made in time or a store does not take it.
 */
export async function prepareEngine(engine: EngineKey, documents: number, folder: string, filler: WorkerModules): Promise<PreparedEngine> {
  const stores = join(folder, 'stores');
  if (engine === 'd1-fts5') return { ...(await fillDatabase(documents, stores, filler)), bindings: {}, stores };
  const built = await buildApart({ engine, documents, folder: join(folder, 'built') });
  await withFiller(stores, filler, async ({ ask }) => {
    for (const { key, file } of built.values) await ask(`/kv/${key}`, { method: 'PUT', body: await readFile(join(folder, 'built', file)) });
  });
  const { wallSeconds, values, bindings } = built;
  const storedBytes = values.reduce((sum, { bytes }) => sum + bytes, 0);
  return { build: { wallSeconds }, storedBytes, storedValues: values.length, bindings, stores };
}

async function buildApart(task: BuildTask): Promise<BuiltIndex> {
  await mkdir(task.folder, { recursive: true });
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'build-engine.ts'), [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    const giveUp = setInterval(() => {
      if (child.pid !== undefined && child.exitCode === null && cpuMsOf(child.pid) > BUILD_MAX_CPU_MS) child.kill('SIGKILL');
    }, 1_000);
    let built: BuiltIndex | undefined;
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-20_000);
    });
    child.on('message', (message: BuiltIndex) => {
      built = message;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearInterval(giveUp);
      if (built) resolve(built);
      else if (signal === 'SIGKILL') reject(new Error(BUILD_FAILURE));
      else reject(new Error(`index not made: ${reasonOf(said) ?? `exit code ${code}`}`));
    });
    child.send(task);
  });
}

function reasonOf(said: string): string | undefined {
  if (/heap out of memory/.test(said)) return 'heap out of memory';
  return /^(?:Uncaught )?(\w*Error\b.*)$/m.exec(said)?.[1];
}

async function fillDatabase(
  documents: number,
  stores: string,
  filler: WorkerModules,
): Promise<Pick<PreparedEngine, 'build' | 'storedBytes' | 'storedValues'>> {
  return withFiller(stores, filler, async ({ ask, pid }) => {
    const started = performance.now();
    const cpu = cpuMsOf(pid);
    await ask('/d1/tables', { method: 'POST', body: '' });
    let number = 0;
    for (const batch of peerBatches(documents)) {
      if (cpuMsOf(pid) - cpu > BUILD_MAX_CPU_MS) throw new Error(BUILD_FAILURE);
      const half = Math.ceil(batch.length / 2);
      for (const some of [batch.slice(0, half), batch.slice(half)])
        await ask('/d1/documents', { method: 'POST', body: JSON.stringify(some.map((document) => ({ number: number++, ...document }))) });
    }
    const { bytes } = JSON.parse(await ask('/d1/finish', { method: 'POST', body: '' })) as { bytes: number };
    const build = { wallSeconds: (performance.now() - started) / 1_000 };
    return { build, storedBytes: bytes, storedValues: 1 };
  });
}

async function withFiller<T>(stores: string, modules: WorkerModules, fill: (worker: RunningWorker) => Promise<T>): Promise<T> {
  const worker = await startWorker({ modules, stores });
  try {
    return await fill(worker);
  } finally {
    await worker.stop();
  }
}

/** The first answer of an engine, and filling a store. */
const ANSWER_MAX_MS = 240_000;

export interface RunningWorker {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /**
   * The body of a response.
   *
   * @throws {Error} If there is no response, or its status is not 200.
   */
  readonly ask: (path: string, sent?: Omit<RequestParts, 'path'>) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export interface WorkerSetting {
  readonly modules: WorkerModules;
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly stores: string;
  /** Bound on the objects of an isolate; by default that of V8. */
  readonly heapMegabytes?: number;
}

/** Starts a worker; it has answered nothing yet. */
export async function startWorker({ modules, bindings = {}, stores, heapMegabytes }: WorkerSetting): Promise<RunningWorker> {
  if (heapMegabytes === undefined) delete process.env['MINIFLARE_WORKERD_V8_FLAGS'];
  else process.env['MINIFLARE_WORKERD_V8_FLAGS'] = `--max-old-space-size=${heapMegabytes}`;
  const values = Object.entries(bindings).map(([name, value]) => [name, { type: 'json', value }] as const);
  const env = { STORE: { type: 'kv', id: 'store' }, DATABASE: { type: 'd1', id: 'database' }, ...Object.fromEntries(values) };
  const miniflare = startWorkerd([{ name: 'engine', modules, env }], { persist: stores, onLog: () => undefined });
  const { hostname: host, port } = await miniflare.ready;
  const connection = new HttpConnection(host, Number(port), ANSWER_MAX_MS);
  return {
    host,
    port: Number(port),
    pid: newWorkerd(),
    ask: async (path, sent = { method: 'GET' }) => {
      const { status, body } = await connection.send(rawRequest(host, { path, ...sent }));
      if (status !== 200) throw new Error(`${path.slice(0, 60)} returned ${status}: ${body.toString('utf8', 0, 300)}`);
      return body.toString();
    },
    stop: async () => {
      connection.close();
      await miniflare.dispose();
    },
  };
}
