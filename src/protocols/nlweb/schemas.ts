import * as z from 'zod';
import { CapsuleState } from '../../schemas/knowledge/capsule.ts';
import { QueryResult, queryText } from '../../schemas/knowledge/query.ts';
import { ResultKind } from '../../schemas/knowledge/site-texts.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PositiveInteger, Sha256Hex, Uri } from '../../schemas/primitives.ts';
import { NLWEB_VERSION } from '../protocol-module.ts';

const Question = queryText('is missing; send the question in the URL: ?query=how+do+agents+register');
const ShortText = z.string().max(LIMITS.shortTextMaxLength);
const NO_CONTEXT = 'Accepted and not used: each question is answered by itself.';

/** The vocabulary of results. */
export const SCHEMA_ORG = 'https://schema.org';

/** Modes of NLWeb. All are answered with a list, because no model writes texts here. */
const Mode = z.enum(['list', 'summarize', 'generate']);

/** Parameters of `GET /ask` (nlweb-ai/NLWeb, nlweb-rest-api.md). Others are ignored, because NLWeb has further ones. */
export const AskParameters = z.object({
  query: Question.describe('The question, in natural language.'),
  decontextualized_query: queryText().optional().describe('The question made complete by its context; it is answered instead of query.'),
  mode: Mode.optional().describe('Every mode is answered with a list of quoted passages: no model writes summaries or answers here.'),
  streaming: z
    .enum(['true', 'false', 'True', 'False', '1', '0'])
    .optional()
    .describe('Whether the answer is sent as server-sent events; false by default. "Accept: text/event-stream" has the same effect.'),
  max_results: PositiveInteger.optional().describe(
    `Most results to return, ${LIMITS.maxResultsDefault} by default, at most ${LIMITS.maxResultsMax}.`,
  ),
  query_id: ShortText.optional().describe('Id of the question, which the answer repeats.'),
  site: ShortText.optional().describe('Accepted and not used: this service answers for one site.'),
  prev: z.string().max(LIMITS.urlMaxLength).optional().describe(NO_CONTEXT),
});
export type AskParameters = z.infer<typeof AskParameters>;

const AskedQuery = z.object({
  text: queryText('is missing; send {"query":{"text":"how do agents register"}}').describe('The question, in natural language.'),
  decontextualized_query: AskParameters.shape.decontextualized_query,
  site: AskParameters.shape.site,
  max_results: z
    .int()
    .min(1)
    .optional()
    .describe(AskParameters.shape.max_results.description ?? ''),
});

/** Body of `POST /ask`. Members that are not listed are ignored. */
export const AskRequest = z.object({
  query: AskedQuery.describe('The question.'),
  context: z.looseObject({}).optional().describe(NO_CONTEXT),
  prefer: z
    .object({
      mode: AskParameters.shape.mode,
      streaming: z
        .boolean()
        .optional()
        .describe(AskParameters.shape.streaming.description ?? ''),
    })
    .optional()
    .describe('Form of the answer.'),
  meta: z
    .object({ version: ShortText.optional().describe('Version of NLWeb that the client uses. Every version gets the same answer.') })
    .optional()
    .describe('Metadata of the request.'),
  query_id: AskParameters.shape.query_id,
});
export type AskRequest = z.infer<typeof AskRequest>;

/** Metadata of a response (NLWeb 0.55, `_meta`). */
const AskMeta = z.object({
  response_type: z.enum(['answer', 'failure']).describe('answer: there are results. failure: error says why there are none.'),
  response_format: z.literal('conversational_search').describe('Format of the results.'),
  version: z.literal(NLWEB_VERSION).describe('Version of NLWeb.'),
  mode: z.literal('list').describe('Mode that was applied, whichever was requested.'),
});

const HostName = z.string().regex(/^[a-z0-9.-]+(:[0-9]{1,5})?$/);

/** A result: what matches the question. */
export const AskResult = z.object({
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
  markdown_url: Uri.optional().describe('The exact text, if it is published.'),
  content_sha256: Sha256Hex.describe('SHA-256 of the exact text, to verify the quote.'),
});
export type AskResult = z.infer<typeof AskResult>;

/** Why there is no result. */
const AskError = z.object({
  code: z
    .string()
    .regex(/^[A-Z0-9_]+$/)
    .describe('Code of the error in capitals, such as NO_RESULTS or RATE_LIMITED.'),
  message: z.string().min(1).describe('What is wrong, and how to correct it.'),
});

/** Response of `/ask`, also if nothing matches. */
export const AskResponse = z.object({
  _meta: AskMeta.describe('Metadata.'),
  query_id: ShortText.describe('Id that was sent, or one made of question and corpus version.'),
  site: HostName.describe('Host name of the site.'),
  query: Question.describe('The question that was answered.'),
  results: z.array(AskResult).max(LIMITS.maxResultsMax).describe('What matches, best first.'),
  error: AskError.optional().describe('Why there are no results, with the code NO_RESULTS.'),
  corpus_version: Sha256Hex.describe('Version of the searched corpus.'),
});
export type AskResponse = z.infer<typeof AskResponse>;

export const AskFailure = z.object({
  _meta: AskMeta.extend({ response_type: z.literal('failure').describe('The request was refused; see error.') }).describe('Metadata.'),
  error: AskError.extend({
    details: z
      .array(
        z.object({
          pointer: z.string().describe('JSON Pointer into the body, or the name of a parameter.'),
          message: z.string().min(1).describe('What is wrong.'),
        }),
      )
      .min(1)
      .optional()
      .describe('Invalid parts of the request.'),
    retry_after_seconds: z.int().min(0).optional().describe('Seconds to wait before the next request.'),
    help: Uri.describe('Page about the error.'),
  }).describe('What is wrong.'),
});
