import { statedTitle } from '../gateway/knowledge/capsule-state.ts';
import { nearestCapsules, SUGGESTED_MAX } from '../gateway/knowledge/nearest-capsules.ts';
import { queryKnowledge } from '../gateway/knowledge/query-knowledge.ts';
import { get, type NextStep } from '../gateway/next-steps.ts';
import type { Refusal } from '../gateway/result.ts';
import { QueryRequest } from '../schemas/knowledge/query.ts';
import { RESULT_KINDS, type ResultKind } from '../schemas/knowledge/site-texts.ts';
import { capsulePath, PATHS, pageMarkdownPath } from '../schemas/paths.ts';
import { cutWhole } from '../search/analysis/tokenise.ts';
import { nearestName } from '../search/format/spelling.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { logError, type RequestContext } from './request-context.ts';

/** Segments at the end of a path that become the query. */
const QUERY_SEGMENTS = 2;

/** Paths that files can have. */
const PLAIN_PATH = /^\/(?:[\w~-]+\/)*[\w.~-]*$/;

/** Longest query, in UTF-16 code units. */
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

/** Where all pages are listed. */
const INDEXES = [get('Read the index of the site for language models.', PATHS.llmsTxt), get('List all pages.', PATHS.sitemapMd)];

/**
 * The refusal of a path without a page, with what it may mean as first steps: a document or page of nearly this address, or else a capsule with
 * nearly this id, or what a search for the words of the path finds. It counts as a search of the caller's network; beyond that limit, and in an outage, only the lists of all pages are
 * named.
 */
export async function withNearestPages(refusal: Refusal, context: RequestContext, deps: GatewayDependencies): Promise<Refusal> {
  const { pathname } = context.url;
  if (refusal.code !== 'route_not_found' || context.isPart) return refusal;
  const meant = documentAt(pathname, documentPaths(deps)) ?? (await pageAt(pathname, context, deps));
  if (meant !== undefined)
    return { ...refusal, nextActions: [get(`Read ${meant}.`, meant), ...INDEXES.filter(({ path }) => path !== meant)] };
  const words = wordsOf(pathname);
  const mayRead = words !== '' && (await context.takeRateLimit('search')).ok;
  const near = mayRead ? await nearestPages(pathname, words, deps).catch((error: unknown) => logError(error, context.requestId)) : [];
  return { ...refusal, nextActions: [...(near ?? []), ...INDEXES] };
}

/** Addresses of the documents of this deployment, which the build lists; none before it has. */
function documentPaths({ documents }: GatewayDependencies): readonly string[] {
  const list = documents[DOCUMENT_PATHS];
  return list !== undefined && 'body' in list ? (JSON.parse(list.body) as string[]) : [];
}

/** The document that a path most likely means: in another letter case, in another folder, under another name, or misspelt. */
function documentAt(pathname: string, documents: readonly string[]): string | undefined {
  const path = pathname.toLowerCase();
  const nameOf = (address: string): string => address.slice(address.lastIndexOf('/') + 1);
  const named = (name: string) => documents.find((document) => name !== 'index.json' && nameOf(document).toLowerCase() === name);
  const isBelowFolders = path.split('/').length > 3;
  const other = Object.hasOwn(OTHER_NAMES, nameOf(path)) ? OTHER_NAMES[nameOf(path)] : undefined;
  const exact = documents.find((document) => document.toLowerCase() === path);
  // The name of a document in a folder of pages may be the name of one of them.
  return exact ?? (isBelowFolders ? undefined : (named(nameOf(path)) ?? other ?? nearestName(path, documents)));
}

/** The page that a path means in lower case, or of the folder whose file it names; markdown where the path asks for that. */
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

async function nearestPages(pathname: string, words: string, { corpus, deployment }: GatewayDependencies): Promise<NextStep[]> {
  const isOfCapsule = pathname.startsWith(`${PATHS.capsules}/`);
  const ids = isOfCapsule ? await nearestCapsules(pathname.slice(PATHS.capsules.length + 1), corpus.newest) : [];
  if (ids.length > 0) return ids.map((id) => get(`Read the capsule "${id}".`, capsulePath(id)));
  const request = QueryRequest.parse({ query: words, kind: [...RESULT_KINDS], max_results: SUGGESTED_MAX });
  const found = await queryKnowledge(request, corpus, deployment.baseUrl);
  if (!found.ok) return [];
  return found.value.results.map((result) => {
    const { pathname: page } = new URL(result.url);
    // The text of a paid capsule is sold, and has no markdown page.
    const { kind } = result as { readonly kind?: ResultKind };
    return get(
      `Read "${kind === 'capsule' ? statedTitle(result) : result.title}".`,
      result.access === 'paid' ? page : pageMarkdownPath(page),
    );
  });
}

/** The words of a path, as a query: `/docs/Quick_start.md` as `docs quick start`. */
function wordsOf(pathname: string): string {
  let path = pathname;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    // Not percent-encoded UTF-8: its letters may still say something.
  }
  const words = path
    .replace(/\.\w+$/, '')
    .split('/')
    .slice(-QUERY_SEGMENTS)
    .join(' ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return cutWhole(words, QUERY_MAX_LENGTH);
}
