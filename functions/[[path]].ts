import { deployment, documents, generation } from '#generated';
import { startRanking } from '../src/gateway/knowledge/start-ranking.ts';
import type { Environment } from '../src/platform/environment.ts';
import { gatewayDependencies } from '../src/platform/gateway-dependencies.ts';
import { createGateway, type Gateway } from '../src/routes/mount.ts';
import kernel from '../src/search/kernel/kernel.wasm';

const ranking = startRanking(kernel, generation.manifest.index.documents);
let gateway: Promise<Gateway> | undefined;

/** Answers every path that `_routes.json` gives to functions; one gateway serves the isolate. */
export const onRequest: PagesFunction<Environment> = async ({ request, env }) => {
  gateway ??= gatewayDependencies(env, deployment, generation, ranking).then((dependencies) =>
    createGateway({ ...dependencies, documents }),
  );
  return (await gateway)(request);
};
