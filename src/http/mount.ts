import { Hono } from 'hono';
import type { KnownKeys } from '../gateway/agents/api-key.ts';
import { errorEntry } from '../gateway/errors.ts';
import { LruCache } from '../gateway/lru-cache.ts';
import { get, type NextStep } from '../gateway/next-steps.ts';
import { ok, type Refusal, type Result, refuse } from '../gateway/result.ts';
import { LIMITS } from '../schemas/limits.ts';
import { refuseKeyInUrl } from './authenticate.ts';
import type { Route } from './define-route.ts';
import { formerCapsuleResponse } from './former-capsules.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { isAt, nearestRoute, stepTo, withoutTrailingSlash } from './nearest-route.ts';
import { PageNegotiation } from './page-negotiation.ts';
import { protocolAt } from './protocol.ts';
import { takeAllowance } from './rate-limits.ts';
import { readBody } from './read-body.ts';
import { refusalPage } from './render-page.ts';
import { finishResponse, preflight } from './render-response.ts';
import { logError, partContext, type RequestContext, requestContext } from './request-context.ts';
import { refusalResponse, runRoute } from './run-route.ts';
import { apiSecurityHeaders } from './security-headers.ts';
import { hasFile, NO_PAGE, serveFile } from './serve-file.ts';

/**
 * Responds to one HTTP request. Never throws: an unexpected error becomes a problem document.
 *
 * @param waitUntil Keeps the isolate alive for work after the response.
 */
export type Gateway = (request: Request, waitUntil?: (work: Promise<unknown>) => void) => Promise<Response>;

interface App {
  readonly Bindings: {
    readonly waitUntil: Parameters<Gateway>[1];
    /** The state of the request that this one is a part of: what it asks for was admitted already. */
    readonly context?: RequestContext;
  };
  readonly Variables: { readonly context: RequestContext };
}

/** Prefix of the paths that only functions serve; see `functionPaths`. */
const API_PREFIX = '/api/';

/** Methods of files. */
const FILE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Keys that an isolate remembers as verified; only their expiry is checked again. */
const KNOWN_KEYS_MAX = 1_000;

/** Mounts the function routes of a table behind one handler. */
export function createGateway(deps: GatewayDependencies, table: readonly Route[]): Gateway {
  const routes = table.filter(({ servedBy }) => servedBy === 'function');
  const security = apiSecurityHeaders(deps.deployment.baseUrl);
  const { formerIds, takenDown } = deps.deployment;
  const hasFormerCapsules = formerIds !== undefined || takenDown !== undefined;
  const knownKeys: KnownKeys = new LruCache(KNOWN_KEYS_MAX);
  /** A refusal in the error shape that applies at the address. */
  const refused = ({ refusal }: { readonly refusal: Refusal }, context: RequestContext): Response =>
    refusalResponse(refusal, protocolAt(context.url.pathname, routes), context, deps);
  /** The same before its operation runs, as a page if it is one of a page and the caller is a browser. */
  const refusedEarly = async (refusal: Refusal, context: RequestContext): Promise<Response> => {
    const { pathname } = context.url;
    // No operation describes a page for a URL that is too long.
    const mayBePage = refusal.code !== 'uri_too_long';
    const route = mayBePage ? routes.find((each) => each.method === context.request.method && isAt(pathname, each)) : undefined;
    // What the query holds is not shown again.
    const url = new URL(context.url);
    url.search = '';
    const page = route && (await refusalPage(route, refusal, { ...context, url }, ok(new Uint8Array()), deps));
    return page ?? refused({ refusal }, context);
  };

  const app = new Hono<App>();
  const pages = deps.deployment.markdownNegotiation === true ? new PageNegotiation(deps.deployment, routes) : undefined;
  app.use(async (c, next) => {
    if (c.env.context !== undefined) {
      c.set('context', c.env.context);
      await next();
      return;
    }
    const context = requestContext(c.req.raw, deps, c.env.waitUntil);
    c.set('context', context);
    const page = pages?.pageAt(context);
    const admitted = await admit(context, deps, pages?.isFile(context) !== true);
    const former = admitted.ok && hasFormerCapsules ? await formerCapsuleResponse(context, deps) : undefined;
    if (former !== undefined) c.res = former;
    else if (!admitted.ok) c.res = await refusedEarly(admitted.refusal, context);
    else if (pages === undefined) await next();
    else {
      const ask = async (path: string, method: 'GET' | 'HEAD'): Promise<Response> => {
        const request = new Request(new URL(path, context.url), { method, headers: context.request.headers });
        return app.fetch(request, { waitUntil: c.env.waitUntil, context: partContext(context, request, deps) });
      };
      const twin = page === undefined ? undefined : await pages.twinResponse(page, context, ask);
      if (twin === undefined) await next();
      if (twin !== undefined) c.res = twin;
      else if (page !== undefined) await pages.addLinks(c.res, page, ask);
      else {
        const found = c.res;
        // Hono would give the new response the headers of the one that it replaces.
        c.res = undefined;
        c.res = await pages.withMarkdownHeaders(found, context, ask);
      }
    }
    finishResponse(c.res, context, security);
  });
  for (const route of routes) {
    const parametersOf = parameterReader(route);
    app.on(route.method, honoPaths(route), (c) => runRoute(route, parametersOf(c.req.param()), c.var.context, deps, knownKeys));
  }
  for (const path of new Set(routes.flatMap(honoPaths))) {
    const here = routes.filter((route) => honoPaths(route).includes(path));
    const methods = allowedMethods(here);
    app.all(path, async ({ var: { context } }) => {
      await readBody(context.request);
      const steps = here.map((route) => stepTo(route, context.url.pathname));
      return otherMethod(context, methods, steps, refused);
    });
  }
  app.notFound(async ({ var: { context } }) => {
    await readBody(context.request);
    const { pathname, search } = context.url;
    const address = withoutTrailingSlash(pathname, routes);
    if (address !== undefined)
      return new Response(null, { status: 308, headers: { Location: address + search, 'Cache-Control': 'no-store' } });
    if (isFileRequest(context)) return serveFile(context, deps, { missing: NO_PAGE });
    if (!pathname.startsWith(API_PREFIX) && (await hasFile(context, deps)))
      return otherMethod(context, FILE_METHODS, [get('Read the page.', pathname)], refused);
    return refused(noOperation(context, routes), context);
  });
  app.onError((error, { var: { context } }) => {
    logError(error, context.requestId);
    return refused(refuse('internal', 'An unexpected error occurred. It was logged under the request id.'), context);
  });
  return async (request, waitUntil) => app.fetch(request, { waitUntil });
}

