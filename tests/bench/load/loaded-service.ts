import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Miniflare } from 'miniflare';
import { buildIfChanged, buildSite } from '../../../src/build/build-site.ts';
import { today } from '../../../src/build/describe-deployment.ts';
import { builtBlocks, builtGenerated, type CountedReads, countedReads, runSql, startEdgeGateway } from '../../support/edge-gateway.ts';
import { PUBLICATION, TEST_BASE_URL } from '../../support/paths.ts';
import { bundleWorker, startWorkerd } from '../../support/workerd.ts';
import { newWorkerd } from '../process-figures.ts';
import { type LoadClient, type LoadCorpus, readLoadCorpus, registerForLoad } from './mixed-requests.ts';

/** A worker in its own workerd, reached without Miniflare. One at a time. */
export interface LoadedService {
  readonly host: string;
  readonly port: number;
  /** Of workerd, simulators of KV and D1 included. */
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

export interface LoadedGateway extends LoadedService {
  readonly client: LoadClient;
  readonly corpus: LoadCorpus;
  readonly reads: () => Promise<CountedReads>;
  readonly countedRows: () => Promise<number>;
}

/**
 * Path prefix of the stores of the simulators, in memory: a write of D1 to disk would block all requests of the process, while D1 on
 * Cloudflare is a separate service.
 */
const STORES = '/dev/shm/akg-load-';

const BUILD_SETTINGS = { mode: 'edge', baseUrl: TEST_BASE_URL, rateLimits: 'bench', report: () => undefined } as const;

/** Builds the site with its rate limits lifted. */
export async function buildForLoad(): Promise<void> {
  await buildIfChanged({ ...BUILD_SETTINGS, root: PUBLICATION, output: PUBLICATION });
}

/**
 * Builds a publication with its rate limits lifted and with functions that serve the pages of capsules, in a folder of its own.
 *
 * @returns The folder, for {@link startLoadedGateway}.
 */
export async function buildWithEdgePages(root: string): Promise<string> {
  const output = join(root, '.akg/load');
  await buildSite({ ...BUILD_SETTINGS, root, output, capsulePages: 'edge', mayBeUnsigned: true, isTrial: true, today: today() });
  return output;
}

/**
 * Starts the gateway that is built in a folder.
 *
 * @param change `none`: as built; `limited`: with the limits in force; `uncounted`: without counts of what is asked.
 */
export async function startLoadedGateway(change: 'none' | 'limited' | 'uncounted', built: string = PUBLICATION): Promise<LoadedGateway> {
  const { deployment } = await builtGenerated(built);
  const { insights: _counted, ...uncounted } = deployment;
  const changed = { none: undefined, limited: { ...deployment, rateLimits: 'default' as const }, uncounted }[change];
  const stores = await mkdtemp(STORES);
  const stopping: (() => Promise<void>)[] = [() => rm(stores, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const end of stopping) await end();
  };
  try {
    const gateway = await startEdgeGateway({
      bundle: join(built, 'dist/_worker.js/index.js'),
      blocks: await builtBlocks(built),
      countsReads: true,
      persist: stores,
      ...(changed === undefined ? {} : { generated: { deployment: changed } }),
    });
    stopping.unshift(() => gateway.stop());
    const service = await serviceOf(gateway.miniflare, 'gateway');
    const address = `http://${service.host}:${service.port}`;
    const key = await registerForLoad(address);
    return {
      ...service,
      stop,
      client: { host: `${service.host}:${service.port}`, key },
      corpus: await readLoadCorpus(address, key),
      reads: () => countedReads(gateway.miniflare),
      countedRows: async () => {
        const sql = "SELECT coalesce(SUM(count), 0) AS rows FROM insights WHERE kind = 'total'";
        const [found] = (await runSql(gateway.miniflare, [sql]))[0]?.results ?? [];
        return (found as { readonly rows: number } | undefined)?.rows ?? 0;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts a worker that returns an empty object, with the same framework, or also writes to D1: see bare-worker.ts. */
export async function startBareWorker(): Promise<LoadedService> {
  const stores = await mkdtemp(STORES);
  const modules = await bundleWorker({ entryPoints: [join(import.meta.dirname, 'bare-worker.ts')], minify: true });
  const miniflare = startWorkerd([{ name: 'bare', modules, env: { STATE: { type: 'd1', id: 'state' } } }], { persist: stores });
  const service = await serviceOf(miniflare, 'bare');
  const created = await fetch(`http://${service.host}:${service.port}/`, { method: 'PUT' });
  if (!created.ok) throw new Error(`the table of the bare worker was not created: ${created.status}`);
  const stop = async (): Promise<void> => {
    await service.stop();
    await rm(stores, { recursive: true, force: true });
  };
  return { ...service, stop };
}

async function serviceOf(miniflare: Miniflare, name: string): Promise<LoadedService> {
  const { hostname: host, port } = await miniflare.unsafeGetDirectURL(name);
  return { host, port: Number(port), pid: newWorkerd(), stop: () => miniflare.dispose() };
}
