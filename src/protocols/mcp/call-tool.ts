import * as z from 'zod';
import { capsuleResponse } from '../../gateway/knowledge/capsule-response.ts';
import { statedTitle, stateNote, stateOf } from '../../gateway/knowledge/capsule-state.ts';
import { withCorpus } from '../../gateway/knowledge/corpus.ts';
import { queryKnowledgeText } from '../../gateway/knowledge/query-knowledge.ts';
import { findCapsule } from '../../gateway/knowledge/read-capsule.ts';
import { verifyQuote } from '../../gateway/knowledge/verify-quote.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import type { Outcome, Route, RouteInput } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { readFileText } from '../../http/serve-file.ts';
import { validateInput } from '../../http/validate-input.ts';
import { plainMarkdown } from '../../publication/markdown/write-markup.ts';
import { queryOfSearch, type SearchResponse } from '../../schemas/knowledge/search.ts';
import { PATHS, pageMarkdownPath, pageOfSiteText } from '../../schemas/paths.ts';
import { Id } from '../../schemas/primitives.ts';
import {
  FetchArguments,
  type FetchedText,
  OffersArguments,
  OPERATION_TOOLS,
  type OperationToolName,
  SearchArguments,
  searchResults,
  VerifyQuoteArguments,
} from './knowledge-tools.ts';

/** The request over HTTP that carries the call. */
export type McpInput = RouteInput<unknown, unknown, unknown>;
type Arguments = Readonly<Record<string, unknown>>;
const NOTHING: z.ZodType = z.strictObject({});

/** Names of the members of an object schema. */
function shapeOf(schema: z.ZodType | undefined): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** JSON text of an object. */
type ToolResult = Result<string>;

/** Path of a page, such as `/buy/a-review`. */
const PAGE_PATH = /^(?:\/[a-z0-9_-]+)+$/;

/** Results of the tool search: what research agents read at once. */
const SEARCH_RESULTS = '10';

/** Calls a tool about knowledge or offers; `undefined` for another name. */
export async function callKnowledgeTool(
  name: string,
  args: Arguments,
  input: McpInput,
  routes: readonly Route[],
  deps: GatewayDependencies,
): Promise<ToolResult | undefined> {
  switch (name) {
    case 'search':
      return limited(SearchArguments, args, input, ({ query }) => search(query, input, deps));
    case 'fetch':
      return checked(FetchArguments, args, ({ id }) => fetchText(id, deps));
    case 'verify_quote':
      return checked(VerifyQuoteArguments, args, async ({ capsule_id: capsuleId, version, quote }) => {
        const check = await verifyQuote({ capsuleId, version, quote }, deps.corpus, deps.deployment.baseUrl, () => input.degrade('index'));
        return check.ok ? ok(JSON.stringify(check.value)) : check;
      });
    case 'offers':
      return deps.features.shop ? checked(OffersArguments, args, () => offers(deps)) : undefined;
    default: {
      if (!Object.hasOwn(OPERATION_TOOLS, name)) return undefined;
      const route = routes.find(({ id }) => id === OPERATION_TOOLS[name as OperationToolName]);
      return route && callOperation(route, args, input, deps);
    }
  }
}

async function checked<T>(schema: z.ZodType<T>, args: Arguments, run: (value: T) => Promise<ToolResult>): Promise<ToolResult> {
  const valid = validateInput(schema, args, 'body');
  return valid.ok ? run(valid.value) : valid;
}

async function limited<T>(
  schema: z.ZodType<T>,
  args: Arguments,
  input: McpInput,
  run: (value: T) => Promise<ToolResult>,
): Promise<ToolResult> {
  const allowance = await takeSearchAllowance(input);
  return allowance.ok ? checked(schema, args, run) : allowance;
}

/** Counts a search as over HTTP: against the limit of the key's agent, or of the network without a key. */
function takeSearchAllowance({ caller, takeRateLimit }: McpInput): Promise<Result<undefined>> {
  return takeRateLimit(caller === undefined ? 'search' : 'query');
}

async function search(query: string, { degrade }: McpInput, { corpus, deployment }: GatewayDependencies): Promise<ToolResult> {
  const request = queryOfSearch({ q: query, max_results: SEARCH_RESULTS });
  const found = await queryKnowledgeText(request, corpus, deployment, () => degrade('index'));
  if (!found.ok) return found;
  const { results } = JSON.parse(found.value) as SearchResponse;
  return ok(JSON.stringify(searchResults(results)));
}

