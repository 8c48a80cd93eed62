import type { BrowseItem, BrowseResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';

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
