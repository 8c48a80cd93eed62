import { get, type NextStep } from '../gateway/error-next-actions.ts';
import { statedTitle } from '../gateway/knowledge/capsule-status-sentences.ts';
import { queryKnowledge } from '../gateway/knowledge/query-knowledge.ts';
import { SUGGESTED_MAX, suggestCapsules } from '../gateway/knowledge/read-capsule.ts';
import { attempt, type Refusal, refuse } from '../gateway/result.ts';
import { RESULT_KINDS } from '../schemas/knowledge/kinds-and-levels.ts';
import { QueryRequest } from '../schemas/knowledge/query.ts';
import type { ResultKind } from '../schemas/knowledge/result-kinds.ts';
import { capsulePath, PATHS, pageMarkdownPath } from '../schemas/paths.ts';
import { cutWhole } from '../search/analysis/tokenise.ts';
import { suggestName } from '../search/did-you-mean.ts';
import { NEGOTIATION_HEADERS, preferredType, readsMarkdown, varyBy } from './content-negotiation.ts';
import type { SiteFile } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { logError, type RequestContext } from './rate-limits.ts';
import { problemResponse } from './render-problem.ts';

/** Longest name of a file in an address: that of file systems (NAME_MAX, 255 bytes), less the ".html" that the file host adds. */
const NAME_MAX_LENGTH = 250;

/** Names that every file system accepts; a folder has no dot except at its beginning, so that no file is mistaken for one. */
const FILE_PATH = /^\/(?:\.?[\w~-]+\/)*[\w.~-]*$/;

/** Files that only the host reads. One that serves from disk may fail at them, or send them. */
const HOST_FILE = /^\/_(?:headers|redirects|routes\.json|worker\.js)(?:\/|$)/;

/** A path without a file: the host responds with its 404 page. */
const MISSING = '/-';

function canBeFile(path: string): boolean {
  return FILE_PATH.test(path) && !HOST_FILE.test(path) && path.split('/').every((name) => name.length <= NAME_MAX_LENGTH);
}

/** Whether a path continues that of a file without an extension. A host that serves from disk takes the file for a folder, and fails. */
async function isBelowFile(path: string, url: URL, { serveFile: read }: Pick<GatewayDependencies, 'serveFile'>): Promise<boolean> {
  const names = path.split('/');
  for (let length = names.length - 1; length > 1; length -= 1) {
    const found = await read(new Request(new URL(names.slice(0, length).join('/'), url), { method: 'HEAD' })).catch(() => undefined);
    await found?.body?.cancel();
    // A page has the address of the folder of the pages below it.
    if (found?.status === 200) return found.headers.get('content-type')?.startsWith('text/html') !== true;
  }
  return false;
}

/** A static file, with mutable headers, or the refusal of a host that failed; for a missing one the host's 404 page or a problem document. */
export async function serveFile(context: RequestContext, deps: GatewayDependencies, file: SiteFile): Promise<Response> {
  const { request, url } = context;
  const refused = async (refusal: Refusal): Promise<Response> => {
    await response?.body?.cancel();
    return refusalOfFile(refusal, context, deps);
  };
  const validator = validatorOf(request.headers);
  // Redirects of the host go to the caller. It refuses some Accept-Encodings, so it gets no header but the validator.
  const headers = validator === undefined ? {} : { 'If-None-Match': validator };
  const read = (at: string): Promise<Response | undefined> =>
    deps
      .serveFile(new Request(new URL(at + url.search, url), { method: request.method, headers, redirect: 'manual' }))
      .catch(() => undefined);
  let path = 'page' in file ? file.page : canBeFile(url.pathname) ? url.pathname : MISSING;
  let response = await read(path);
  if ((response === undefined || response.status >= 500) && 'missing' in file && (await isBelowFile(path, url, deps))) {
    await response?.body?.cancel();
    path = MISSING;
    response = await read(path);
  }
  const isFound = path !== MISSING && response?.status !== 404;
  if (response === undefined || response.status >= 500 || response.status === 429 || (!isFound && 'page' in file))
    return refused(refuse('file_unavailable', 'The page could not be read.').refusal);
  if (isFound || 'page' in file) {
    // Headers of a fetched response are immutable.
    const found = new Response(response.body, response);
    // The host names the methods that it has itself; OPTIONS is answered here.
    found.headers.delete('Allow');
    // A host may omit the tag that a 304 must have (RFC 9110 section 15.4.5).
    if (found.status === 304 && validator !== undefined) found.headers.set('ETag', validator);
    return found;
  }
  if (wantsMarkdown(request)) {
    await response.body?.cancel();
    return refusalOfFile(await withSuggestedPages(file.missing, context, deps), context, deps, true);
  }
  if (prefersProblem(request)) return refused(await withSuggestedPages(file.missing, context, deps));
  const page = new Response(response.body, { status: 404, headers: response.headers });
  // The host also applies its rules for pages to its 404 page.
  page.headers.delete('Link');
  page.headers.delete('Allow');
  // As Pages sends it; the file server of Workers lets caches keep it.
  page.headers.delete('ETag');
  page.headers.set('Cache-Control', 'no-store');
  varyBy(page.headers, NEGOTIATION_HEADERS);
  return page;
}

