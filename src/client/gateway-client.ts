import type * as z from 'zod';
import type { Source } from '../provenance/bytes-and-sha256.ts';
import { type Proof, toText, type Verdict } from '../provenance/verify/verification-types.ts';
import { verify } from '../provenance/verify/verify.ts';
import type { Registration, RegistrationRequest } from '../schemas/agents.ts';
import type { Capsule } from '../schemas/knowledge/capsule.ts';
import type { BrowseItem, BrowseParameters, BrowseResponse } from '../schemas/knowledge/corpus-responses.ts';
import type { Lineage } from '../schemas/knowledge/lineage.ts';
import type { QueryRequest, QueryResponse, QueryResult } from '../schemas/knowledge/query.ts';
import type { SearchParameters, SearchResponse, SiteResult } from '../schemas/knowledge/search.ts';
import type { Problem } from '../schemas/problem-details.ts';
import { OPERATIONS } from './operations.ts';

export type { Check, Verdict } from '../provenance/verify/verification-types.ts';
export { verify } from '../provenance/verify/verify.ts';

/** An error with the members of a problem document. */
const ProblemError = Error as unknown as new (message: string) => Error & Readonly<Problem>;

/** A refused request, with the members of its problem document (RFC 9457): `code` is permanent, `next_actions` say what to do. */
export class GatewayError extends ProblemError {
  override readonly name = 'GatewayError';

  constructor(problem: Problem) {
    super(problem.detail);
    Object.assign(this, problem);
  }
}

export type Query = z.input<typeof QueryRequest>;
/** A query that names no kind finds capsules only. */
export type CapsuleQuery = Query & { readonly kind?: undefined };

export type Search = SearchParameters;
export type Browse = BrowseParameters;

export interface GatewayOptions extends Partial<RequestSettings> {
  /** API key of an agent that is registered. Without one, the first query registers an agent. */
  readonly apiKey?: string;
  /** Name under which the first query registers an agent. */
  readonly agentName?: string;
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
  lineage(id: string): Promise<Lineage>;
  browse(parameters?: Browse): Promise<BrowseResponse>;
  capsules(parameters?: Browse): AsyncGenerator<BrowseItem, void, undefined>;
  /** Registers an agent, whose key this client uses from then on. */
  register(request: RegistrationRequest): Promise<Registration>;
  /**
   * Verifies an answer, a capsule or a lineage with WebCrypto. `exit` of the verdict is 0 if no check failed. Lineages and texts that the
   * evidence lacks are read from the site; with all of them nothing is requested.
   */
  verify(document: VerifiableDocument, evidence?: Evidence): Promise<Verdict>;
}

/** A client of the gateway of the site at `baseUrl`. */
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

/** The items of all pages. An empty page ends them: the next item exceeds the token budget of the request, and older services repeat the page. */
async function* itemsOf<P extends Pick<QueryResponse, 'page'>, T>(
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

interface RequestSettings {
  /** Sends a request; the global `fetch` by default. */
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  /** Waits before a request is repeated, until the signal is aborted; a timer by default. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<unknown>;
  /** The time, in milliseconds since the epoch; that of the machine by default. */
  readonly nowMs: () => number;
  /** How often a request is repeated; 3 by default. */
  readonly retriesMax: number;
  /** Longest wait before a request is repeated; where the service names a longer one, its error is thrown at once. 30 seconds by default. */
  readonly waitMaxMs: number;
  /** Ends requests and waits once it is aborted; what waits throws its reason. */
  readonly signal?: AbortSignal;
}

/** First wait after a lost connection; it doubles each time. */
const FIRST_WAIT_MS = 500;

const DEFAULT_SETTINGS: RequestSettings = {
  fetch: (url, init) => fetch(url, init),
  sleep: (ms, signal) =>
    new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
    }),
  nowMs: () => Date.now(),
  retriesMax: 3,
  waitMaxMs: 30_000,
};

