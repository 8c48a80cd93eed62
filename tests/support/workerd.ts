import { basename } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { ROOT } from './paths.ts';

/** Modules of a Worker by their names, the main one first. */
export type WorkerModules = Readonly<
  Record<string, { readonly type: 'esm' | 'wasm' | 'data' | 'json'; readonly contents: string | Uint8Array }>
>;

/** Bundles a Worker as wrangler bundles functions. */
export async function bundleWorker(options: BuildOptions): Promise<WorkerModules> {
  const { outputFiles = [] } = await build({
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    loader: { '.wasm': 'copy' },
    write: false,
    outdir: ROOT,
    logLevel: 'error',
    ...options,
  });
  const modules = outputFiles.map(({ path, contents }) => {
    const isWasm = path.endsWith('.wasm');
    return [basename(path), { type: isWasm ? 'wasm' : 'esm', contents }] as const;
  });
  return Object.fromEntries(modules.sort(([, one], [, other]) => (one.type < other.type ? -1 : 1)));
}

export interface WorkerSettings {
  readonly name: string;
  readonly modules: WorkerModules;
  readonly env?: Readonly<Record<string, object>>;
}

interface WorkerdOptions {
  /** Folder in which KV and D1 are kept; in memory without one. */
  readonly persist?: string | undefined;
  readonly onLog?: (log: { readonly level: string; readonly message: string }) => void;
}

/** Starts Workers in a workerd of their own. Requests come to the first, which `unsafeGetDirectURL` reaches without passing Miniflare. */
export function startWorkerd(workers: readonly WorkerSettings[], { persist, onLog }: WorkerdOptions = {}): Miniflare {
  return new Miniflare({
    cf: false,
    ...(persist === undefined ? {} : { resourcePersistencePath: persist }),
    ...(onLog === undefined ? {} : { handleStructuredLogs: onLog }),
    workers: workers.map(({ name, modules, env = {} }, at) => ({
      ...(at === 0 ? { dev: { unsafeDirectSockets: [{}] } } : {}),
      config: {
        name,
        // As in wrangler.toml.
        compatibilityDate: '2026-10-01',
        manifest: { mainModule: Object.keys(modules)[0], modulesRoot: '/', modules },
        env,
      },
    })),
  } as unknown as ConstructorParameters<typeof Miniflare>[0]);
}