export const NO_PAGE = refuse('route_not_found', 'There is no page at this path.').refusal;

/** Whether a file of the site is at the address of a request, whatever its method. */
export async function hasFile(context: RequestContext, deps: GatewayDependencies): Promise<boolean> {
  const request = new Request(context.url, { method: 'HEAD' });
  const { status, body } = await serveFile({ ...context, request, isSubrequest: true }, deps, { missing: NO_PAGE });
  await body?.cancel();
  return status < 400;
}

/** The text of a file of the site; `undefined` if the host has none or fails. */
export async function readFileText(
  path: string,
  { serveFile, deployment }: Pick<GatewayDependencies, 'serveFile' | 'deployment'>,
): Promise<string | undefined> {
  const response = await serveFile(new Request(deployment.baseUrl + path)).catch(() => undefined);
  if (response?.status === 200) return response.text().catch(() => undefined);
  await response?.body?.cancel();
  return undefined;
}

export function unavailableFile(detail: string, context: RequestContext, deps: GatewayDependencies): Response {
  return refusalOfFile(refuse('file_unavailable', detail).refusal, context, deps);
}

function refusalOfFile(refusal: Refusal, { requestId, url }: RequestContext, deps: GatewayDependencies, isMarkdown = false): Response {
  return problemResponse(refusal, { baseUrl: deps.deployment.baseUrl, requestId, path: url.pathname, isMarkdown });
}

/** The caller's entity tag, if there is exactly one: with several, a 304 could not say which one matched. */
function validatorOf(headers: Headers): string | undefined {
  const [validator] = /^(?:W\/)?"[^"]*"$/.exec(headers.get('if-none-match')?.trim() ?? '') ?? [];
  return validator;
}

const PROBLEM_TYPES = ['application/problem+json', 'application/json', 'text/markdown', 'text/plain'];

function wantsMarkdown({ headers, url }: Request): boolean {
  const accept = headers.get('accept');
  if (new URL(url).pathname.endsWith('.md'))
    return preferredType(accept, ['text/markdown', ...PROBLEM_TYPES, 'text/html']) === 'text/markdown';
  return readsMarkdown(headers) && preferredType(accept, ['text/markdown', ...PROBLEM_TYPES]) === 'text/markdown';
}

/** A path of a document for programs, which get a problem document unless they ask for pages. */
const DOCUMENT_PATH = /\.(?:md|json|jsonl|txt)$/;

export function prefersProblem({ headers, url }: Request): boolean {
  const isDocument = DOCUMENT_PATH.test(new URL(url).pathname);
  const type = preferredType(headers.get('accept'), isDocument ? [...PROBLEM_TYPES, 'text/html'] : ['text/html', ...PROBLEM_TYPES]);
  return type !== undefined && type !== 'text/html';
}

const QUERY_SEGMENTS = 2;

const PLAIN_PATH = /^\/(?:[\w~-]+\/)*[\w.~-]*$/;

const QUERY_MAX_LENGTH = 100;

/** Name of the list of addresses of documents among the documents that the build hands to functions. */
export const DOCUMENT_PATHS = 'document_paths';

/** Documents by names that clients try for them: earlier ones of a standard, and those of other formats. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'agent.json': PATHS.agentCard,
  'agent.md': PATHS.agentsMd,
  'claude.md': PATHS.agentsMd,
  'readme.md': PATHS.agentsMd,
  'skill.md': PATHS.agentSkillsIndex,
  'agents.json': PATHS.agentCard,
  'ai-plugin.json': PATHS.openApiAgent,
  'openapi.yaml': PATHS.openApi,
  'openapi.yml': PATHS.openApi,
  'swagger.json': PATHS.openApi,
  'api-docs': PATHS.openApi,
  'sitemap_index.xml': PATHS.sitemap,
  'sitemap-index.xml': PATHS.sitemap,
  'rss.xml': PATHS.feed,
  'atom.xml': PATHS.feed,
  'ai.txt': PATHS.llmsTxt,
  'mcp.json': PATHS.mcpServerCard,
};

/** The file of a folder, as other hosts and generators address it. */
const FOLDER_FILE = /\/(?:index|readme)\.(?:md|html?)$/i;

