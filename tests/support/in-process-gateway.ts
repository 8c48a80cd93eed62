import { afterAll, beforeAll, vi } from 'vitest';
import type { PaymentProcessor } from '../../src/gateway/commerce/cart/checkout-ports.ts';
import type { DocumentCache } from '../../src/gateway/platform-ports.ts';
import type { Route } from '../../src/http/define-route.ts';
import type { Gateway } from '../../src/http/gateway-app.ts';
import { blockKey } from '../../src/platform/block-stores.ts';
import { systemRuntime } from '../../src/platform/clock-and-deadlines.ts';
import type { GenerationManifest } from '../../src/schemas/knowledge/generation-manifest.ts';
import { Kernel } from '../../src/search/scoring-wasm/kernel.ts';
import { compiledKernel } from './compiled-kernel.ts';
import { builtBlocks, builtGenerated, type EdgeOptions, fileText, NOW_HEADER, type Requests, requestsTo } from './edge-gateway.ts';
import { TEST_BASE_URL } from './paths.ts';
import { simulatedDatabase } from './simulated/database.ts';
import type { StoreWeather } from './simulated/faults.ts';
import { simulatedGateway } from './simulated/gateway.ts';
import { simulatedKeyValue } from './simulated/key-value.ts';
import { SimulatedTime } from './simulated/time.ts';

export interface InProcessOptions
  extends Pick<EdgeOptions, 'signingSecrets' | 'stripe' | 'blocks' | 'kv' | 'state' | 'generated' | 'files'> {
  readonly database?: D1Database;
  readonly databaseFault?: StoreWeather['fault'];
  readonly processor?: PaymentProcessor;
  readonly limiterBinding?: Fetcher;
  readonly documentCache?: DocumentCache;
  readonly changeRoute?: (route: Route) => Route;
}

export interface InProcessGateway extends Requests {
  readonly state: () => D1Database;
  readonly logs: readonly string[];
}

/**
 * The gateway of the sources in this process, over simulated stores: for stores and builds that are wrong, of which a test needs many and
 * workerd takes most of a second to start each. `useEdgeGateway` runs the compiled one, with the stores of wrangler. A response is given
 * once the work that goes on after it is done.
 */
export function useInProcessGateway(options: InProcessOptions | (() => Promise<InProcessOptions>) = {}): InProcessGateway {
  let gateway: Gateway | undefined;
  let database: D1Database | undefined;
  let close = (): void => undefined;
  let network = 0;
  let nowMs: number | undefined;
  let underWay = 0;
  const logs: string[] = [];
  beforeAll(async () => {
    const { blocks = 'built', kv = 'bound', state = 'migrated', ...given } = typeof options === 'function' ? await options() : options;
    const time = new SimulatedTime(Date.now());
    const keyValue = simulatedKeyValue(time);
    const stored = blocks === 'built' ? await builtBlocks() : blocks === 'none' ? new Map<string, Uint8Array>() : blocks;
    keyValue.fill([...stored].map(([name, bytes]) => [blockKey(name), bytes] as const));
    if (given.database) database = given.database;
    else if (state !== 'unbound') {
      const simulated = simulatedDatabase(time, { migrations: state === 'migrated' });
      database = simulated.binding(given.databaseFault ? { fault: given.databaseFault } : {});
      close = simulated.close;
    }
    const generated = { ...(await builtGenerated()), ...given.generated };
    const documents = (generated.generation.manifest as GenerationManifest | null)?.index.documents;
    gateway = await simulatedGateway({
      generated,
      ...(documents === undefined ? {} : { ranking: new Kernel(compiledKernel()) }),
      world: { ...systemRuntime, clock: { nowMs: () => nowMs ?? Date.now() } },
      assets: {
        fetch: async (input) => {
          const request = input instanceof Request ? input : new Request(input);
          return (
            given.files?.(request) ?? new Response(fileText(new URL(request.url).pathname), { headers: { 'Content-Type': 'text/html' } })
          );
        },
      },
      ...(kv === 'bound' ? { keyValue: keyValue.binding('here') } : {}),
      ...(database === undefined ? {} : { database }),
      ...(given.stripe ? { stripe: given.stripe } : {}),
      ...('signingSecrets' in given ? { signingSecrets: given.signingSecrets } : {}),
      ...(given.processor ? { processor: given.processor } : {}),
      ...(given.limiterBinding ? { limiter: given.limiterBinding } : {}),
      ...(given.documentCache ? { documentCache: given.documentCache } : {}),
      ...(given.changeRoute ? { changeRoute: given.changeRoute } : {}),
    });
  });
  afterAll(() => close());
  const requests = requestsTo(async (path, init) => {
    if (gateway === undefined) throw new Error('the service runs only inside of tests');
    const request = new Request(TEST_BASE_URL + path, init);
    network += 1;
    if (!request.headers.has('CF-Connecting-IP')) request.headers.set('CF-Connecting-IP', `10.${network >> 8}.${network & 255}.1`);
    const atMs = request.headers.get(NOW_HEADER);
    if (atMs !== null && underWay > 0) throw new Error('requests with clocks of their own come one after the other');
    nowMs = atMs === null ? undefined : Number(atMs);
    if (underWay === 0) vi.spyOn(console, 'error').mockImplementation((...values: unknown[]) => void logs.push(values.join(' ')));
    underWay += 1;
    try {
      const work: Promise<unknown>[] = [];
      const response = await gateway(request, (deferred) => work.push(deferred));
      await Promise.all(work);
      return response;
    } finally {
      underWay -= 1;
      if (underWay === 0) vi.mocked(console.error).mockRestore();
    }
  });
  const state = (): D1Database => {
    if (database === undefined) throw new Error('no database is bound');
    return database;
  };
  return { ...requests, state, logs };
}
