import { deployment, documents, generation } from '#generated';
import type { Environment } from '../src/platform/environment.ts';
import { gatewayDependencies } from '../src/platform/gateway-dependencies.ts';
import { createGateway, type Gateway } from '../src/routes/mount.ts';

let gateway: Promise<Gateway> | undefined;

/** Answers every path that `_routes.json` gives to functions; one gateway serves the isolate. */
export const onRequest: PagesFunction<Environment> = async ({ request, env }) => {
  gateway ??= gatewayDependencies(env, deployment, generation).then((dependencies) => createGateway({ ...dependencies, documents }));
  return (await gateway)(request);
};
