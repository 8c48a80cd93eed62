import * as z from 'zod';
import { statedTitle } from '../../gateway/knowledge/capsule-state.ts';
import type { Route } from '../../http/define-route.ts';
import type { Features } from '../../schemas/features.ts';
import { inlineSchema, type JsonObject } from '../../schemas/json-schema.ts';
import { queryText } from '../../schemas/knowledge/query.ts';
import { QuoteCheck, quotation } from '../../schemas/knowledge/quote-check.ts';
import type { SearchResponse } from '../../schemas/knowledge/search.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { Id, Uri, Version } from '../../schemas/primitives.ts';

/** Tools that are operations of the HTTP interface, by the id of the operation. */
export const OPERATION_TOOLS = {
  query: 'queryKnowledge',
  get_capsule: 'getCapsule',
  lineage: 'getCapsuleLineage',
  related: 'getRelatedCapsules',
  browse: 'browseCapsules',
} as const;
export type OperationToolName = keyof typeof OPERATION_TOOLS;

/** Arguments of the tools that only MCP has. */
export const SearchArguments = z.strictObject({ query: queryText().describe('The question, or keywords.') });
export const FetchArguments = z.strictObject({
  id: z
    .string()
    .min(1)
    .max(LIMITS.urlMaxLength)
    .describe('Id of a result of search, or the address of a page of this site, whole or as a path.'),
});
export const VerifyQuoteArguments = z.strictObject({
  capsule_id: Id.describe('Id of the quoted capsule.'),
  version: Version.optional().describe('Quoted version; the newest by default.'),
  quote: quotation(),
});
export const OffersArguments = z.strictObject({});

/** Results of search and fetch, in the form that research agents of large hosts require. */
const SearchResults = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string(), url: Uri })).describe('What matches, best first.'),
});
type SearchResults = z.infer<typeof SearchResults>;

/** The response of the tool search. A capsule is identified by its id, any other text by the path of its file. */
export function searchResults(results: SearchResponse['results']): SearchResults {
  return {
    results: results.map((result) => ({
      id: result.kind === 'capsule' ? result.capsule_id : new URL(result.markdown_url).pathname,
      title: result.kind === 'capsule' ? statedTitle(result) : result.title,
      url: result.url,
    })),
  };
}

const FetchedText = z.object({
  id: z.string().describe('The id that was asked for.'),
  title: z.string().describe('Title of the text.'),
  text: z.string().describe('The whole text, as markdown.'),
  url: Uri.describe('Its page, for citations.'),
  metadata: z.looseObject({}).optional().describe('Version, status, licence and digest of a capsule.'),
});
export type FetchedText = z.infer<typeof FetchedText>;

/** A tool as `tools/list` names it (MCP 2026-07-28, schema `Tool`). */
interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: JsonObject;
}

/** The tools about knowledge and offers of a deployment, made at build. */
export function knowledgeTools(routes: readonly Route[], features: Features): ListedTool[] {
  return [
    tool('search', 'Search', 'Finds texts of this site for a question. fetch returns the text of a result.', [
      inlineSchema(SearchArguments, 'request'),
      inlineSchema(SearchResults, 'response'),
    ]),
    tool('fetch', 'Fetch a text', 'Returns the whole text of a result of search, with its address.', [
      inlineSchema(FetchArguments, 'request'),
      inlineSchema(FetchedText, 'response'),
    ]),
    ...Object.entries(OPERATION_TOOLS).flatMap(([name, operationId]) => {
      const route = routes.find(({ id }) => id === operationId);
      return route === undefined ? [] : [operationTool(name, route, features)];
    }),
    tool(
      'verify_quote',
      'Verify a quotation',
      'Says whether a capsule contains a quotation, and where: word for word, or with other white space or markup.',
      [inlineSchema(VerifyQuoteArguments, 'request'), outlineOf(inlineSchema(QuoteCheck, 'response'))],
    ),
    ...(features.shop
      ? [
          tool('offers', 'List the offers', 'The catalog: every offer with its price, its page and its checkout link.', [
            inlineSchema(OffersArguments, 'request'),
            { type: 'object', properties: { offers: { type: 'array', items: { type: 'object' } } }, required: ['offers'] },
          ]),
        ]
      : []),
  ];
}

function tool(
  name: string,
  title: string,
  description: string,
  [inputSchema, outputSchema]: readonly [JsonObject, JsonObject],
): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
}

/** The tool of an operation: its arguments are the parameters in path and query, and the members of the body. */
function operationTool(
  name: string,
  { summary, description, pathParameters, queryParameters, body, responses }: Route,
  features: Features,
): ListedTool {
  const parts = [pathParameters, queryParameters, body].flatMap((schema) =>
    schema === undefined ? [] : [inlineSchema(schema, 'request', features)],
  );
  const [answer] = responses;
  const inputSchema = {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as JsonObject,
    required: parts.flatMap(({ required }) => (required ?? []) as string[]),
    additionalProperties: false,
  };
  const outputSchema =
    answer?.content === undefined ? { type: 'object' } : outlineOf(inlineSchema(answer.content.schema, 'response', features));
  return tool(name, summary, description, [inputSchema, outputSchema]);
}

/** A schema without what is inside its members: tools are in every prompt, and the API description has the whole. */
function outlineOf({ properties, required }: JsonObject): JsonObject {
  const members = Object.entries((properties ?? {}) as Record<string, JsonObject>).map(([name, { type, description }]) => [
    name,
    { ...(type === undefined ? {} : { type }), ...(description === undefined ? {} : { description }) },
  ]);
  return { type: 'object', properties: Object.fromEntries(members) as JsonObject, ...(required === undefined ? {} : { required }) };
}
