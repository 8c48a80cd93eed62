/** Written by `npm run build` into the git-ignored folder `.akg`. */
declare module '#generated' {
  import type { DeployedGeneration } from '../src/gateway/knowledge/corpus.ts';
  import type { GatewayDependencies } from '../src/http/gateway-dependencies.ts';
  import type { Deployment } from '../src/schemas/deployment.ts';

  export const deployment: Deployment;
  export const generation: DeployedGeneration;
  export const documents: GatewayDependencies['documents'];
}

/** Astro's server output, which renders pages on demand. */
declare module '#pages' {
  const server: import('../src/http/render-page.ts').PageServer;
  export default server;
}