const INDEXES = [get('Read the index of the site for language models.', PATHS.llmsTxt), get('List all pages.', PATHS.sitemapMd)];

/**
 * The refusal of a path without a page, with what it may mean as first steps: a document, page or capsule of nearly this name, or what a search
 * for its words finds. It counts as a search of the caller's network; beyond that limit, only the lists of all pages are named.
 */
async function withSuggestedPages(refusal: Refusal, context: RequestContext, deps: GatewayDependencies): Promise<Refusal> {
  const { pathname } = context.url;
  if (refusal.code !== 'route_not_found' || context.isSubrequest) return refusal;
  const meant = documentAt(pathname, deps) ?? (await pageAt(pathname, context, deps));
  if (meant !== undefined)
    return {
      ...refusal,
      nextActions: [...(refusal.nextActions ?? []), get(`Read ${meant}.`, meant), ...INDEXES.filter(({ path }) => path !== meant)],
    };
  const words = wordsOf(pathname);
  const mayRead = words !== '' && (await context.takeRateLimit('search')).ok;
  const near = mayRead ? await suggestPages(pathname, words, deps).catch((error: unknown) => logError(error, context.requestId)) : [];
  return { ...refusal, nextActions: [...(refusal.nextActions ?? []), ...(near ?? []), ...INDEXES] };
}

function documentAt(pathname: string, deps: GatewayDependencies): string | undefined {
  const list = deps.documents[DOCUMENT_PATHS];
  const documents = list !== undefined && 'body' in list ? (JSON.parse(list.body) as string[]) : [];
  const path = pathname.toLowerCase();
  const nameOf = (address: string): string => address.slice(address.lastIndexOf('/') + 1);
  const named = (name: string) => documents.find((document) => name !== 'index.json' && nameOf(document).toLowerCase() === name);
  const isBelowFolders = path.split('/').length > 3;
  const other = Object.hasOwn(OTHER_NAMES, nameOf(path)) ? OTHER_NAMES[nameOf(path)] : undefined;
  const exact = documents.find((document) => document.toLowerCase() === path);
  // The name of a document in a folder of pages may be the name of one of them.
  return exact ?? (isBelowFolders ? undefined : (named(nameOf(path)) ?? other ?? suggestName(path, documents)));
}

async function pageAt(pathname: string, { url }: RequestContext, { serveFile }: GatewayDependencies): Promise<string | undefined> {
  const lower = pathname.toLowerCase();
  const folder = lower.replace(FOLDER_FILE, '');
  const page = folder || PATHS.home;
  const path = folder === lower ? lower : lower.endsWith('.md') ? pageMarkdownPath(page) : page;
  if (path === pathname || !PLAIN_PATH.test(path)) return undefined;
  const found = await serveFile(new Request(new URL(path, url), { method: 'HEAD', redirect: 'manual' })).catch(() => undefined);
  await found?.body?.cancel();
  return found?.status === 200 ? path : undefined;
}

async function suggestPages(pathname: string, words: string, { corpus, deployment }: GatewayDependencies): Promise<NextStep[]> {
  const isOfCapsule = pathname.startsWith(`${PATHS.capsules}/`);
  const ids = isOfCapsule ? await suggestCapsules(pathname.slice(PATHS.capsules.length + 1), corpus.newest) : [];
  if (ids.length > 0) return ids.map((id) => get(`Read the capsule "${id}".`, capsulePath(id)));
  const request = QueryRequest.parse({ query: words, kind: [...RESULT_KINDS], max_results: SUGGESTED_MAX, min_match: 'partial' });
  const found = await queryKnowledge(request, corpus, deployment.baseUrl);
  if (!found.ok) return [];
  const { match, meta } = found.value;
  // A word that is no word of the site may be read as any.
  if (match.level !== 'strong' && meta.interpretation.corrected.length > 0) return [];
  return found.value.results.map((result) => {
    const { pathname: page } = new URL(result.url);
    // The text of a paid capsule is sold, and has no markdown page.
    const { kind } = result as { readonly kind?: ResultKind };
    const title = kind === 'capsule' ? statedTitle(result) : result.title;
    return get(`Read "${title}".`, result.access === 'paid' ? page : pageMarkdownPath(page));
  });
}

function wordsOf(pathname: string): string {
  // The letters of what is not percent-encoded UTF-8 may still say something.
  const path = attempt(() => decodeURIComponent(pathname)) ?? pathname;
  const words = path
    .replace(/\.\w+$/, '')
    .split('/')
    .slice(-QUERY_SEGMENTS)
    .join(' ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return cutWhole(words, QUERY_MAX_LENGTH);
}
