import * as z from 'zod';
import { FEATURE_PARTS } from '../feature-switches.ts';
import { LIMITS } from '../limits.ts';
import { Cadence, IsoDate, integerParameter, Language, Sha256Hex, Uri } from '../primitives.ts';
import { kindsOf, RESULT_KINDS, SEARCH_PAGES_MAX } from './kinds-and-levels.ts';
import { MatchLevel, QUOTE_LENGTH_DEFAULT, QueryRequest, QueryResponse, QueryResult, queryText } from './query.ts';
import { SiteKind } from './result-kinds.ts';

const KindList = z
  .string()
  .max(80)
  .refine(
    (text) => text.split(',').every((kind) => RESULT_KINDS.some((known) => known === kind)),
    `must be one of ${RESULT_KINDS.join(', ')}, or several of them, separated by commas`,
  );

export const MaxResults = integerParameter({ max: LIMITS.maxResultsMax, fallback: LIMITS.maxResultsDefault });

export const SearchParameters = z.strictObject({
  q: queryText('is missing; send the question in the URL: ?q=how+do+agents+register').describe(
    'Question or keywords, in natural language.',
  ),
  kind: KindList.optional().describe('Kinds to search, those of a query, separated by commas; all by default.'),
  max_results: MaxResults.describe('Most results to return.'),
  cursor: QueryRequest.shape.cursor.describe('next_cursor of the previous response; send the same q, kind and min_match with it.'),
  min_match: MatchLevel.optional().describe(
    'Least match of the results: strong, or partial for both; weak, the default, leaves nothing out.',
  ),
  prefer_language: QueryRequest.shape.prefer_language.describe('As in a query: the preferred language of a text and its translations.'),
  quote_length: integerParameter({ min: LIMITS.quoteMinLength, max: LIMITS.quoteMaxLength }).describe(
    `Longest quote in UTF-16 code units. ${QUOTE_LENGTH_DEFAULT}`,
  ),
  token_budget: integerParameter({ max: LIMITS.tokenBudgetMax, fallback: LIMITS.tokenBudgetMax }).describe(
    'Most estimated tokens of all results.',
  ),
  corpus_version: QueryRequest.shape.corpus_version,
});
export type SearchParameters = z.infer<typeof SearchParameters>;

/** Parameters of the page with results for people; others, such as campaign labels, have no effect. */
export const SearchPageParameters = z.looseObject({
  q: z
    .string()
    .normalize('NFC')
    .max(LIMITS.queryMaxLength)
    .default('')
    .describe('Question or keywords. Without it: the page with the empty form.'),
  kind: KindList.optional().describe('Kinds to search, those of a query, separated by commas; all by default.'),
  prefer_language: z
    .string()
    .max(35)
    .optional()
    .describe('Preferred language of a text and its translations; by default the first of Accept-Language.'),
  page: integerParameter({ max: SEARCH_PAGES_MAX, fallback: 1 }).describe('Page of results.'),
});

export function queryOfSearch({ q, kind, ...same }: SearchParameters): QueryRequest {
  return QueryRequest.parse({ ...same, query: q, kind: kindsOf(kind) });
}

export const SiteResult = z.object({
  kind: SiteKind,
  id: z.string().describe('Id among those of its kind, such as the code of an error.'),
  title: z.string().describe('Title of its page.'),
  summary: z.string().describe('What it says, in one or two sentences.'),
  language: Language.describe('Language of the text, BCP 47.'),
  updated: IsoDate.describe('Day of the newest change of the text or of the settings of the site.'),
  url: Uri.describe('Its page.'),
  markdown_url: Uri.describe('The markdown that quote and passages are part of, as it is now.'),
  content_sha256: Sha256Hex.describe('SHA-256 of that markdown, at the corpus version of the response.'),
  price_usd: z
    .number()
    .min(0)
    .optional()
    .describe('Price in US dollars, from the catalog as it is now, also in a pinned response. Absent if it is quoted on request.')
    .register(FEATURE_PARTS, { shop: 'member' }),
  cadence: Cadence.optional().describe('How often the price is due.').register(FEATURE_PARTS, { shop: 'member' }),
  buy_url: Uri.optional()
    .describe('Page that sells the offer; present if kind is offer and it is still sold.')
    .register(FEATURE_PARTS, { shop: 'member' }),
  delivery: z
    .string()
    .optional()
    .describe('How it is delivered, in the words of the publisher.')
    .register(FEATURE_PARTS, { shop: 'member' }),
  valid_until: IsoDate.optional().describe('Last day of sale.').register(FEATURE_PARTS, { shop: 'member' }),
  available: z
    .boolean()
    .optional()
    .describe('Whether the offer can be bought until valid_until; a demonstration cannot.')
    .register(FEATURE_PARTS, { shop: 'member' }),
  demo: z
    .literal(true)
    .optional()
    .describe('Whether the offer is a demonstration: no money is taken, and no work is done.')
    .register(FEATURE_PARTS, { shop: 'member' }),
  score: QueryResult.shape.score,
  match: QueryResult.shape.match,
  quote: QueryResult.shape.quote.describe('The best passage for the query: slice(start, end) of the text at markdown_url.'),
  answer: QueryResult.shape.answer,
  highlights: QueryResult.shape.highlights,
  passages: QueryResult.shape.passages,
  found_by: QueryResult.shape.found_by,
  explanation: QueryResult.shape.explanation,
});
export type SiteResult = z.infer<typeof SiteResult>;

const RESULTS = 'What matches, best first; retracted capsules follow everything else.';

/** Response to a search over some kinds, without `fields`; results of kind capsule are those of a query for capsules. */
export const SearchResponse = QueryResponse.extend({ results: z.array(z.union([QueryResult, SiteResult])).describe(RESULTS) });
export type SearchResponse = z.infer<typeof SearchResponse>;

/** A result as documents describe it: a request with `fields` gets these members and those that it names. */
export const PublishedQueryResult = z
  .object({
    ...QueryResult.partial().shape,
    ...QueryResult.pick({ kind: true, capsule_id: true, version: true, content_sha256: true }).shape,
  })
  .describe('A capsule that was found. A request with fields gets the required members and those that it names.');

export const PublishedSiteResult = z
  .object({ ...SiteResult.partial().shape, ...SiteResult.pick({ kind: true, id: true, content_sha256: true }).shape })
  .describe('A text of the site that was found. A request with fields gets the required members and those that it names.');

export const PublishedSearchResponse = SearchResponse.extend({
  results: z.array(z.union([PublishedQueryResult, PublishedSiteResult])).describe(RESULTS),
});
