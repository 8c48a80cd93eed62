import type { Refusal, Result } from '../gateway/result.ts';
import type { Route } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { preferredType } from './negotiate.ts';
import type { OnDemandPage, RenderPage } from './on-demand-pages.ts';
import { formBody, isForm } from './read-body.ts';
import { problemResponse } from './render-problem.ts';
import type { RequestContext } from './request-context.ts';
import { pagePolicy } from './security-headers.ts';

export function pageHeaders({ formTargets, visibility }: OnDemandPage): Record<string, string> {
  return {
    'Content-Security-Policy': pagePolicy(formTargets),
    Vary: 'Accept',
    ...(visibility === undefined ? {} : { 'X-Robots-Tag': 'noindex' }),
    ...(visibility === 'secret' ? { 'Referrer-Policy': 'no-referrer' } : {}),
  };
}

/**
 * The page of a refusal, with the status and headers of its problem document; `undefined` if the route has none or the caller, unlike a
 * browser, does not prefer pages.
 */
export async function refusalPage(
  route: Route,
  refusal: Refusal,
  { request, url, requestId }: RequestContext,
  body: Result<Uint8Array>,
  deps: GatewayDependencies,
): Promise<Response | undefined> {
  const accepted = preferredType(request.headers.get('accept'), ['application/problem+json', 'application/json', 'text/html']);
  if (route.refusalPage === undefined || accepted !== 'text/html') return undefined;
  const fields = body.ok && isForm(request.headers) ? formBody(body.value) : undefined;
  const page = route.refusalPage(refusal, { query: url.searchParams, fields: fields?.ok ? fields.value : {} }, deps);
  const { status, headers } = problemResponse(refusal, { baseUrl: deps.deployment.baseUrl, requestId, path: url.pathname });
  for (const [name, value] of Object.entries({ 'Content-Type': 'text/html; charset=utf-8', ...pageHeaders(page) }))
    headers.set(name, value);
  return new Response(await deps.renderPage(page.page, page.props), { status, headers });
}

/** The default export of Astro's server output, which `@astrojs/cloudflare` makes. */
export interface PageServer {
  readonly fetch: (request: Request, environment: object, context: object) => Promise<Response>;
}

/** What every page on demand shows, as `Astro.locals`. */
export type PageValues = Readonly<Record<string, unknown>>;

/**
 * Renders pages on demand with Astro's server. What a page shows reaches it as the props of its execution context
 * (developers.cloudflare.com/workers/runtime-apis/context/#props), which become `Astro.locals`.
 */
export function pageRenderer(load: () => Promise<{ readonly default: PageServer }>, environment: object, shown: PageValues): RenderPage {
  return async (page, props) => {
    const { default: server } = await load();
    const context = { props: { ...shown, props }, waitUntil: () => undefined, passThroughOnException: () => undefined };
    // Only the path of this URL matters.
    const response = await server.fetch(new Request(`https://pages.invalid/on-demand/${page}`), environment, context);
    if (response.status !== 200) throw new Error(`The page "${page}" could not be rendered.`);
    return response.text();
  };
}
