import { nearestCapsules, SUGGESTED_MAX } from '../gateway/knowledge/nearest-capsules.ts';
import { queryKnowledge } from '../gateway/knowledge/query-knowledge.ts';
import { get, type NextStep } from '../gateway/next-steps.ts';
import type { Refusal } from '../gateway/result.ts';
import { QueryRequest } from '../schemas/knowledge/query.ts';
import { RESULT_KINDS } from '../schemas/knowledge/site-texts.ts';
import { capsulePath, PATHS, pageMarkdownPath } from '../schemas/paths.ts';
import { cutWhole } from '../search/analysis/fold-word.ts';
import { KEY_IN_TEXT } from './authenticate.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { logError, type RequestContext } from './request-context.ts';

/** Segments at the end of a path that become the query. */
const QUERY_SEGMENTS = 2;

/** Longest query, in UTF-16 code units. */
const QUERY_MAX_LENGTH = 100;

/** Where all pages are listed. */
const INDEXES = [get('Read the index of the site for language models.', PATHS.llmsTxt), get('List all pages.', PATHS.sitemapMd)];

/**
 * The refusal of a path without a page, with the pages that it may mean as first steps: a capsule with nearly this id, or what a search for the
 * words of the path finds. It counts as a search of the caller's network; beyond that limit, and in an outage, only the lists of all pages are
 * named.
 */
export async function withNearestPages(refusal: Refusal, context: RequestContext, deps: GatewayDependencies): Promise<Refusal> {
  const { pathname } = context.url;
  if (refusal.code !== 'route_not_found' || context.isPart) return refusal;
  const words = KEY_IN_TEXT.test(pathname) ? '' : wordsOf(pathname);
  const mayRead = words !== '' && (await context.takeRateLimit('search')).ok;
  const near = mayRead ? await nearestPages(pathname, words, deps).catch((error: unknown) => logError(error, context.requestId)) : [];
  return { ...refusal, nextActions: [...(near ?? []), ...INDEXES] };
}

async function nearestPages(pathname: string, words: string, { corpus, deployment }: GatewayDependencies): Promise<NextStep[]> {
  const isOfCapsule = pathname.startsWith(`${PATHS.capsules}/`);
  const ids = isOfCapsule ? await nearestCapsules(pathname.slice(PATHS.capsules.length + 1), corpus.newest) : [];
  if (ids.length > 0) return ids.map((id) => get(`Read the capsule "${id}".`, capsulePath(id)));
  const request = QueryRequest.parse({ query: words, kind: [...RESULT_KINDS], max_results: SUGGESTED_MAX });
  const found = await queryKnowledge(request, corpus, deployment.baseUrl);
  if (!found.ok) return [];
  return found.value.results.map(({ title, url, access }) => {
    const { pathname: page } = new URL(url);
    // The text of a paid capsule is sold, and has no markdown page.
    return get(`Read "${title}".`, access === 'paid' ? page : pageMarkdownPath(page));
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
