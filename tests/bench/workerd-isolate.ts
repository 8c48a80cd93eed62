import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import type { EncodedIndex } from '../../src/search/build/build-index.ts';
import { ROOT } from '../support/paths.ts';

/** The modules of a worker, by name; `main` is the one that handles requests. */
export interface BundledWorker {
  readonly main: string;
  readonly modules: Readonly<Record<string, { readonly type: 'esm' | 'wasm'; readonly contents: Uint8Array }>>;
}

/** What one query of the worker read, and the first document that it found. */
export interface QueryResponse {
  readonly first: number | null;
  readonly reads: number;
  readonly bytes: number;
}

/** Bundles `query-cpu-worker.ts` as functions are bundled, for an index of some documents. */
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

/** A fresh isolate in a workerd of its own, of which the CPU is counted. Linux only. */
export class WorkerdIsolate {
  readonly #miniflare: Miniflare;
  #process = '';

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

  /** Starts it and puts all blocks into its memory. */
  async load(): Promise<void> {
    const before = new Set(workerdProcesses());
    await this.#miniflare.ready;
    this.#process = workerdProcesses().find((id) => !before.has(id)) ?? '';
    await (await this.#miniflare.dispatchFetch('http://worker/')).text();
  }

  /** Ranks queries, each some times. */
  async rank(queries: readonly string[], times: number): Promise<QueryResponse[]> {
    const response = await this.#miniflare.dispatchFetch('http://worker/', { method: 'POST', body: JSON.stringify({ queries, times }) });
    return (await response.json()) as QueryResponse[];
  }

  /** CPU of {@link rank}, of all threads of the process, in milliseconds. */
  async cpuOf(queries: readonly string[], times: number): Promise<number> {
    const before = this.cpuMs();
    await this.rank(queries, times);
    return this.cpuMs() - before;
  }

  /** Memory of the process, in bytes. */
  memory(): number {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#process}/status`, 'utf8'))?.[1]) * 1024;
  }

  close(): Promise<void> {
    return this.#miniflare.dispose();
  }

  /** CPU since the process was started, of all threads, in milliseconds. */
  cpuMs(): number {
    return cpuMsOf(this.#process);
  }
}

/** CPU that a process has used since it was started, of all threads, in milliseconds. */
export function cpuMsOf(process: string): number {
  const threads = readdirSync(`/proc/${process}/task`);
  const nanoseconds = threads.map((thread) => Number(readFileSync(`/proc/${process}/task/${thread}/schedstat`, 'utf8').split(' ')[0]));
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** Ids of the workerd processes that this process has started. */
export function workerdProcesses(): string[] {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      const status = readFileSync(`/proc/${id}/status`, 'utf8');
      return status.startsWith('Name:\tworkerd') && new RegExp(`^PPid:\\t${process.pid}$`, 'm').test(status);
    } catch {
      return false;
    }
  });
}