/** The refusal of a path of the API without an operation, with the one that it may mean. */
function noOperation({ request, url }: RequestContext, routes: readonly Route[]): ReturnType<typeof refuse> {
  const detail = 'There is no operation at this path.';
  const nearest = nearestRoute(
    url.pathname,
    request.method,
    routes.filter(({ path }) => path.startsWith(API_PREFIX)),
  );
  if (nearest === undefined) return refuse('route_not_found', detail);
  const { method, path, step } = nearest;
  return refuse('route_not_found', `${detail} Did you mean ${method} ${path}?`, {
    nextActions: [step, ...errorEntry('route_not_found').nextActions],
  });
}

/**
 * Checks the rate limit of the caller's network, the length of the URL and that it has no API key, before a route is matched.
 *
 * @param isCounted Whether the request counts; files do not, as they do not where their host serves them without a function.
 */
async function admit(context: RequestContext, deps: GatewayDependencies, isCounted: boolean): Promise<Result<undefined>> {
  const { request } = context;
  const allowance = isCounted ? await takeAllowance('network', context.network, deps, context.limits) : ok(undefined);
  const isTooLong = request.url.length > LIMITS.requestUrlMaxLength;
  const tooLong = `The URL has more than ${LIMITS.requestUrlMaxLength} characters.`;
  const admitted = !allowance.ok ? allowance : isTooLong ? refuse('uri_too_long', tooLong) : refuseKeyInUrl(context.url);
  if (!admitted.ok) await readBody(request);
  return admitted;
}

/** A segment of a path that is a parameter, and the text after it. */
const PARAMETER_SEGMENT = /^\{([^{}]+)\}(.*)$/;

/** The path of a route as Hono writes it. A parameter with text after it, as in `{id}.md`, is for Hono the whole segment. */
function honoPath({ path }: Route): string {
  const segments = path.split('/').map((segment) => {
    const [, name, ending = ''] = PARAMETER_SEGMENT.exec(segment) ?? [];
    if (name === undefined) return segment;
    return ending === '' ? `:${name}` : `:${name}{[^/]+${ending.replaceAll('.', '\\.')}}`;
  });
  return segments.join('/');
}

/** All paths of a route, as Hono writes them. */
function honoPaths(route: Route): string[] {
  const path = honoPath(route);
  return route.answersTrailingSlash ? [path, `${path}/`] : [path];
}

/** Takes the text after parameters off what Hono matched. */
function parameterReader({ path }: Route): (matched: Record<string, string>) => Record<string, string> {
  const endings = path.split('/').flatMap((segment) => {
    const [, name, ending = ''] = PARAMETER_SEGMENT.exec(segment) ?? [];
    return name === undefined || ending === '' ? [] : [[name, ending] as const];
  });
  if (endings.length === 0) return (matched) => matched;
  return (matched) => ({
    ...matched,
    ...Object.fromEntries(endings.map(([name, ending]) => [name, matched[name]?.slice(0, -ending.length) ?? ''])),
  });
}

function allowedMethods(routes: readonly Route[]): string[] {
  const methods = routes.map(({ method }) => method as string);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

/** The response to a method that an address does not have, once the body is read. @param steps What the address is for. */
function otherMethod(
  context: RequestContext,
  methods: readonly string[],
  steps: readonly NextStep[],
  refused: (refusal: ReturnType<typeof refuse>, context: RequestContext) => Response,
): Response {
  const { request } = context;
  if (request.method === 'OPTIONS') return preflight(methods);
  const allow = methods.join(', ');
  const sent = /^[A-Z]{1,16}$/.test(request.method) ? `${request.method} is not supported here. ` : '';
  const nextActions = [...steps, ...errorEntry('method_not_allowed').nextActions];
  return refused(
    refuse('method_not_allowed', `${sent}This address supports ${allow}.`, { headers: { Allow: allow }, nextActions }),
    context,
  );
}

/** Whether a request without a route is for the site: the pattern `/buy/*` also sends `/buy` and `/buy/` to functions. */
function isFileRequest({ request, url }: RequestContext): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && !url.pathname.startsWith(API_PREFIX);
}
