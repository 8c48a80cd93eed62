import { stateData, statedSummary, statedTitle, stateNote, stateOf } from '../../gateway/knowledge/capsule-state.ts';
import { termsNote } from '../../gateway/knowledge/site-result-renderer.ts';
import { sha256Hex } from '../../provenance/bytes.ts';
import type { QueryResult } from '../../schemas/knowledge/query.ts';
import type { SearchResponse, SiteResult } from '../../schemas/knowledge/search.ts';
import { licenseUrl } from '../../schemas/no-license.ts';
import { NLWEB_VERSION } from '../versions.ts';
import { type AskResponse, type AskResult, SCHEMA_ORG } from './schemas.ts';

/** Characters of an id that is made here. */
const QUERY_ID_LENGTH = 24;

/** The id of a question without one: the same question on the same corpus has the same id. */
export async function makeQueryId(text: string, corpusVersion: string): Promise<string> {
  return (await sha256Hex(new TextEncoder().encode(`${corpusVersion}\n${text}`))).slice(0, QUERY_ID_LENGTH);
}

/** Metadata of every response. */
export function askMeta<Type extends AskResponse['_meta']['response_type']>(type: Type) {
  return { response_type: type, response_format: 'conversational_search', version: NLWEB_VERSION, mode: 'list' } as const;
}

/** The answer to a question, from the response to the same search. The same question on the same corpus has the same answer. */
export function writeAnswer(
  { text, queryId }: { readonly text: string; readonly queryId: string },
  { corpus_version, results }: SearchResponse,
  baseUrl: string,
): AskResponse {
  const { hostname: site } = new URL(baseUrl);
  const isEmpty = results.length === 0;
  return {
    _meta: askMeta(isEmpty ? 'failure' : 'answer'),
    query_id: queryId,
    site,
    query: text,
    results: results.map((result) => resultOf(result, site, baseUrl)),
    ...(isEmpty
      ? {
          error: {
            code: 'NO_RESULTS',
            message: 'Nothing on this site matches the question. Ask with other words, or for another subject.',
          },
        }
      : {}),
    corpus_version,
  };
}

/** The answer as server-sent events: its beginning, each result, and its end. It is sent whole, because it is complete at once. */
export function answerEvents({ _meta, results, error, ...rest }: AskResponse): string {
  const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  return [
    event('start', { _meta, ...rest }),
    ...results.map((item, index) => event('result', { index, item })),
    event('complete', { _meta, query_id: rest.query_id, total_items: results.length, ...(error === undefined ? {} : { error }) }),
  ].join('');
}

function resultOf(result: QueryResult | SiteResult, site: string, baseUrl: string): AskResult {
  const { url, title, quote, content_sha256, markdown_url, kind, match } = result;
  const note = result.kind === 'capsule' ? stateNote(result) : termsNote(result);
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
    ...(markdown_url === undefined ? {} : { markdown_url }),
    content_sha256,
  };
}

function schemaOfCapsule(result: QueryResult, baseUrl: string): AskResult['schema_object'] {
  const { capsule_id, version, url, updated, language, license, markdown_url, content_sha256 } = result;
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
    ...(licensed === undefined ? {} : { license: licensed }),
    ...(markdown_url === undefined
      ? { isAccessibleForFree: false }
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
