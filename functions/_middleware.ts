import { deployment, documents, generation } from '#generated';
import pages from '#pages';
import { startRanking } from '../src/gateway/knowledge/corpus.ts';
import { createGateway, type Gateway } from '../src/http/mount.ts';
import { pageRenderer } from '../src/http/render-page.ts';
import type { Environment } from '../src/platform/environment.ts';
import { gatewayDependencies } from '../src/platform/gateway-dependencies.ts';
import { PROTOCOL_ADAPTERS } from '../src/protocols/protocols.ts';
import { routeTable } from '../src/routes/route-table.ts';
import kernel from '../src/search/kernel/kernel.wasm';

const ranking = startRanking(kernel, generation.manifest.index.documents);
let gateway: Gateway | undefined;

/**
 * Handles every path that `_routes.json` routes to functions. A function named for its path (`[[path]].ts`) would miss paths with two
 * slashes in a row. One gateway serves the isolate; until there is one, each request makes its own and the first stays, because the promise
 * of a request whose client disconnected never settles and no other request may wait for it.
 */
export const onRequest: PagesFunction<Environment> = async (context) => {
  const { request, env } = context;
  if (gateway === undefined) {
    const made = createGateway(
      {
        ...(await gatewayDependencies(env, deployment, generation, ranking, PROTOCOL_ADAPTERS)),
        documents,
        renderPage: pageRenderer(pages, env),
      },
      routeTable(deployment),
    );
    gateway ??= made;
  }
  return gateway(request, (work) => context.waitUntil(work));
};
