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
 * Answers every path that `_routes.json` gives to functions, those with two slashes in a row among them, which a function named for its
 * path (`[[path]].ts`) would not get; one gateway serves the isolate. While there is none, each request makes
 * its own, and the first that is done stays: the promise of a request whose client went away never settles, so none waits for another's.
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
