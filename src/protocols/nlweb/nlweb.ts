import * as z from 'zod';
import { shortDigest } from '../../gateway/digests-and-base62.ts';
import { stateData, statedSummary, statedTitle, stateNote, stateOf } from '../../gateway/knowledge/capsule-status-sentences.ts';
import { queryAllKinds } from '../../gateway/knowledge/query-knowledge.ts';
import { termsNote } from '../../gateway/knowledge/render-site-result.ts';
import { ok, type Result } from '../../gateway/result.ts';
import {
  defineRoute,
  jsonResponse,
  type Outcome,
  type Protocol,
  type Route,
  type RouteInput,
  type RouteResponse,
} from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { withoutNulls } from '../../http/read-body.ts';
import { publishedFieldError, retryAfterOf } from '../../http/render-problem.ts';
import { ignoredMembers } from '../../http/validate-input.ts';
import { IgnoredMembers } from '../../schemas/agents.ts';
import { pricedOffers } from '../../schemas/commerce/capsule-price.ts';
import { CapsuleState } from '../../schemas/knowledge/capsule.ts';
import { QueryResult, queryText } from '../../schemas/knowledge/query.ts';
import { ResultKind } from '../../schemas/knowledge/result-kinds.ts';
import { MaxResults, queryOfSearch, type SearchResponse, type SiteResult } from '../../schemas/knowledge/search.ts';
import { licenseUrl } from '../../schemas/license.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsulePath, PATHS, problemPath } from '../../schemas/paths.ts';
import { Sha256Hex, Uri } from '../../schemas/primitives.ts';
import { type Publication, priceNote } from '../../text/publication-model.ts';
import type { OperationExamples, ProtocolModule } from '../protocol-module.ts';

/** github.com/nlweb-ai */
const NLWEB_VERSION = '0.55';

const Question = queryText('is missing; send the question in the URL: ?query=how+do+agents+register');

/** Modes of NLWeb. All are answered with a list, because no model writes texts here. */
const Mode = z.enum(['list', 'summarize', 'generate']);

const ShortText = z.string().max(LIMITS.shortTextMaxLength);
const NO_CONTEXT = 'Accepted and not used: each question is answered by itself.';
const STREAMING = 'Whether the answer is sent as server-sent events; false by default. "Accept: text/event-stream" has the same effect.';

const TRUTH: ReadonlyMap<unknown, boolean> = new Map([
  ...['true', 'True', '1'].map((text) => [text, true] as const),
  ...['false', 'False', '0'].map((text) => [text, false] as const),
]);

/** Parameters of `GET /ask` (nlweb-ai/NLWeb, nlweb-rest-api.md). NLWeb has further ones, so others are ignored, and named in the answer. */
const AskParameters = z.object({
  query: Question.describe('The question, in natural language.'),
  decontextualized_query: queryText().optional().describe('The question made complete by its context; it is answered instead of query.'),
  mode: Mode.optional().describe('Every mode is answered with a list of quoted passages: no model writes summaries or answers here.'),
  streaming: z
    .preprocess((sent) => TRUTH.get(sent) ?? sent, z.boolean())
    .optional()
    .describe(STREAMING),
  max_results: MaxResults.describe('Most results to return.'),
  query_id: ShortText.optional().describe('Id of the question, which the answer repeats.'),
  site: ShortText.optional().describe('Accepted and not used: this service answers for one site.'),
  prev: z.string().max(LIMITS.urlMaxLength).optional().describe(NO_CONTEXT),
});

const ASKED = '{"query":{"text":"how do agents register"}}';

const AskedQuery = z.object(
  {
    text: queryText(`is missing; send ${ASKED}`).describe('The question, in natural language.'),
    decontextualized_query: AskParameters.shape.decontextualized_query,
    site: AskParameters.shape.site,
    max_results: z
      .int()
      .min(1)
      .optional()
      .describe(`Most results to return, ${LIMITS.maxResultsDefault} by default, at most ${LIMITS.maxResultsMax}.`),
  },
  `must be an object: send ${ASKED}`,
);

const StructuredRequest = z.object({
  query: AskedQuery.describe('The question.'),
  context: z.looseObject({}).optional().describe(NO_CONTEXT),
  prefer: z
    .object({ mode: AskParameters.shape.mode, streaming: z.boolean().optional().describe(STREAMING) })
    .optional()
    .describe('Form of the answer.'),
  meta: z
    .object({ version: ShortText.optional().describe('Version of NLWeb that the client uses. Every version gets the same answer.') })
    .optional()
    .describe('Metadata of the request.'),
  query_id: AskParameters.shape.query_id,
});
const AskRequest = z.preprocess(withoutNulls, StructuredRequest);
type AskRequest = z.infer<typeof AskRequest>;

