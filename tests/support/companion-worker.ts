import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './paths.ts';

export const COMPANION = 'companion';

/** The companion as Miniflare runs it, with the simulator of the platform's rate limits and the database of the service. */
export async function companionWorker(perMinute: Readonly<Record<'query' | 'network', number>>) {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'src/functions/companion-worker.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2023',
    write: false,
  });
  const limit = (namespace: string, requests: number) => ({ type: 'rate-limit', namespace, simple: { limit: requests, period: 60 } });
  return {
    config: {
      name: COMPANION,
      compatibilityDate: '2026-10-01',
      manifest: {
        mainModule: 'worker.js',
        modulesRoot: '/',
        modules: { 'worker.js': { type: 'esm', contents: outputFiles[0]?.text ?? '' } },
      },
      env: {
        STATE: { type: 'd1', id: 'state' },
        LIMIT_QUERY: limit('4201', perMinute.query),
        LIMIT_NETWORK: limit('4202', perMinute.network),
      },
    },
  };
}
