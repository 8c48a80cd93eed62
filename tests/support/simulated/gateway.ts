import type { PaymentProcessor } from '../../../src/gateway/commerce/cart/checkout-ports.ts';
import type { DocumentCache } from '../../../src/gateway/platform-ports.ts';
import { loadedRoutes, type Route } from '../../../src/http/define-route.ts';
import { createGateway, type Gateway } from '../../../src/http/gateway-app.ts';
import { bindGateway } from '../../../src/platform/bind-gateway.ts';
import type { Runtime } from '../../../src/platform/clock-and-deadlines.ts';
import { PROTOCOL_ADAPTERS } from '../../../src/protocols/protocols.ts';
import { routeTable } from '../../../src/routes/route-table.ts';
import type { Kernel } from '../../../src/search/scoring-wasm/kernel.ts';
import { testRanking } from '../compiled-kernel.ts';
import { type Generated, renderAsJson, TEST_SIGNING_SECRETS } from '../edge-gateway.ts';
import { TEST_WEBHOOK_SECRETS } from '../stripe-messages.ts';

export interface SimulatedIsolate {
  readonly generated: Generated;
  readonly world: Runtime;
  readonly database?: D1Database;
  readonly keyValue?: KVNamespace;
  readonly assets?: Fetcher;
  /** The small Worker that counts for a location. */
  readonly limiter?: Fetcher;
  readonly signingSecrets?: string | undefined;
  /** By default that of {@link testRanking}. */
  readonly ranking?: Kernel;
  /** Charges tokens in place of the deployment's processor; `undefined` for none. */
  readonly processor?: PaymentProcessor | undefined;
  readonly changeRoute?: (route: Route) => Route;
  readonly documentCache?: DocumentCache;
  readonly stripe?: { readonly secretKey: string; readonly apiBase: string };
}

const NO_FILES: Fetcher = { fetch: async () => new Response('not found', { status: 404 }) };

/** The real gateway in this process, in an isolate of its own: its memory is fresh. */
export async function simulatedGateway(isolate: SimulatedIsolate): Promise<Gateway> {
  const { generated, world, database, keyValue, assets = NO_FILES, limiter, ranking = testRanking(), stripe } = isolate;
  const secrets = 'signingSecrets' in isolate ? isolate.signingSecrets : TEST_SIGNING_SECRETS;
  const environment = {
    ASSETS: assets,
    ...(database ? { STATE: database } : {}),
    ...(keyValue ? { CAPSULES: keyValue } : {}),
    ...(limiter ? { LIMITER: limiter } : {}),
    ...(secrets === undefined ? {} : { SIGNING_SECRETS: secrets }),
    STRIPE_WEBHOOK_SECRETS: TEST_WEBHOOK_SECRETS,
    ...(stripe ? { STRIPE_SECRET_KEY: stripe.secretKey, STRIPE_API_BASE: stripe.apiBase } : {}),
  };
  const dependencies = await bindGateway(
    environment,
    generated.deployment,
    generated.generation,
    ranking,
    async () => PROTOCOL_ADAPTERS,
    world,
  );
  const charged = 'processor' in isolate ? { commerce: { ...dependencies.commerce, processor: isolate.processor } } : {};
  const routes = routeTable(generated.deployment);
  return createGateway(
    { ...dependencies, ...charged, documents: generated.documents, renderPage: renderAsJson, documentCache: isolate.documentCache },
    loadedRoutes(isolate.changeRoute ? routes.map(isolate.changeRoute) : routes),
  );
}
