import { join } from 'node:path';
import { ROOT } from './paths.ts';
import { bundleWorker, type WorkerSettings } from './workerd.ts';

export const COMPANION = 'companion';

/** The companion as Miniflare runs it, with the simulator of the platform's rate limits and the database of the service. */
export async function companionWorker(perMinute: Readonly<Record<'query' | 'network', number>>): Promise<WorkerSettings> {
  const limit = (namespace: string, requests: number) => ({ type: 'rate-limit', namespace, simple: { limit: requests, period: 60 } });
  return {
    name: COMPANION,
    modules: await bundleWorker({ entryPoints: [join(ROOT, 'src/functions/companion-worker.ts')] }),
    env: {
      STATE: { type: 'd1', id: 'state' },
      LIMIT_QUERY: limit('4201', perMinute.query),
      LIMIT_NETWORK: limit('4202', perMinute.network),
    },
  };
}
