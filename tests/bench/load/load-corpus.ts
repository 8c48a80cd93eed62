import type { BrowseItem, BrowseResponse } from '../../../src/schemas/knowledge/corpus-lists.ts';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';

/** A query whose answer has a further page. */
export interface ContinuedQuery {
  readonly query: string;
  readonly max_results: number;
  readonly cursor: string;
}

/** What requests are made of: what the service itself says of its corpus. */
export interface LoadCorpus {
  readonly capsules: readonly BrowseItem[];
  readonly corpusVersion: string;
  readonly continued: readonly ContinuedQuery[];
}

/** Titles that are asked for the cursors of their further pages. */
const CONTINUED_QUERIES = 40;

/** Registers an agent and gives its key. */
export async function registerForLoad(address: string): Promise<string> {
  const body = JSON.stringify({ agent_name: 'load' });
  const { api_key } = await askJson<{ api_key: string }>(`${address}${PATHS.gateway}/register`, { method: 'POST', body });
  return api_key;
}

/** Reads the list of capsules, and some cursors, with a key. */
export async function readLoadCorpus(address: string, key: string): Promise<LoadCorpus> {
  const capsules: BrowseItem[] = [];
  let corpusVersion: string;
  for (let cursor: string | null = ''; ; ) {
    const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: BrowseResponse = await askJson(`${address}${PATHS.publicCapsules}/browse?limit=${LIMITS.browseLimitMax}${more}`);
    capsules.push(...page.items);
    corpusVersion = page.corpus_version;
    cursor = page.page.next_cursor;
    if (cursor === null) break;
  }
  const continued: ContinuedQuery[] = [];
  for (const { title } of capsules.slice(0, CONTINUED_QUERIES)) {
    const asked = { query: title, max_results: 5 };
    const { page } = await askJson<QueryResponse>(`${address}${PATHS.gateway}/query`, {
      method: 'POST',
      body: JSON.stringify(asked),
      headers: { Authorization: `Bearer ${key}` },
    });
    if (page.next_cursor !== null) continued.push({ ...asked, cursor: page.next_cursor });
  }
  return { capsules, corpusVersion, continued };
}

async function askJson<T>(
  address: string,
  init: { readonly method?: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<T> {
  const response = await fetch(address, { ...init, headers: { 'Content-Type': 'application/json', ...init.headers } });
  if (!response.ok) throw new Error(`${address} was answered with ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return (await response.json()) as T;
}