/** Sends a request that is safe to repeat, and repeats it after a lost connection, 429 or 503 (RFC 9110, section 10.2.3). */
async function sendRequest(url: URL, init: RequestInit, settings: RequestSettings): Promise<Uint8Array> {
  const { signal } = settings;
  for (let sent = 0; ; sent += 1) {
    let response: Response | undefined;
    let fault: unknown;
    let waitMs = FIRST_WAIT_MS * 2 ** sent;
    try {
      response = await settings.fetch(url, { ...init, ...(signal && { signal }) });
      const body = new Uint8Array(await response.arrayBuffer());
      if (response.ok) return body;
      fault = errorOf(response, new TextDecoder().decode(body));
      waitMs = retryAfterMs(response, settings.nowMs());
    } catch (error) {
      fault = error;
    }
    if (signal?.aborted || sent >= settings.retriesMax || !(waitMs <= settings.waitMaxMs)) throw fault;
    await settings.sleep(waitMs, signal);
  }
}

/** The wait that a response names, in seconds or as a date; `NaN` if it names none. */
function retryAfterMs({ status, headers }: Response, nowMs: number): number {
  const value = (status === 429 || status === 503) && headers.get('Retry-After');
  if (!value) return Number.NaN;
  return /^\d+$/.test(value) ? Number(value) * 1_000 : Math.max(0, Date.parse(value) - nowMs);
}

/** What can be verified: an answer with all members of its results, a capsule, or a lineage. */
export type VerifiableDocument = QueryResponse | SearchResponse | Capsule | Lineage;

/** What a document is verified against; what is missing of lineages and texts is read from the site. */
export type Evidence = Partial<Omit<Proof, 'document' | 'kind' | 'parts'>>;

interface EvidenceReader {
  readonly lineage: (id: string) => Promise<Lineage>;
  /** Bytes at a root-relative address. */
  readonly text: (path: string) => Promise<Source>;
}

/**
 * Verifies a document as `/verify.js` does: quotes and texts by the records in the lineages; those of guides, offers and errors, which have none,
 * by the digest in the result. Signatures are checked if `trust` has the keys of the publisher.
 */
async function verifyDocument(
  document: VerifiableDocument,
  evidence: Evidence & Pick<Proof, 'now'>,
  read: EvidenceReader,
): Promise<Verdict> {
  const lineages: Record<string, Source> = { ...evidence.lineages };
  const texts: Record<string, Source> = { ...evidence.texts };
  const textAt = async (path: string): Promise<Source> => {
    const text = texts[path] ?? (await read.text(path));
    texts[path] = text;
    return text;
  };
  const results = 'results' in document ? document.results : [];
  const capsules = results.filter((result) => result.kind === 'capsule') as QueryResult[];
  const others = results.filter((result) => result.kind !== 'capsule') as SiteResult[];

  const readEvidence = async ({ capsule_id, version, access }: QueryResult | Capsule): Promise<void> => {
    const lineage = lineages[capsule_id] ?? JSON.stringify(await read.lineage(capsule_id));
    lineages[capsule_id] = lineage;
    const { versions } = JSON.parse(toText(lineage)) as Lineage;
    const record = versions.find((link) => link.record.version === version)?.record;
    if ('results' in document && access !== 'paid' && record) await textAt(record.canonical);
  };
  await Promise.all(('capsule_id' in document ? [document] : capsules).map(readEvidence));

  await Promise.all(others.map(({ markdown_url: address }) => textAt(new URL(address).pathname)));
  return verify({ ...evidence, document: JSON.stringify(document), lineages, texts });
}

/** The error of a response; one that something else than the gateway sent has the type `about:blank` (section 4.2.1) and no code. */
function errorOf({ status, statusText, url }: Response, text: string): GatewayError {
  const unknown: Problem = {
    type: 'about:blank',
    title: statusText,
    status,
    detail: `${url} responded with status ${status}`,
    instance: url,
    code: '',
    request_id: '',
    next_actions: [],
  };
  try {
    return new GatewayError({ ...unknown, ...(JSON.parse(text) as Partial<Problem>) });
  } catch {
    return new GatewayError(unknown);
  }
}