/** NLWeb 0.55, `_meta`. */
const AskMeta = z.object({
  response_type: z.enum(['answer', 'failure']).describe('answer: there are results. failure: error says why there are none.'),
  response_format: z.literal('conversational_search').describe('Format of the results.'),
  version: z.literal(NLWEB_VERSION).describe('Version of NLWeb.'),
  mode: z.literal('list').describe('Mode that was applied, whichever was requested.'),
});

const HostName = z.string().regex(/^[a-z0-9.-]+(:[0-9]{1,5})?$/);

const SCHEMA_ORG = 'https://schema.org';

const AskResult = z.object({
  url: Uri.describe('Page of the result.'),
  name: z.string().min(1).describe('Title of the page.'),
  site: HostName.describe('Host name of the site.'),
  score: z.int().min(0).max(100).describe('How much of the question the result covers, in percent. Results are in order of relevance.'),
  description: z
    .string()
    .min(1)
    .describe('The passage that matches the question best, quoted word for word; after the state of a capsule that is not current.'),
  ...CapsuleState.partial().shape,
  schema_object: z
    .looseObject({
      '@context': z.literal(SCHEMA_ORG).describe('The vocabulary.'),
      '@type': z
        .string()
        .regex(/^[A-Z][A-Za-z]+$/)
        .describe('Type of the item.'),
    })
    .describe('The item in the vocabulary of schema.org.'),
  kind: ResultKind,
  quote: QueryResult.shape.quote.describe('The same passage with its place: slice(start, end) of the text at markdown_url.'),
  answer: QueryResult.shape.answer,
  markdown_url: Uri.optional().describe('The exact text, if it is published.'),
  content_sha256: Sha256Hex.describe('SHA-256 of the exact text, to verify the quote.'),
});
type AskResult = z.infer<typeof AskResult>;

const AskError = z.object({
  code: z
    .string()
    .regex(/^[A-Z0-9_]+$/)
    .describe('Code of the error in capitals, such as NO_RESULTS or RATE_LIMITED.'),
  message: z.string().min(1).describe('What is wrong, and how to correct it.'),
});

export const AskResponse = z.object({
  _meta: AskMeta.describe('Metadata.'),
  query_id: ShortText.describe('Id that was sent, or one made of question and corpus version.'),
  site: HostName.describe('Host name of the site.'),
  query: Question.describe('The question that was answered.'),
  results: z.array(AskResult).max(LIMITS.maxResultsMax).describe('What matches, best first.'),
  error: AskError.optional().describe('Why there are no results, with the code NO_RESULTS.'),
  corpus_version: Sha256Hex.describe('Version of the searched corpus.'),
  ignored: IgnoredMembers,
});
export type AskResponse = z.infer<typeof AskResponse>;

const InvalidPart = z.object({
  pointer: z.string().describe('JSON Pointer into the body, or the name of a parameter.'),
  message: z.string().min(1).describe('What is wrong.'),
});

export const AskFailure = z.object({
  _meta: AskMeta.extend({ response_type: z.literal('failure').describe('The request was refused; see error.') }).describe('Metadata.'),
  error: AskError.extend({
    details: z.array(InvalidPart).min(1).optional().describe('Invalid parts of the request.'),
    retry_after_seconds: z.int().min(0).optional().describe('Seconds to wait before the next request.'),
    help: Uri.describe('Page about the error.'),
  }).describe('What is wrong.'),
});

/** It needs functions. */
export const nlwebProtocol: ProtocolModule = {
  capability: ({ mode, baseUrl }) =>
    mode === 'static'
      ? undefined
      : { name: 'NLWeb', version: NLWEB_VERSION, document: `${baseUrl}${PATHS.openApiAgent}`, services: ['list'] },
  operations: () => [askByGetRoute, askByPostRoute],
  examples: nlwebExamples,
  schemas: { requests: { AskRequest }, responses: { AskResponse, AskResult, AskFailure } },
};

