import { stateNote, stateWords } from '../gateway/knowledge/capsule-state.ts';
import { jsonDocument } from '../protocols/protocol-module.ts';
import { searchKnowledgeRoute } from '../routes/search-routes.ts';
import type { SearchEntry } from '../schemas/knowledge/search-entries.ts';
import { capsulePath, PATHS } from '../schemas/paths.ts';
import { cutWhole } from '../search/analysis/tokenise.ts';
import { escapeMarkup, XML_DECLARATION } from '../text/markdown/write-markup.ts';
import type { DocumentFile, Publication } from '../text/publication.ts';

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

/** What the search of a frontend-only site compares queries with: its capsules and its other pages. Functions have the index instead. */
export function searchEntriesFile(publication: Publication): DocumentFile[] {
  if (publication.deployment.mode !== 'static') return [];
  return [{ path: PATHS.searchEntries, ...jsonDocument(searchEntries(publication)) }];
}

/** The pages of a site, capsules first: where two fit equally well, the first is shown first. */
export function searchEntries({
  capsules,
  pages,
  interfaceLanguage,
}: Pick<Publication, 'capsules' | 'pages' | 'interfaceLanguage'>): SearchEntry[] {
  const words = stateWords(interfaceLanguage.tag, interfaceLanguage.strings.capsules, interfaceLanguage.strings.terms);
  return [
    ...capsules.map(({ id, metadata }): SearchEntry => {
      const { title, summary, tags, language, status } = metadata;
      return {
        kind: 'capsule',
        title,
        summary,
        path: capsulePath(id),
        ...(tags.length === 0 ? {} : { tags }),
        ...(language === interfaceLanguage.tag ? {} : { language }),
        ...(status === 'current' ? {} : { status, note: stateNote(metadata, words) }),
      };
    }),
    ...pages.map(
      ({ path, title, description }): SearchEntry => ({
        kind: path.startsWith(`${PATHS.buy}/`) && path !== PATHS.buyInvoice ? 'offer' : 'guide',
        title,
        summary: description,
        path,
      }),
    ),
  ];
}
