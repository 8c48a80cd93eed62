/** What the build decided, written by `npm run build` into the git-ignored folder `.akg`. */
declare module '#generated' {
  import type { DeployedGeneration } from '../src/gateway/knowledge/corpus.ts';
  import type { GatewayDependencies } from '../src/http/gateway-dependencies.ts';
  import type { Deployment } from '../src/schemas/deployment.ts';

  export const deployment: Deployment;
  export const generation: DeployedGeneration;
  export const documents: GatewayDependencies['documents'];
}

/** The pages that are rendered on demand, built by Astro. */
declare module '#pages' {
  export const renderPage: import('../src/http/page.ts').RenderPage;
}
