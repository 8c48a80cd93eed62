import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import type { EncodedIndex } from '../../src/search/build/build-index.ts';
import { ROOT } from '../support/paths.ts';
import { childrenNamed, cpuMsOf, memoryOf } from './process-figures.ts';

/** The modules of a worker by name; `main` handles requests. */
export interface BundledWorker {
  readonly main: string;
  readonly modules: Readonly<Record<string, { readonly type: 'esm' | 'wasm'; readonly contents: Uint8Array }>>;
}

/** The reads of one query, and its first result. */
export interface QueryResponse {
  readonly first: number | null;
  readonly reads: number;
  readonly bytes: number;
}

/** Bundles `query-cpu-worker.ts` like functions, for an index of some documents. */
export async function bundleWorker(documents: number): Promise<BundledWorker> {
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
export class WorkerdIsolate {
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

  /** Starts it and loads all blocks into its memory. */
  async load(): Promise<void> {
    const before = new Set(childrenNamed('workerd'));
    await this.#miniflare.ready;
    this.#pid = childrenNamed('workerd').find((pid) => !before.has(pid)) ?? 0;
    await (await this.#miniflare.dispatchFetch('http://worker/')).text();
  }

  /** Ranks queries, each `times` times. */
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

  /** Memory of the process, in bytes. */
  memory(): number {
    return memoryOf(this.#pid).resident;
  }

  close(): Promise<void> {
    return this.#miniflare.dispose();
  }
}