function nlwebExamples({ deployment, examples }: Publication): OperationExamples {
  const search = examples.get('searchKnowledge');
  const text = search?.parameters?.['q'];
  if (search === undefined || text === undefined) return {};
  const query_id = 'q-1';
  const response = writeAnswer(text, query_id, search.response as SearchResponse, deployment.baseUrl, []);
  const answered = { response, otherForms: { [EVENTS]: answerEvents(response) } };
  return {
    askSite: { parameters: { query: text, max_results: '2', query_id }, ...answered },
    askSiteByPost: {
      request: { query: { text, max_results: 2 }, prefer: { mode: 'list', streaming: false }, meta: { version: '0.55' }, query_id },
      ...answered,
    },
  };
}

const EVENTS = 'text/event-stream';

const RESPONSES: RouteResponse[] = [
  jsonResponse('What matches the question, best first; a failure with the code NO_RESULTS if nothing does.', AskResponse),
  {
    status: 200,
    description: 'The same as server-sent events, if asked for: start, a result for each, and complete.',
    content: { type: EVENTS, schema: z.string() },
  },
];

const NLWEB_BINDING: Protocol = {
  name: 'nlweb',
  prefix: PATHS.ask,
  errorSchema: AskFailure,
  errorBody: (refusal, baseUrl) => {
    const { code, detail, errors } = refusal;
    const retryAfter = retryAfterOf(refusal);
    return {
      _meta: askMeta('failure') satisfies AskResponse['_meta'],
      error: {
        code: code.toUpperCase(),
        message: detail,
        ...(errors === undefined ? {} : { details: errors.map(publishedFieldError) }),
        ...(retryAfter === undefined ? {} : { retry_after_seconds: retryAfter }),
        help: baseUrl + problemPath(code),
      },
    };
  },
  admit: () => ok(undefined),
  admissionErrors: [],
  echoedHeaders: [],
};

const SHARED = {
  path: PATHS.ask,
  capability: 'knowledge',
  access: 'open',
  protocol: NLWEB_BINDING,
  responses: RESPONSES,
  errors: ['index_unavailable'],
  rateLimit: 'search',
} as const satisfies Partial<Route>;

const askByGetRoute = defineRoute({
  ...SHARED,
  id: 'askSite',
  summary: 'Ask the site (NLWeb)',
  description:
    'The keyless search in the form of NLWeb: results of all kinds, each with the passage that answers best, quoted word for word, and the item in the vocabulary of schema.org. No model writes texts, so every mode is answered with a list.',
  queryParameters: AskParameters,
  cache: 300,
  handle: (input, deps) => {
    const { query: text, decontextualized_query, streaming, max_results, query_id } = input.query;
    return answer({ query: { text, decontextualized_query, max_results }, prefer: { streaming }, query_id }, input, deps);
  },
});

const askByPostRoute = defineRoute({
  ...SHARED,
  id: 'askSiteByPost',
  method: 'POST',
  summary: 'Ask the site (NLWeb), with a body',
  description: 'The same answer for clients that send the structured request of NLWeb 0.55.',
  body: AskRequest,
  handle: (input, deps) => answer(input.body, input, deps),
});

async function answer(
  { query, prefer, query_id }: AskRequest,
  {
    preferredType,
    degrade,
    sentBody,
    rawQuery,
  }: Pick<RouteInput<unknown, unknown, unknown>, 'preferredType' | 'degrade' | 'sentBody' | 'rawQuery'>,
  { corpus, deployment }: GatewayDependencies,
): Promise<Result<Outcome>> {
  const text = query.decontextualized_query ?? query.text;
  const { max_results } = query;
  const found = await queryAllKinds(queryOfSearch({ q: text, max_results }), corpus, deployment, () => degrade('index'));
  if (!found.ok) return found;
  const response = found.value;
  const queryId = query_id ?? (await shortDigest(`${response.corpus_version}\n${text}`, 12));
  const ignored =
    sentBody === undefined
      ? ignoredMembers(AskParameters, Object.fromEntries(rawQuery), 'query')
      : ignoredMembers(StructuredRequest, sentBody, 'body');
  const answered = writeAnswer(text, queryId, response, deployment.baseUrl, ignored);
  const isStreamed = prefer?.streaming === true || preferredType === EVENTS;
  return ok({
    kind: 'text',
    contentType: isStreamed ? EVENTS : 'application/json',
    body: isStreamed ? answerEvents(answered) : JSON.stringify(answered),
    headers: { Vary: 'Accept' },
  });
}

