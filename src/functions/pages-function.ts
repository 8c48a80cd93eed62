import type { ProtocolAdapters } from '../gateway/commerce/orders/order-ports.ts';
import type { DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import { createGateway, type Gateway } from '../http/gateway-app.ts';
import type { GatewayDependencies } from '../http/gateway-dependencies.ts';
import { type PageServer, type PageValues, pageRenderer } from '../http/render-response.ts';
import { bindGateway } from '../platform/bind-gateway.ts';
import { systemRuntime } from '../platform/clock-and-deadlines.ts';
import { locationBlocks, locationDocuments } from '../platform/cloudflare-cache.ts';
import { boundEnvironment, type Environment } from '../platform/environment.ts';
import { type DeployedRoute, lazyRoutes } from '../routes/lazy-routes.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { PATHS } from '../schemas/paths.ts';
import { Kernel } from '../search/scoring-wasm/kernel.ts';
import kernel from '../search/scoring-wasm/kernel.wasm';
import type { adminHandler } from './dashboard/dashboard.ts';

/** The build's decisions about the functions, which it writes as a module into `.akg`. */
export interface Generated {
  readonly deployment: Deployment;
  readonly generation: DeployedGeneration;
  readonly documents: GatewayDependencies['documents'];
  readonly routes: readonly DeployedRoute[];
  readonly shown: PageValues;
  /** Digest of everything else that the build made for functions. */
  readonly build: string;
}

type LoadPages = () => Promise<{ readonly default: PageServer }>;

type RequestHandler = (context: Pick<Parameters<PagesFunction<Environment>>[0], 'request' | 'env' | 'waitUntil'>) => Promise<Response>;

/**
 * The Pages Function of a publication, for every path that `_routes.json` routes to functions. Call it when its module is loaded. One gateway
 * serves the isolate; until there is one, each request makes its own and the first stays, because the promise of a request whose client
 * disconnected never settles and no other request may wait for it.
 */
export function pagesFunction(generated: Generated, pages: LoadPages): RequestHandler {
  const ranking = new Kernel(kernel);
  if (generated.deployment.capsulePages === 'edge') void warmUpPages(pages, generated.shown);
  const { timers } = systemRuntime;
  const blocks = locationBlocks(`${generated.deployment.baseUrl}/_location/`, timers);
  let gateway: Gateway | undefined;
  let deps: GatewayDependencies | undefined;
  let admin: Awaited<ReturnType<typeof adminHandler>>;
  return async (context) => {
    const { request, env } = context;
    if (gateway === undefined || deps === undefined) {
      const { deployment, generation, documents, build } = generated;
      const bound = {
        ...(await bindGateway(env, deployment, generation, ranking, loadAdapters, systemRuntime, blocks)),
        documents,
        renderPage: pageRenderer(pages, env, generated.shown),
        documentCache: locationDocuments(`${deployment.baseUrl}/${generation.version}/${build}`, timers),
      };
      deps ??= bound;
      gateway ??= createGateway(deps, lazyRoutes(generated.routes, deployment));
    }
    if (admin === undefined && isInDashboard(request)) {
      const { adminHandler } = await import('./dashboard/dashboard.ts');
      const opened = await adminHandler(env, boundEnvironment(env, timers).STATE, deps);
      admin ??= opened;
    }
    const response = (await admin?.(request)) ?? (await gateway(request, (work) => context.waitUntil(work)));
    const writing = blocks?.flush();
    if (writing !== undefined) context.waitUntil(writing);
    if (generated.deployment.keyPrefix === 'akg_test_') compressMarkdown(response, request);
    return response;
  };
}

async function warmUpPages(pages: LoadPages, shown: PageValues): Promise<void> {
  const [{ renderSamples }] = await Promise.all([import('./warm-up-pages.ts'), import('../routes/capsule-pages.ts')]);
  renderSamples(pageRenderer(pages, {}, shown));
}

const loadAdapters = async (): Promise<ProtocolAdapters> => (await import('../protocols/protocols.ts')).PROTOCOL_ADAPTERS;

function isInDashboard({ url }: Request): boolean {
  return `${new URL(url).pathname}/`.startsWith(`${PATHS.admin}/`);
}

/** Compresses markdown as Cloudflare does, whose local server only knows the media type `text/x-markdown` (cloudflare/cloudflare-docs#33539). */
function compressMarkdown({ headers, status }: Response, { cf, headers: sent }: Request): void {
  // The header itself says what the server supports.
  const accepted = cf?.['clientAcceptEncoding'] ?? sent.get('accept-encoding');
  const isMarkdown = status === 200 && headers.get('content-type')?.startsWith('text/markdown') === true;
  if (isMarkdown && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|$))/i.test(`${accepted}`)) headers.set('Content-Encoding', 'gzip');
}

/** The same as a Worker, for Pages in advanced mode. */
export function pagesWorker(handle: RequestHandler): ExportedHandler<Environment> {
  return { fetch: (request, env, context) => handle({ request, env, waitUntil: (work) => context.waitUntil(work) }) };
}
