import { searchKnowledgeRoute } from '../routes/search-routes.ts';
import { PATHS } from '../schemas/paths.ts';
import { cutWhole } from '../search/analysis/tokenise.ts';
import { escapeMarkup, XML_DECLARATION } from '../text/markdown/write-markup.ts';
import type { DocumentFile, Publication } from '../text/publication-model.ts';

/** Longest short name, in characters (OpenSearch 1.1, "ShortName"). */
const SHORT_NAME_MAX = 16;
/** Longest long name, in characters (OpenSearch 1.1, "LongName"). */
const LONG_NAME_MAX = 48;
/** Longest description, in characters (OpenSearch 1.1, "Description"). */
const DESCRIPTION_MAX = 1_024;

/**
 * `/opensearch.xml`: how a browser adds the search of the site, and where programs search.
 *
 * @see OpenSearch 1.1 Draft 6 (github.com/dewitt/opensearch): elements, limits and URL templates.
 */
export function openSearchDescription({ publisher, deployment }: Publication): DocumentFile {
  const { baseUrl, mode } = deployment;
  const url = (type: string, path: string): string => `  <Url type="${type}" template="${escapeMarkup(baseUrl + path)}?q={searchTerms}"/>`;
  const element = (name: string, text: string): string => `  <${name}>${escapeMarkup(text)}</${name}>`;
  const body = [
    XML_DECLARATION,
    '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">',
    element('ShortName', wholeWords(publisher.name, SHORT_NAME_MAX)),
    element('LongName', wholeWords(publisher.name, LONG_NAME_MAX)),
    element('Description', wholeWords(publisher.description, DESCRIPTION_MAX)),
    url('text/html', PATHS.search),
    ...(mode === 'edge' ? [url('application/json', searchKnowledgeRoute.path)] : []),
    element('Language', publisher.language),
    '  <InputEncoding>UTF-8</InputEncoding>',
    '</OpenSearchDescription>',
    '',
  ].join('\n');
  return { path: PATHS.openSearch, contentType: 'application/opensearchdescription+xml', body };
}

/** The beginning of a text, up to the last space that fits. */
function wholeWords(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.lastIndexOf(' ', maxLength);
  return cutWhole(text, end > 0 ? end : maxLength).trim();
}