function askMeta<Type extends AskResponse['_meta']['response_type']>(type: Type) {
  return { response_type: type, response_format: 'conversational_search', version: NLWEB_VERSION, mode: 'list' } as const;
}

function writeAnswer(
  text: string,
  queryId: string,
  { corpus_version, results }: SearchResponse,
  baseUrl: string,
  ignored: NonNullable<AskResponse['ignored']>,
): AskResponse {
  const { hostname: site } = new URL(baseUrl);
  const isEmpty = results.length === 0;
  return {
    _meta: askMeta(isEmpty ? 'failure' : 'answer'),
    query_id: queryId,
    site,
    query: text,
    results: results.map((result) => resultOf(result, site, baseUrl)),
    ...(isEmpty ? { error: NO_RESULTS } : {}),
    corpus_version,
    ...(ignored.length === 0 ? {} : { ignored }),
  };
}

const NO_RESULTS: AskResponse['error'] = {
  code: 'NO_RESULTS',
  message: 'Nothing on this site matches the question. Ask with other words, or for another subject.',
};

/** The answer as server-sent events: its beginning, each result, and its end. It is sent whole, because it is complete at once. */
function answerEvents({ _meta, results, error, ...rest }: AskResponse): string {
  const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  return [
    event('start', { _meta, ...rest }),
    ...results.map((item, index) => event('result', { index, item })),
    event('complete', { _meta, query_id: rest.query_id, total_items: results.length, ...(error === undefined ? {} : { error }) }),
  ].join('');
}

function resultOf(result: QueryResult | SiteResult, site: string, baseUrl: string): AskResult {
  const { url, title, quote, answer, content_sha256, markdown_url, kind, match } = result;
  const note = (result.kind === 'capsule' ? `${priceNote(result)}${stateNote(result)}` : termsNote(result)).trim();
  return {
    url,
    name: result.kind === 'capsule' ? statedTitle(result) : title,
    site,
    score: Math.round(match.share * 100),
    description: note === '' ? quote.text : `${note} ${quote.text}`,
    ...(result.kind === 'capsule' ? stateOf(result) : {}),
    schema_object: result.kind === 'capsule' ? schemaOfCapsule(result, baseUrl) : schemaOfPage(result),
    kind,
    quote,
    ...(answer && { answer }),
    ...(markdown_url === undefined ? {} : { markdown_url }),
    content_sha256,
  };
}

function schemaOfCapsule(result: QueryResult, baseUrl: string): AskResult['schema_object'] {
  const { capsule_id, version, url, updated, language, translation_of, license, markdown_url, content_sha256 } = result;
  const licensed = licenseUrl(license);
  return {
    '@context': SCHEMA_ORG,
    '@type': 'TechArticle',
    '@id': url,
    url,
    headline: statedTitle(result),
    abstract: statedSummary(result),
    ...stateData(result, baseUrl),
    identifier: capsule_id,
    version,
    dateModified: updated,
    inLanguage: language,
    ...(translation_of === undefined ? {} : { translationOfWork: { '@id': baseUrl + capsulePath(translation_of) } }),
    ...(licensed === undefined ? {} : { license: licensed }),
    ...(markdown_url === undefined
      ? { isAccessibleForFree: false, offers: pricedOffers(result, { url }) }
      : { encoding: { '@type': 'MediaObject', contentUrl: markdown_url, encodingFormat: 'text/markdown', sha256: content_sha256 } }),
  };
}

function schemaOfPage(result: SiteResult): AskResult['schema_object'] {
  const { kind, title, summary, id, url, updated, language, price_usd, buy_url, available, valid_until } = result;
  const { quote: _, ...bare } = result;
  const common = {
    '@context': SCHEMA_ORG,
    '@id': url,
    url,
    name: title,
    description: [termsNote(bare), summary].join(' ').trim(),
  } as const;
  if (kind === 'offer')
    return {
      ...common,
      '@type': 'Offer',
      sku: id,
      ...(available === undefined ? {} : { availability: `${SCHEMA_ORG}/${available ? 'InStock' : 'OutOfStock'}` }),
      ...(valid_until === undefined ? {} : { priceValidUntil: valid_until }),
      ...(price_usd === undefined ? {} : { price: price_usd, priceCurrency: 'USD' }),
      ...(buy_url === undefined ? {} : { potentialAction: { '@type': 'BuyAction', target: buy_url } }),
    };
  return { ...common, '@type': 'TechArticle', identifier: id, dateModified: updated, inLanguage: language };
}
