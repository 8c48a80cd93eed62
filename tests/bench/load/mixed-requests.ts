import { LIST_PAGE_SIZE } from '../../../src/gateway/knowledge/capsule-lists/read-list.ts';
import { type ListConditions, listPath } from '../../../src/schemas/knowledge/capsule-lists.ts';
import type { BrowseItem, BrowseResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { EVIDENCE_LEVELS } from '../../../src/schemas/knowledge/kinds-and-levels.ts';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { capsuleApiPath, capsulePath, lineageApiPath, PATHS } from '../../../src/schemas/paths.ts';
import { below, oneOf, type Random, seededRandom } from '../../eval/random.ts';
import { addTypo } from '../../eval/typos.ts';
import { type LoadRequest, type RequestParts, rawRequest } from './http-connection.ts';

/** Shares of the mix in percent. */
const SHARES = { query: 80, capsule: 10, lineage: 5, register: 5 } as const;

export type MixRoute = keyof typeof SHARES;
export const MIX_ROUTES = Object.keys(SHARES) as MixRoute[];
export const COMPARED_ROUTES = ['query', 'capsule', 'page', 'lineage', 'browse', 'list'] as const;
export type LoadRoute = MixRoute | (typeof COMPARED_ROUTES)[number];

const isInMix = (route: LoadRoute): route is MixRoute => route in SHARES;

export const MIX_TEXT = MIX_ROUTES.map((route) => `${SHARES[route]} % ${route}`).join(', ');

export interface LoadClient {
  readonly host: string;
  readonly key: string;
}

const NETWORKS = 200;

/**
 * Requests of the mix, the same for the same seed and corpus: queries from titles and sentences of the corpus, some misspelt, pinned, with
 * filters, facets or a cursor, no two of them alike, since a repeated one is answered from memory; capsules in both forms; lineages; registrations, some with an idempotency key. Other routes only if named: pages
 * of capsules, and of their lists in HTML and JSON.
 *
 * @param routes Only these routes, in their shares.
 */
export function mixedRequests(
  corpus: LoadCorpus,
  client: LoadClient,
  count: number,
  seed: number,
  routes: readonly LoadRoute[] = MIX_ROUTES,
): LoadRequest[] {
  const random = seededRandom(seed);
  const wheel = routes.flatMap((route) => Array<LoadRoute>(isInMix(route) ? SHARES[route] : 1).fill(route));
  const asked = new Set<RequestParts['body']>();
  return Array.from({ length: count }, (_, turn) => {
    const route = oneOf(random, wheel);
    let made = partsOf(route, corpus, client, random, turn);
    if (route === 'query') while (asked.size === asked.add(made.body).size) made = partsOf(route, corpus, client, random, turn);
    const { headers, ...parts } = made;
    const bytes = rawRequest(client.host, { ...parts, headers: { 'CF-Connecting-IP': addressOf(below(random, NETWORKS)), ...headers } });
    return { route, bytes, statuses: [route === 'register' ? 201 : 200] };
  });
}

function addressOf(network: number): string {
  return `10.${network >> 8}.${network & 255}.1`;
}

function partsOf(route: LoadRoute, corpus: LoadCorpus, { key }: LoadClient, random: Random, turn: number): RequestParts {
  const capsule = oneOf(random, corpus.capsules);
  const { capsule_id: id } = capsule;
  switch (route) {
    case 'query':
      return {
        method: 'POST',
        path: `${PATHS.gateway}/query`,
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify(queryOf(corpus, random)),
      };
    case 'capsule':
      return { method: 'GET', path: capsuleApiPath(id), headers: { Accept: random() < 0.5 ? 'application/json' : 'text/markdown' } };
    case 'lineage':
      return { method: 'GET', path: lineageApiPath(id) };
    case 'page':
      return { method: 'GET', path: capsulePath(id), headers: { Accept: 'text/html' } };
    case 'browse':
      return { method: 'GET', path: `${PATHS.publicCapsules}/browse?${browseOf(corpus, random)}` };
    case 'list':
      return { method: 'GET', path: listOf(capsule, corpus, random), headers: { Accept: 'text/html' } };
    case 'register':
      return {
        method: 'POST',
        path: `${PATHS.gateway}/register`,
        // A fifth has an idempotency key: such a registration is stored in the database.
        ...(random() < 0.2 ? { headers: { 'Idempotency-Key': `load-${String(turn).padStart(24, '0')}` } } : {}),
        body: JSON.stringify({ agent_name: `load ${turn}`, platform: 'bench:load' }),
      };
  }
}

function queryOf({ capsules, corpusVersion, continued }: LoadCorpus, random: Random): object {
  const next = continued[below(random, Math.max(1, continued.length))];
  if (next !== undefined && random() < 0.1) return next;
  const capsule = oneOf(random, capsules);
  return {
    query: queryTextOf(capsule, capsules, random),
    max_results: oneOf(random, [3, 5, 5, 10, 10, 20]),
    ...(random() < 0.2 ? { corpus_version: corpusVersion } : {}),
    ...(random() < 0.2 ? { filters: filtersOf(capsule, random) } : {}),
    ...(random() < 0.05 ? { facets: ['type', 'tags'] } : {}),
  };
}

/** A title, a sentence, a few words of several capsules, or a misspelt title. */
function queryTextOf({ title, summary }: BrowseItem, capsules: readonly BrowseItem[], random: Random): string {
  const kind = random();
  if (kind < 0.3) return title;
  if (kind < 0.6) return summary.slice(0, 240);
  if (kind < 0.9) return Array.from({ length: 2 + below(random, 4) }, () => oneOf(random, wordsOf(oneOf(random, capsules)))).join(' ');
  return addTypo(title, random);
}

function filtersOf({ type, tags, evidence }: BrowseItem, random: Random): object {
  const [tag] = tags;
  const kinds: object[] = [
    { type },
    { min_evidence: oneOf(random, EVIDENCE_LEVELS.slice(0, EVIDENCE_LEVELS.indexOf(evidence) + 1)) },
    { language: 'en' },
    ...(tag === undefined ? [] : [{ tags: [tag] }, { tags_any: tags.slice(0, 3) }]),
  ];
  return oneOf(random, kinds);
}

const BROWSED = 20;

/** Some page of the whole list, the newest included. */
function browseOf({ cursors }: LoadCorpus, random: Random): URLSearchParams {
  const cursor = oneOf(random, ['', ...cursors]);
  return new URLSearchParams({ limit: `${BROWSED}`, ...(cursor === '' ? {} : { cursor }) });
}

/** Some page of all capsules from the newest on, the beginning of a list by one member of a capsule, or of one by two members. */
function listOf({ tags, type, evidence, language }: BrowseItem, { capsules }: LoadCorpus, random: Random): string {
  const kind = random();
  if (kind < 0.4) return listPath({ conditions: {}, sort: 'newest', page: 1 + below(random, Math.ceil(capsules.length / LIST_PAGE_SIZE)) });
  const [tag] = tags;
  const own: ListConditions[] = [{ type }, { evidence }, ...(tag === undefined ? [] : [{ tag }])];
  return listPath({ conditions: kind < 0.8 ? oneOf(random, own) : { type, language }, sort: 'title', page: 1 });
}

function wordsOf({ title, summary }: BrowseItem): string[] {
  return `${title} ${summary}`.match(/[\p{L}\p{N}-]{3,}/gu) ?? [title];
}

/** Networks of requests, besides the one that reaches its limit early; others reach theirs in a long load. */
const TURNS = 1_000;

/** One of so many oversized bodies is nearly the largest that is read to its end. */
const LARGEST_EVERY = 20;

/**
 * Refused requests with a body: without a key, with a wrong key, too large (up to eight times the limit, which is read to its end), not JSON,
 * and beyond the limit of one network.
 */
export function rejectedRequests(host: string): LoadRequest[] {
  const query = `${PATHS.gateway}/query`;
  const register = `${PATHS.gateway}/register`;
  const small = JSON.stringify({ query: 'x'.repeat(200) });
  const large = JSON.stringify({ agent_name: 'x'.repeat(LIMITS.bodyMaxBytes) });
  const largest = JSON.stringify({ agent_name: 'x'.repeat(8 * LIMITS.bodyMaxBytes - 100) });
  const refusal = (
    route: string,
    statuses: readonly number[],
    path: string,
    network: number,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): LoadRequest => ({
    route,
    statuses,
    bytes: rawRequest(host, { method: 'POST', path, body, headers: { 'CF-Connecting-IP': addressOf(network), ...headers } }),
  });
  // Each turn has its own network, except for the one that reaches its limit.
  return Array.from({ length: TURNS }, (_, turn) => [
    refusal('without a key', [401], query, turn, small),
    refusal('with a wrong key', [401], query, turn, small, { Authorization: 'Bearer akg_test_wrong' }),
    refusal('too large', [413, 429], register, turn, turn % LARGEST_EVERY === 0 ? largest : large),
    refusal('no JSON', [400, 429], register, turn, '{"agent_name":'),
    refusal('too often', [201, 429], register, TURNS, JSON.stringify({ agent_name: 'load' })),
  ]).flat();
}

/** A query whose response has a next page. */
export interface ContinuedQuery {
  readonly query: string;
  readonly max_results: number;
  readonly cursor: string;
}

/** The corpus of the service, from which requests are made. */
export interface LoadCorpus {
  readonly capsules: readonly BrowseItem[];
  readonly corpusVersion: string;
  readonly continued: readonly ContinuedQuery[];
  /** Cursors of the whole list of capsules, evenly spread over it. */
  readonly cursors: readonly string[];
}

const CONTINUED_QUERIES = 40;

export async function registerForLoad(address: string): Promise<string> {
  const body = JSON.stringify({ agent_name: 'load' });
  const { api_key } = await fetchJson<{ api_key: string }>(`${address}${PATHS.gateway}/register`, { method: 'POST', body });
  return api_key;
}

export async function readLoadCorpus(address: string, key: string): Promise<LoadCorpus> {
  const capsules: BrowseItem[] = [];
  const cursors: string[] = [];
  let corpusVersion: string;
  for (let cursor: string | null = ''; ; ) {
    const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: BrowseResponse = await fetchJson(`${address}${PATHS.publicCapsules}/browse?limit=${LIMITS.browseLimitMax}${more}`);
    capsules.push(...page.items);
    corpusVersion = page.corpus_version;
    cursor = page.page.next_cursor;
    if (cursor === null) break;
    cursors.push(cursor);
  }
  const continued: ContinuedQuery[] = [];
  for (const { title } of capsules.slice(0, CONTINUED_QUERIES)) {
    const request = { query: title, max_results: 5 };
    const { page } = await fetchJson<QueryResponse>(`${address}${PATHS.gateway}/query`, {
      method: 'POST',
      body: JSON.stringify(request),
      headers: { Authorization: `Bearer ${key}` },
    });
    if (page.next_cursor !== null) continued.push({ ...request, cursor: page.next_cursor });
  }
  return { capsules, corpusVersion, continued, cursors };
}

async function fetchJson<T>(
  address: string,
  init: { readonly method?: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<T> {
  const response = await fetch(address, { ...init, headers: { 'Content-Type': 'application/json', ...init.headers } });
  if (!response.ok) throw new Error(`${address} returned ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return (await response.json()) as T;
}
