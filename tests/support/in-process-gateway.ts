import { beforeAll, vi } from 'vitest';
import { startRanking } from '../../src/gateway/knowledge/corpus.ts';
import { blockKey } from '../../src/platform/block-stores.ts';
import { systemRuntime } from '../../src/platform/runtime.ts';
import type { GenerationManifest } from '../../src/schemas/knowledge/generation.ts';
import { compiledKernel } from './compiled-kernel.ts';
import { builtBlocks, builtGenerated, type EdgeOptions, fileText, NOW_HEADER } from './edge-gateway.ts';
import { TEST_BASE_URL } from './paths.ts';
import { simulatedDatabase } from './simulated/database.ts';
import { simulatedGateway } from './simulated/gateway.ts';
import { simulatedKeyValue } from './simulated/key-value.ts';
import { SimulatedTime } from './simulated/time.ts';
import { type Requests, requestsTo } from './use-edge-gateway.ts';

/** Variations of a service that runs in this process. */
export type InProcessOptions = Pick<EdgeOptions, 'signingSecrets' | 'stripe' | 'blocks' | 'kv' | 'state' | 'generated'>;

/** A service that runs in this process. */
export interface InProcessGateway extends Requests {
  /** Its database, as the gateway has it. */
  readonly state: () => D1Database;
}

/**
 * The gateway of the sources in this process, over simulated stores: for stores and builds that are wrong, of which a test needs many and
 * workerd takes most of a second to start each. `useEdgeGateway` runs the compiled one, with the stores of wrangler.
 */
export function useInProcessGateway(options: InProcessOptions | (() => Promise<InProcessOptions>) = {}): InProcessGateway {
  let answer: ((request: Request) => Promise<Response>) | undefined;
  let database: D1Database | undefined;
  let network = 0;
  let nowMs: number | undefined;
  let underWay = 0;
  beforeAll(async () => {
    const given = typeof options === 'function' ? await options() : options;
    const { blocks = 'built', kv = 'bound', state = 'migrated' } = given;
    const time = new SimulatedTime(Date.now());
    const keyValue = simulatedKeyValue(time);
    const stored = blocks === 'built' ? await builtBlocks() : blocks === 'none' ? new Map<string, Uint8Array>() : blocks;
    keyValue.fill([...stored].map(([name, bytes]) => [blockKey(name), bytes] as const));
    if (state !== 'unbound') database = simulatedDatabase(time, { migrations: state === 'migrated' }).binding();
    const generated = { ...(await builtGenerated()), ...given.generated };
    const documents = (generated.generation.manifest as GenerationManifest | null)?.index.documents;
    answer = await simulatedGateway({
      generated,
      ...(documents === undefined ? {} : { ranking: startRanking(compiledKernel(), documents) }),
      world: { ...systemRuntime, clock: { nowMs: () => nowMs ?? Date.now() } },
      assets: { fetch: async (input) => new Response(fileText(new URL(input instanceof Request ? input.url : input).pathname)) },
      ...(kv === 'bound' ? { keyValue: keyValue.binding('here') } : {}),
      ...(database === undefined ? {} : { database }),
      ...(given.stripe ? { stripe: given.stripe } : {}),
      ...('signingSecrets' in given ? { signingSecrets: given.signingSecrets } : {}),
    });
  });
  const requests = requestsTo(async (path, init) => {
    if (answer === undefined) throw new Error('the service runs only inside of tests');
    const request = new Request(TEST_BASE_URL + path, init);
    network += 1;
    if (!request.headers.has('CF-Connecting-IP')) request.headers.set('CF-Connecting-IP', `10.${network >> 8}.${network & 255}.1`);
    const atMs = request.headers.get(NOW_HEADER);
    if (atMs !== null && underWay > 0) throw new Error('requests with clocks of their own come one after the other');
    nowMs = atMs === null ? undefined : Number(atMs);
    // What goes wrong is expected, and would only be noise.
    if (underWay === 0) vi.spyOn(console, 'error').mockImplementation(() => undefined);
    underWay += 1;
    try {
      return await answer(request);
    } finally {
      underWay -= 1;
      if (underWay === 0) vi.mocked(console.error).mockRestore();
    }
  });
  const state = (): D1Database => {
    if (database === undefined) throw new Error('no database is bound');
    return database;
  };
  return { ...requests, state };
}
