import type * as z from 'zod';
import type { Source } from '../provenance/bytes.ts';
import type { Verdict } from '../provenance/verify/checks.ts';
import type { Registration, RegistrationRequest } from '../schemas/agents/registration.ts';
import type { Capsule } from '../schemas/knowledge/capsule.ts';
import type { BrowseItem, BrowseParameters, BrowseResponse } from '../schemas/knowledge/corpus-responses.ts';
import type { Lineage } from '../schemas/knowledge/lineage.ts';
import type { Page, QueryRequest, QueryResponse, QueryResult } from '../schemas/knowledge/query.ts';
import type { SearchParameters, SearchResponse } from '../schemas/knowledge/search.ts';
import { OPERATIONS } from './operations.ts';
import { DEFAULT_SETTINGS, type RequestSettings, sendRequest } from './send-request.ts';
import { type Evidence, type VerifiableDocument, verifyDocument } from './verify-document.ts';

export type { Check, Verdict } from '../provenance/verify/checks.ts';
export { verify } from '../provenance/verify/verify.ts';
export { GatewayError } from './gateway-error.ts';
export type { Evidence, VerifiableDocument } from './verify-document.ts';

/** A query before its defaults. */
export type Query = z.input<typeof QueryRequest>;
/** A query that names no kind finds capsules only. */
export type CapsuleQuery = Query & { readonly kind?: undefined };

/** Parameters of a URL: their texts, and numbers for those that are numbers. */
type Parameters<T> = { readonly [Name in keyof T]: T[Name] | (string extends T[Name] ? number : never) };
export type Search = Parameters<SearchParameters>;
export type Browse = Parameters<BrowseParameters>;

/** Settings of a client. */
export interface GatewayOptions extends Partial<RequestSettings> {
  /** API key of an agent that is registered. Without one, the first query registers an agent. */
  readonly apiKey?: string;
  /** Name under which the first query registers an agent. */
  readonly agentName?: string;
}

/** A page of a list, as the API sends it. */
interface ListPage {
  readonly page: Page;
}

/** Operations of a gateway. Every one throws a {@link GatewayError} if it is refused, after the retries that the refusal allows. */
export interface Gateway {
  /** Searches capsules, or the kinds that the request names, with a key. */
  query(request: CapsuleQuery): Promise<QueryResponse>;
  query(request: Query): Promise<SearchResponse>;
  /** All results of a query, page by page. */
  results(request: CapsuleQuery): AsyncGenerator<QueryResult, void, undefined>;
  results(request: Query): AsyncGenerator<SearchResponse['results'][number], void, undefined>;
  /** Searches everything without a key. */
  search(parameters: Search): Promise<SearchResponse>;
  /** A capsule; its newest version by default. */
  capsule(id: string, version?: string): Promise<Capsule>;
  /** Lineage of a capsule. */
  lineage(id: string): Promise<Lineage>;
  /** A page of the list of capsules. */
  browse(parameters?: Browse): Promise<BrowseResponse>;
  /** All capsules of the list, page by page. */
  capsules(parameters?: Browse): AsyncGenerator<BrowseItem, void, undefined>;
  /** Registers an agent, whose key this client uses from then on. */
  register(request: RegistrationRequest): Promise<Registration>;
  /**
   * Verifies an answer, a capsule or a lineage with WebCrypto. `exit` of the verdict is 0 if no check failed. Lineages and texts that the
   * evidence lacks are read from the site; with all of them nothing is requested.
   */
  verify(document: VerifiableDocument, evidence?: Evidence): Promise<Verdict>;
}

/**
 * A client of the gateway of a site.
 *
 * @param baseUrl Address of the site.
 */
export function gateway(baseUrl: string | URL, options: GatewayOptions = {}): Gateway {
  const { apiKey, agentName = 'agent-knowledge-gateway client', ...settings } = options;
  const requests: RequestSettings = { ...DEFAULT_SETTINGS, ...settings };
  let key: Promise<string> | undefined = apiKey === undefined ? undefined : Promise.resolve(apiKey);

  const readBytes = (path: string): Promise<Source> => {
    const url = new URL(path, baseUrl);
    if (url.origin !== new URL(baseUrl).origin) throw new Error(`${path} leads to another site`);
    return sendRequest(url, {}, requests);
  };

  const call = async <T>(
    { method, path }: (typeof OPERATIONS)[keyof typeof OPERATIONS],
    { id = '', parameters = {}, ...init }: { id?: string; parameters?: object; headers?: Record<string, string>; body?: string } = {},
  ): Promise<T> => {
    const url = new URL(path.replace(/\{\w+\}/, encodeURIComponent(id)), baseUrl);
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = { Accept: 'application/json', ...(init.body ? { 'Content-Type': 'application/json' } : {}), ...init.headers };
    return JSON.parse(new TextDecoder().decode(await sendRequest(url, { ...init, method, headers }, requests))) as T;
  };

  const register = async (request: RegistrationRequest): Promise<Registration> => {
    // Each registration has a key of its own, so that a retry after a lost response does not register a second agent.
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const registration = await call<Registration>(OPERATIONS.register, { headers, body: JSON.stringify(request) });
    key = Promise.resolve(registration.api_key);
    return registration;
  };

  const keyOfAgent = (): Promise<string> => {
    key ??= register({ agent_name: agentName }).then(
      ({ api_key }) => api_key,
      (error) => {
        key = undefined;
        throw error;
      },
    );
    return key;
  };

  const query = (async (request: Query) =>
    call(OPERATIONS.query, {
      headers: { Authorization: `Bearer ${await keyOfAgent()}` },
      body: JSON.stringify(request),
    })) as Gateway['query'];
  const browse = (parameters: Browse = {}): Promise<BrowseResponse> => call(OPERATIONS.browse, { parameters });
  const lineage = (id: string): Promise<Lineage> => call(OPERATIONS.lineage, { id });

  return {
    query,
    results: ((request: Query) =>
      itemsOf(
        (cursor) => query({ ...request, ...cursor }),
        ({ results }) => results,
      )) as Gateway['results'],
    search: (parameters) => call(OPERATIONS.search, { parameters }),
    capsule: (id, version) => call(OPERATIONS.capsule, { id, parameters: { version } }),
    lineage,
    browse,
    capsules: (parameters) =>
      itemsOf(
        (cursor) => browse({ ...parameters, ...cursor }),
        ({ items }) => items,
      ),
    register,
    verify: (document, evidence) => {
      const now = `${new Date(requests.nowMs()).toISOString().slice(0, 19)}Z`;
      return verifyDocument(document, { now, ...evidence }, { lineage, text: readBytes });
    },
  };
}

/** The items of all pages. An empty page ends them: its cursor repeats the page, whose next item exceeds the token budget of the request. */
async function* itemsOf<P extends ListPage, T>(
  read: (cursor: { cursor?: string }) => Promise<P>,
  select: (page: P) => readonly T[],
): AsyncGenerator<T, void, undefined> {
  let next: string | null | undefined;
  do {
    const list = await read(next ? { cursor: next } : {});
    const items = select(list);
    yield* items;
    next = items.length > 0 ? list.page.next_cursor : null;
  } while (next);
}
