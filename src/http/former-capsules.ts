import { errorEntry } from '../gateway/errors.ts';
import { takenDownRefusal } from '../gateway/knowledge/former-capsule.ts';
import { capsuleApiPath, capsulePath, lineageApiPath, lineageFilePath } from '../schemas/paths.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { prefersMarkdownProblem } from './negotiate.ts';
import { problemResponse } from './render-problem.ts';
import type { RequestContext } from './request-context.ts';
import { prefersProblem, serveFile } from './serve-file.ts';

/** Addresses below the page of a capsule, and below the capsule at the API. */
const PREFIXES = [capsulePath(''), capsuleApiPath('')];
const BELOW_PREFIX = /^([a-z0-9-]{1,64})((?:\.md|\/.*)?)$/;

/** How long caches may reuse a redirect, in seconds. */
const REDIRECT_SECONDS = 3_600;

/**
 * The response at an address of a capsule that has another id now, or that was taken down; `undefined` at every other address. A new id is a
 * redirect (308) to the same address with that id. A take-down is 410 or 451; its lineage is the tombstone.
 */
export async function formerCapsuleResponse(context: RequestContext, deps: GatewayDependencies): Promise<Response | undefined> {
  const { formerIds = {}, takenDown = {}, baseUrl } = deps.deployment;
  const { request, url, requestId } = context;
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  for (const prefix of PREFIXES.filter((beginning) => url.pathname.startsWith(beginning))) {
    const [, id = '', rest = ''] = BELOW_PREFIX.exec(url.pathname.slice(prefix.length)) ?? [];
    if (Object.hasOwn(formerIds, id)) {
      const headers = { Location: `${prefix}${formerIds[id]}${rest}${url.search}`, 'Cache-Control': `public, max-age=${REDIRECT_SECONDS}` };
      return new Response(null, { status: 308, headers });
    }
    const takeDown = Object.hasOwn(takenDown, id) ? takenDown[id] : undefined;
    if (takeDown === undefined) continue;
    if ([lineageFilePath(id), lineageApiPath(id)].includes(url.pathname)) return serveFile(context, deps, { page: lineageFilePath(id) });
    const { refusal } = takenDownRefusal(id, takeDown);
    if (url.pathname === capsulePath(id) && !prefersProblem(request)) {
      const page = await serveFile({ ...context, request: new Request(url, { method: request.method }) }, deps, { page: capsulePath(id) });
      if (page.status === 200) return new Response(page.body, { status: errorEntry(refusal.code).status, headers: page.headers });
      await page.body?.cancel();
    }
    const isMarkdown = prefersMarkdownProblem(request.headers.get('accept'));
    return problemResponse(refusal, { baseUrl, requestId, path: url.pathname, isMarkdown });
  }
  return undefined;
}
