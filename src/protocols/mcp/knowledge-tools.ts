import * as z from 'zod';
import { statedTitle, stateOf } from '../../gateway/knowledge/capsule-status-sentences.ts';
import type { OfferMembers } from '../../gateway/knowledge/render-site-result.ts';
import { availabilityOf } from '../../schemas/commerce/currency-and-availability.ts';
import { deployedFeatures, type Features } from '../../schemas/feature-switches.ts';
import { inlineSchema, type JsonObject } from '../../schemas/json-schema.ts';
import { BrowseParameters } from '../../schemas/knowledge/corpus-responses.ts';
import { QueryRequest, queryText } from '../../schemas/knowledge/query.ts';
import { quotation } from '../../schemas/knowledge/quote-check.ts';
import type { SiteKind } from '../../schemas/knowledge/result-kinds.ts';
import type { SearchResponse } from '../../schemas/knowledge/search.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS, pageOfSiteText, siteTextPath } from '../../schemas/paths.ts';
import { Cursor, Id, Version } from '../../schemas/primitives.ts';

/** An id that a tool gave: of a capsule, perhaps with a version, of any other text, or the address of a page. */
const textId = () => z.string('must be the id of a text, or the address of its page').min(1).max(LIMITS.urlMaxLength);

export const SearchArguments = z.strictObject({ query: queryText().describe('The question, or keywords.') });

export const FetchArguments = z.strictObject({
  id: textId().describe('Id or address from a result of any tool; a capsule also as id@version.'),
  include: z
    .array(z.enum(['details', 'lineage', 'related']))
    .optional()
    .describe('Of a capsule. details: sources, tags, relations, versions; lineage: records of all versions; related: similar capsules.'),
  cursor: Cursor.optional().describe('next_cursor of the lineage.'),
});

export const VerifyQuoteArguments = z.strictObject({
  id: textId().describe('Id of the quoted text.'),
  quote: quotation(),
  version: Version.optional().describe('Quoted version of a capsule; the newest by default.'),
});

/** Arguments are values of JSON, so that a number is no text of digits as in a URL. */
export const BrowseArguments = BrowseParameters.extend({ limit: z.int().min(1).optional() });

export const OffersArguments = z.strictObject({});

const Item = z.strictObject({ id: Id.describe('Id of an offer.'), quantity: z.int().min(1).max(LIMITS.quantityMax).default(1) });
const Solution = z.string().max(LIMITS.challengeSolutionMaxLength);

export const CheckoutArguments = z
  .strictObject({
    items: z.array(Item).min(1).max(LIMITS.cartItemsMax).optional().describe('What to buy.'),
    checkout_id: z.string().min(1).max(LIMITS.shortTextMaxLength).optional().describe('Instead of items: reads the state of a checkout.'),
    currency: z.string().length(3).optional().describe('Preferred currency, ISO 4217.'),
    challenge_solution: Solution.optional().describe('token.solution, if a refusal requires a challenge.'),
  })
  .refine(({ items, checkout_id: id }) => (items === undefined) !== (id === undefined), {
    path: ['items'],
    message: 'must be sent, or checkout_id, and not both',
  });

/** For a model: the schemas describe the members at length. */
const QUERY_WORDS = {
  query: 'Question or keywords; or send queries.',
  queries: `Up to ${LIMITS.queriesMax} wordings, whose results are fused.`,
  kind: 'What to search; capsules by default.',
  max_results: `${LIMITS.maxResultsDefault} by default, at most ${LIMITS.maxResultsMax}.`,
  cursor: 'next_cursor of the last response, with the same arguments.',
  filters: 'Conditions on capsules. tags: all of them; tags_any: any. Days as YYYY-MM-DD.',
  exclude_ids: 'Capsules to leave out.',
  facets: 'Members whose values to count.',
  min_match: 'Least level of a result.',
  prefer_language: 'BCP 47; puts translations in it first.',
  sort: undefined,
  quote_length: 'Longest quote in characters.',
  passages: `Passages of each result, at most ${LIMITS.passagesMax}.`,
  fields: 'Members that results keep, such as title, summary, quote, markdown_url.',
  explain: 'Explains the scores.',
  token_budget: 'Most tokens of all results.',
  corpus_version: 'Pins the corpus: the same request gives the same bytes.',
} satisfies Record<keyof QueryRequest, string | undefined>;

const BROWSE_WORDS = {
  tag: undefined,
  type: undefined,
  language: 'BCP 47.',
  status: undefined,
  min_evidence: undefined,
  updated_after: 'YYYY-MM-DD.',
  limit: `${LIMITS.browseLimitDefault} by default, at most ${LIMITS.browseLimitMax}.`,
  cursor: 'next_cursor of the last page, with the same filters.',
} satisfies Record<keyof BrowseParameters, string | undefined>;

/** A tool as `tools/list` names it (MCP 2026-07-28, schema `Tool`), without a schema of its output: results are text. */
interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
}

/** Name of the tool that only deployments have where a checkout can be paid. */
export const CHECKOUT_TOOL = 'checkout';

type ShopSettings = Parameters<typeof deployedFeatures>[0];

/** Whether an offer of a shop can be bought over a checkout session. Whether it can be paid also depends on secrets. */
export function sellsByCheckout(deployment: ShopSettings): boolean {
  return deployedFeatures(deployment).ucp && deployment.offers.some((offer) => availabilityOf(offer).available);
}