async function fetchText(asked: string, deps: GatewayDependencies): Promise<ToolResult> {
  const { corpus, deployment } = deps;
  const path = asked.startsWith(`${deployment.baseUrl}/`) ? asked.slice(deployment.baseUrl.length) : asked;
  const id = path.startsWith(`${PATHS.capsules}/`) ? path.slice(PATHS.capsules.length + 1) : path;
  if (id.startsWith('/')) {
    const page = pageOfSiteText(id) ?? (PAGE_PATH.test(id) ? id : undefined);
    const text = page === undefined ? undefined : await readFileText(page === id ? pageMarkdownPath(id) : id, deps);
    if (page === undefined || text === undefined)
      return refuse('capsule_not_found', 'There is no text at this path. Take the id of a result of search, or the address of a page.');
    const title = /^# (.+)$/m.exec(text)?.[1] ?? id;
    return ok(JSON.stringify({ id: asked, title, text, url: deployment.baseUrl + page } satisfies FetchedText));
  }
  const valid = validateInput(Id, id, 'body');
  if (!valid.ok) return refuse('capsule_not_found', 'No text has this id. Take the id of a result of search.');
  return withCorpus(corpus, async () => {
    const found = await findCapsule(id, undefined, corpus.newest);
    if (!found.ok) return found;
    const { metadata, markdown, references } = found.value;
    // The text of a paid capsule is sold over HTTP; its summary is free.
    const { summary, links, version, evidence, license, updated, content_sha256 } = capsuleResponse(
      { metadata, markdown: markdown ?? '', references },
      deployment.baseUrl,
    );
    const facts = { version, ...stateOf(metadata), evidence, license, updated, content_sha256, summary };
    const note = stateNote(metadata);
    const text = `${note === '' ? '' : `> ${plainMarkdown(note)}\n\n`}${markdown ?? summary}`;
    return ok(JSON.stringify({ id: asked, title: statedTitle(metadata), text, url: links.page, metadata: facts } satisfies FetchedText));
  });
}

async function offers(deps: GatewayDependencies): Promise<ToolResult> {
  const text = await readFileText(PATHS.offersJson, deps);
  return text === undefined ? refuse('file_unavailable', 'The catalog could not be read.') : ok(text);
}

/** Runs an operation of the HTTP interface with arguments in place of path, query and body. */
async function callOperation(route: Route, args: Arguments, input: McpInput, deps: GatewayDependencies): Promise<ToolResult> {
  if (route.id === OPERATION_TOOLS.query) {
    const allowance = await takeSearchAllowance(input);
    if (!allowance.ok) return allowance;
  }
  const inPath = shapeOf(route.pathParameters);
  const path = validateInput(
    route.pathParameters ?? NOTHING,
    pick(args, (name) => inPath.includes(name)),
    'path',
  );
  if (!path.ok) return path;
  const rest = pick(args, (name) => !inPath.includes(name));
  // Parameters are text in a URL.
  const texts = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]));
  const query = route.queryParameters === undefined ? ok(undefined) : validateInput(route.queryParameters, texts, 'query');
  if (!query.ok) return query;
  const body = route.body === undefined ? ok(undefined) : validateInput(route.body, rest, 'body');
  if (!body.ok) return body;
  // A payment in a header is for the request over HTTP, whose response has the receipt.
  const call = {
    ...input,
    rawHeader: () => undefined,
    path: path.value,
    query: query.value,
    body: body.value,
    preferredType: 'application/json',
    isHead: false,
  };
  const outcome = await route.handle?.(call, deps);
  if (outcome === undefined) throw new TypeError(`route ${route.id} has no handler`);
  return outcome.ok ? textOf(outcome.value, deps) : outcome;
}

async function textOf(outcome: Outcome, deps: GatewayDependencies): Promise<ToolResult> {
  if (outcome.kind === 'json') return ok(JSON.stringify(outcome.value));
  if (outcome.kind === 'text') return ok(outcome.body);
  if (outcome.kind !== 'document') throw new TypeError(`a tool cannot return ${outcome.kind}`);
  const { document } = outcome;
  const text = 'body' in document ? document.body : await readFileText(document.file, deps);
  return text === undefined ? refuse('file_unavailable', 'The document could not be read.') : ok(text);
}

function pick(args: Arguments, isWanted: (name: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([name]) => isWanted(name)));
}
