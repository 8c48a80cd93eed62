import type { Refusal, Result } from '../gateway/result.ts';
import type { Route } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { preferredType } from './negotiate.ts';
import type { OnDemandPage } from './page.ts';
import { formBody, isForm } from './read-body.ts';
import { problemResponse } from './render-problem.ts';
import type { RequestContext } from './request-context.ts';
import { pagePolicy } from './security-headers.ts';

/** Headers of a page. */
export function pageHeaders({ formTargets, visibility }: OnDemandPage): Record<string, string> {
  return {
    'Content-Security-Policy': pagePolicy(formTargets),
    Vary: 'Accept',
    ...(visibility === undefined ? {} : { 'X-Robots-Tag': 'noindex' }),
    ...(visibility === 'secret' ? { 'Referrer-Policy': 'no-referrer' } : {}),
  };
}

/**
 * The page of a refusal, for a route that has one and a caller that prefers pages, as browsers do; `undefined` for all others. It has the
 * status and the headers of the problem document that it stands for.
 *
 * @param body Body of the request, if it could be read.
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