/** The tools of a site. They are in every prompt of a client, so schemas have only what a model needs; calls are validated by the whole ones. */
export function knowledgeTools(deployment: ShopSettings): ListedTool[] {
  const features = deployedFeatures(deployment);
  const tool = (...[name, description, args, words]: [string, string, z.ZodType, Words?]) =>
    listedTool(name, description, args, features, words);
  const offers = tool(
    'offers',
    'Lists what is for sale, with prices where they are fixed. fetch takes the id of an offer and returns its terms.',
    OffersArguments,
  );
  const checkout = tool(
    CHECKOUT_TOOL,
    'Opens a checkout for offers (call offers first) and returns pay_url, where a person pays. Charges nothing itself. Call it with checkout_id to see whether it was paid.',
    CheckoutArguments,
  );
  return [
    tool(
      'search',
      'Answers a question from this site. Call it first. Each result has an id for fetch, the best passage word for word as quote, for rows of a table its first row as table_header, level (strong, partial or weak: how well it answers) and, for a capsule, status. The first has the sentence of its quote that answers as answer, where one clearly does. If all are weak, say that the site has no answer. Do not rely on a capsule that is retracted or superseded.',
      SearchArguments,
    ),
    tool(
      'fetch',
      'Returns a whole text as markdown. Call it with the id of any result, before you rely on more than a quote.',
      FetchArguments,
    ),
    tool(
      'verify_quote',
      'Checks a quotation. Call it last, for each one in your answer. The verdict is exact, white_space_differs, markup_differs, paid (its text is behind a payment, so it was not compared) or not_found, which comes with the nearest passage: quote that instead. start and end count UTF-16 code units.',
      VerifyQuoteArguments,
    ),
    tool(
      'query',
      'Like search, with filters, several wordings, pages and facets. Call it if search is not enough.',
      QueryRequest,
      QUERY_WORDS,
    ),
    tool(
      'browse',
      'Lists capsules, newest change first. Call it to see what there is, or what changed; to answer a question, call search.',
      BrowseArguments,
      BROWSE_WORDS,
    ),
    ...(features.shop ? [offers] : []),
    ...(sellsByCheckout(deployment) ? [{ ...checkout, annotations: { ...checkout.annotations, readOnlyHint: false } }] : []),
  ];
}

type Words = Readonly<Record<string, string | undefined>>;

function listedTool(name: string, description: string, args: z.ZodType, features: Features, words: Words = {}): ListedTool {
  const { properties = {}, ...schema } = outlineOf(inlineSchema(args, 'request', features)) as {
    readonly properties?: Record<string, JsonObject>;
  };
  const members = Object.entries(properties).map(([member, outline]) => {
    if (!(member in words)) return [member, outline];
    const { description: _long, ...rest } = withoutDescriptions(outline) as JsonObject;
    return [member, words[member] === undefined ? rest : { ...rest, description: words[member] }];
  });
  return {
    name,
    description,
    inputSchema: { ...schema, properties: Object.fromEntries(members) },
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  };
}

const OUTLINED = ['type', 'properties', 'required', 'items', 'enum', 'description', 'additionalProperties', 'default'];

/** A schema without bounds and patterns, which refusals name where they matter. Of several forms of a member, the list stands for all. */
function outlineOf(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const { anyOf, ...own } = schema as JsonObject & { readonly anyOf?: readonly JsonObject[] };
  const whole: JsonObject = { ...anyOf?.at(-1), ...own };
  return Object.fromEntries(
    Object.entries(whole)
      .filter(([keyword, value]) => OUTLINED.includes(keyword) && !(keyword === 'required' && (value as unknown[]).length === 0))
      .map(([keyword, value]) => [keyword, keyword === 'properties' ? outlinesOf(value as JsonObject) : outlineOf(value)]),
  );
}

const outlinesOf = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, outlineOf(member)]));

function withoutDescriptions(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => !((keyword === 'description' || keyword === 'default') && typeof value !== 'object'))
      .map(([keyword, value]) => [keyword, withoutDescriptions(value)]),
  );
}

/** The id of a guide, an operation, an offer or an error for the tools: the path of its page. The id of a capsule is its own. */
export function siteTextId({ kind, id }: { readonly kind: SiteKind; readonly id: string }): string {
  return pageOfSiteText(siteTextPath(kind, id)) ?? PATHS.home;
}

/** The response of the tool search: the members that research agents of large hosts read, and what says whether to rely on a result. */
export function searchResults(results: SearchResponse['results']): object {
  return {
    results: results.map((result) => {
      const { match, answer, quote } = result;
      const header = answer?.table_header ?? quote.table_header;
      return {
        id: result.kind === 'capsule' ? result.capsule_id : siteTextId(result),
        title: result.kind === 'capsule' ? statedTitle(result) : result.title,
        url: result.url,
        kind: result.kind,
        level: match.level,
        ...(result.kind === 'capsule'
          ? { ...stateOf(result), ...(result.price && { price: result.price, prices: result.prices }) }
          : termsOf(result)),
        ...(answer && { answer: answer.text }),
        ...(header && { table_header: header }),
        quote: quote.text,
      };
    }),
  };
}

export function termsOf({ price_usd, cadence, delivery, valid_until, available, demo }: OfferMembers): OfferMembers {
  const terms = { price_usd, cadence, delivery, valid_until, available, demo };
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
}
