import type * as z from 'zod';
import { dayOf } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { browseCapsules } from '../../gateway/knowledge/browse-capsules.ts';
import { queryKnowledgeText } from '../../gateway/knowledge/query-knowledge.ts';
import { offerMembers } from '../../gateway/knowledge/site-result-renderer.ts';
import { ok, type Result } from '../../gateway/result.ts';
import { checkoutDependencies } from '../../http/checkout-dependencies.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { validateInput } from '../../http/validate-input.ts';
import { availabilityOf, hasPrice } from '../../schemas/commerce/offers.ts';
import { BrowseParameters } from '../../schemas/knowledge/corpus-responses.ts';
import { QueryRequest } from '../../schemas/knowledge/query.ts';
import { queryOfSearch, type SearchResponse } from '../../schemas/knowledge/search.ts';
import { buyPath } from '../../schemas/paths.ts';
import { createUcpCheckout, readUcpCheckout } from '../ucp/checkouts.ts';
import type { UcpCheckout } from '../ucp/schemas/checkout.ts';
import { fetchText, verifyQuoteIn } from './find-text.ts';
import {
  CHECKOUT_TOOL,
  CheckoutArguments,
  FetchArguments,
  OffersArguments,
  SearchArguments,
  searchResults,
  sellsByCheckout,
  siteTextId,
  termsOf,
  VerifyQuoteArguments,
} from './knowledge-tools.ts';
import type { McpInput } from './mcp-route.ts';

type Arguments = Readonly<Record<string, unknown>>;
type ToolResult = Result<object>;

/** Results of the tool search, and the longest quote of each in UTF-16 code units: what a model reads at once. The tool query gives more. */
const SEARCH_RESULTS = '5';
const SEARCH_QUOTE_LENGTH = '360';

/** Whether a checkout session of this deployment can be opened and paid. */
export function canCheckOut(input: McpInput, deps: GatewayDependencies): boolean {
  return sellsByCheckout(deps.deployment) && checkoutDependencies(deps, input).ok;
}

/** Calls a tool; `undefined` for an unknown name. The result is an object that is sent as JSON text. */
export async function callTool(name: string, args: Arguments, input: McpInput, deps: GatewayDependencies): Promise<ToolResult | undefined> {
  const degraded = () => input.degrade('index');
  const { corpus, deployment } = deps;
  switch (name) {
    case 'search':
      return checked(SearchArguments, args, async ({ query }) => {
        const request = queryOfSearch({ q: query, max_results: SEARCH_RESULTS, quote_length: SEARCH_QUOTE_LENGTH });
        const found = await counted(input, () => queryKnowledgeText(request, corpus, deployment, degraded));
        return found.ok ? ok(searchResults((JSON.parse(found.value) as SearchResponse).results)) : found;
      });
    case 'fetch':
      return checked(FetchArguments, args, (fetched) => fetchText(fetched, input, deps));
    case 'verify_quote':
      return checked(VerifyQuoteArguments, args, (quotation) => verifyQuoteIn(quotation, input, deps));
    case 'query':
      return checked(QueryRequest, args, async (request) => {
        const found = await counted(input, () => queryKnowledgeText(request, corpus, deployment, degraded));
        return found.ok ? ok(queryResponse(JSON.parse(found.value) as SearchResponse, request.fields !== undefined)) : found;
      });
    case 'browse':
      // A parameter of a URL is a text.
      return checked(
        BrowseParameters,
        typeof args['limit'] === 'number' ? { ...args, limit: String(args['limit']) } : args,
        async (list) => {
          const found = await browseCapsules(list, corpus, deployment.baseUrl, degraded);
          return found.ok ? ok({ ...found.value, items: found.value.items.map(inBrief) }) : found;
        },
      );
    case 'offers':
      return deps.features.shop ? checked(OffersArguments, args, async () => offers(deps)) : undefined;
    case CHECKOUT_TOOL:
      return canCheckOut(input, deps) ? checked(CheckoutArguments, args, (order) => checkout(order, input, deps)) : undefined;
    default:
      return undefined;
  }
}

