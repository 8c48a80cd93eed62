import { outage, type Refusal } from '../gateway/result.ts';
import { PATHS } from '../schemas/paths.ts';
import type { SiteFile } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import type { RequestContext } from './request-context.ts';
import { preferredType } from './negotiate.ts';
import { problemResponse } from './render-problem.ts';

/**
 * Longest name of a file in an address, in characters: what file systems take (NAME_MAX, 255 bytes), less the ".html" that the host of
 * the files adds.
 */
const NAME_MAX_LENGTH = 250;

/** Names that every file system takes; a folder has a dot at its beginning at most, so that no file is taken for one. */
const FILE_PATH = /^\/(?:\.?[\w~-]+\/)*[\w.~-]*$/;

/** Files without an extension. A host that looks on a disk fails at an address below one, as if it were a folder. */
const FILES_WITHOUT_EXTENSION: readonly string[] = [PATHS.x402WellKnown];

/** An address at which no build puts a file: the host answers with its page for missing files. */
const MISSING = '/-';

/** Whether a file of the site can have this address. A host may fail at any other, as one that looks for files on a disk does. */
function canBeFile(path: string): boolean {
  const isBelowFile = FILES_WITHOUT_EXTENSION.some((file) => path.startsWith(`${file}/`));
  return FILE_PATH.test(path) && !isBelowFile && path.split('/').every((name) => name.length <= NAME_MAX_LENGTH);
}

/**
 * A static file, or the problem that the host of the files has. That there is no file is said with the host's page for it, or with a
 * problem document to a caller that prefers one. Headers of the answer can be changed.
 */
export async function serveFile(
  { request, requestId, url }: RequestContext,
  deps: GatewayDependencies,
  wanted: SiteFile,
): Promise<Response> {
  const refused = async (refusal: Refusal): Promise<Response> => {
    await response?.body?.cancel();
    return problemResponse(refusal, { baseUrl: deps.deployment.baseUrl, requestId, path: url.pathname });
  };
  const path = 'page' in wanted ? wanted.page : canBeFile(url.pathname) ? url.pathname : MISSING;
  const response = await deps.serveFile(fileRequest(request, new URL(path + url.search, url))).catch(() => undefined);
  const isFound = path !== MISSING && response?.status !== 404;
  if (response === undefined || response.status >= 500 || response.status === 429 || (!isFound && 'page' in wanted))
    return refused(outage('file_unavailable', 'The page could not be read.').refusal);
  if (isFound || 'page' in wanted) {
    // A copy, because headers of what was fetched cannot be changed.
    const found = new Response(response.body, response);
    const validator = validatorOf(request.headers);
    // A host may leave out the tag that a 304 has to have (RFC 9110 section 15.4.5).
    if (found.status === 304 && validator !== undefined) found.headers.set('ETag', validator);
    return found;
  }
  if (prefersProblem(request)) return refused(wanted.missing);
  const page = new Response(response.body, { status: 404, headers: response.headers });
  page.headers.append('Vary', 'Accept');
  return page;
}

/**
 * What the host is asked. Its redirects go to the caller; of the headers it gets the validator alone, because it refuses some codings that a
 * caller may ask for.
 */
function fileRequest({ method, headers }: Request, url: URL): Request {
  const validator = validatorOf(headers);
  return new Request(url, { method, headers: validator === undefined ? {} : { 'If-None-Match': validator }, redirect: 'manual' });
}

/** The entity tag that the caller has, if it names one alone: of several nobody could say which one a 304 stands for. */
function validatorOf(headers: Headers): string | undefined {
  const [validator] = /^(?:W\/)?"[^"]*"$/.exec(headers.get('if-none-match')?.trim() ?? '') ?? [];
  return validator;
}

/** Whether a caller weighs problem documents higher than pages. */
function prefersProblem({ headers }: Request): boolean {
  const type = preferredType(headers.get('accept'), ['text/html', 'application/problem+json', 'application/json']);
  return type !== undefined && type !== 'text/html';
}
