import type { Ranking } from '../../../src/gateway/knowledge/start-ranking.ts';
import { gatewayDependencies } from '../../../src/platform/gateway-dependencies.ts';
import type { World } from '../../../src/platform/world.ts';
import { createGateway, type Gateway } from '../../../src/routes/mount.ts';
import { type Generated, TEST_SIGNING_SECRETS } from '../edge-gateway.ts';
import { TEST_WEBHOOK_SECRETS } from '../stripe-messages.ts';

/** Bindings and build of one isolate. What is left out is not bound. */
export interface SimulatedIsolate {
  readonly generated: Generated;
  readonly world: World;
  readonly database?: D1Database;
  readonly keyValue?: KVNamespace;
  readonly assets?: Fetcher;
  /** The small Worker that counts for a location. */
  readonly limiter?: Fetcher;
  readonly signingSecrets?: string | undefined;
  /** Ranks queries with the compiled kernel; without it they are ranked alike, and slower. */
  readonly ranking?: Ranking;
}

const NO_FILES: Fetcher = { fetch: async () => new Response('not found', { status: 404 }) };

/** The real gateway in this process, in an isolate of its own: its memory is fresh. */
export async function simulatedGateway(isolate: SimulatedIsolate): Promise<Gateway> {
  const { generated, world, database, keyValue, assets = NO_FILES, limiter, ranking } = isolate;
  const secrets = 'signingSecrets' in isolate ? isolate.signingSecrets : TEST_SIGNING_SECRETS;
  const environment = {
    ASSETS: assets,
    ...(database ? { STATE: database } : {}),
    ...(keyValue ? { CAPSULES: keyValue } : {}),
    ...(limiter ? { LIMITER: limiter } : {}),
    ...(secrets === undefined ? {} : { SIGNING_SECRETS: secrets }),
    STRIPE_WEBHOOK_SECRETS: TEST_WEBHOOK_SECRETS,
  };
  const dependencies = await gatewayDependencies(environment, generated.deployment, generated.generation, ranking, world);
  return createGateway({ ...dependencies, documents: generated.documents });
}