async function checked<T>(schema: z.ZodType<T>, args: Arguments, run: (value: T) => Promise<ToolResult>): Promise<ToolResult> {
  const valid = validateInput(schema, args, 'arguments');
  return valid.ok ? run(valid.value) : valid;
}

/** Counts a search as over HTTP: against the limit of the key's agent, or of the network without a key. */
async function counted<T>({ caller, takeRateLimit }: McpInput, run: () => Promise<Result<T>>): Promise<Result<T>> {
  const allowance = await takeRateLimit(caller === undefined ? 'search' : 'query');
  return allowance.ok ? run() : allowance;
}

/** Members for programs that read over HTTP or compute digests; a query names them in `fields` to get them, `fetch` has them as details. */
const OF_PROGRAMS: readonly string[] = [
  ...['score', 'highlights', 'content_sha256', 'markdown_url', 'paid_url', 'json_url', 'lineage_url', 'related_url'],
  ...['created', 'words', 'access', 'buy_url'],
];

function inBrief(item: object): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !OF_PROGRAMS.includes(name)));
}

/** The response to a query, with ids that `fetch` takes, without what only programs read. */
function queryResponse({ results, meta, ...response }: SearchResponse, hasFields: boolean): object {
  const { applied: _applied, other_kinds: others, ...rest } = meta;
  return {
    ...response,
    results: results.map((result) => {
      const named = result.kind === 'capsule' ? result : { ...result, id: siteTextId(result) };
      return hasFields ? named : inBrief(named);
    }),
    meta: { ...rest, ...(others === undefined ? {} : { other_kinds: others.map((other) => ({ ...other, id: siteTextId(other) })) }) },
  };
}

/** The catalog of today as a model reads it: each offer once, with its terms, without routes of the site. */
function offers({ deployment, clock }: GatewayDependencies): ToolResult {
  const { offers: priced, quoteOnlyOffers = [], baseUrl, catalogUpdatedAt } = deployment;
  const today = dayOf(clock.nowMs());
  return ok({
    currency: 'USD',
    updated_at: catalogUpdatedAt,
    offers: [...priced, ...quoteOnlyOffers].map((offer) => {
      const { id, name, summary, demo } = offer;
      const { available: _, ...terms } = termsOf(offerMembers(id, deployment, baseUrl));
      return {
        ...{ id, name, description: summary, ...terms, url: baseUrl + buyPath(id) },
        ...(hasPrice(offer) ? { availability: availabilityOf(offer, today), ...(demo ? {} : { checkout_url: offer.checkoutUrl }) } : {}),
      };
    }),
  });
}

/** Opens a checkout session, or reads one. */
async function checkout(
  { items = [], checkout_id: id, currency, challenge_solution: solution }: z.infer<typeof CheckoutArguments>,
  input: McpInput,
  deps: GatewayDependencies,
): Promise<ToolResult> {
  const allowance = await input.takeRateLimit('buy');
  if (!allowance.ok) return allowance;
  const dependencies = checkoutDependencies(deps, input);
  if (!dependencies.ok) return dependencies;
  if (solution !== undefined) input.useChallengeSolution(solution);
  const body = {
    line_items: items.map(({ id: offer, quantity }) => ({ item: { id: offer }, quantity })),
    ...(currency === undefined ? {} : { currency }),
  };
  const session =
    id === undefined
      ? await createUcpCheckout(body, { profile: '', idempotencyKey: undefined, sentBody: body }, dependencies.value)
      : await readUcpCheckout(id, dependencies.value);
  if (!session.ok) return session;
  // A refusal that UCP reports as an outcome.
  if (session.value.refusal !== undefined) return { ok: false, refusal: session.value.refusal };
  const written = JSON.parse(session.value.body) as UcpCheckout;
  return ok({
    checkout_id: written.id,
    status: written.status,
    total_minor: written.totals.at(-1)?.amount,
    currency: written.currency,
    pay_url: written.continue_url,
    expires_at: written.expires_at,
    order_url: written.order?.permalink_url,
    notes: written.messages?.map(({ content }) => content),
  });
}
