import type { RenderPage } from './page.ts';

/** The default export of Astro's server output, which `@astrojs/cloudflare` makes. */
export interface PageServer {
  readonly fetch: (request: Request, environment: object, context: object) => Promise<Response>;
}

/**
 * Renders pages on demand with Astro's server. The props of a page reach it as those of its execution context
 * (developers.cloudflare.com/workers/runtime-apis/context/#props): `Astro.locals.cfContext.props`.
 */
export function pageRenderer(server: PageServer, environment: object): RenderPage {
  return async (page, props) => {
    const context = { props, waitUntil: () => undefined, passThroughOnException: () => undefined };
    // Only the path counts: the address is that of a page, and never one of ours.
    const response = await server.fetch(new Request(`https://pages.invalid/on-demand/${page}`), environment, context);
    if (response.status !== 200) throw new Error(`The page "${page}" could not be rendered.`);
    return response.text();
  };
}
