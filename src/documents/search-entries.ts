import { stateNote, stateWords } from '../gateway/knowledge/capsule-state.ts';
import { jsonDocument } from '../protocols/protocol-module.ts';
import type { DocumentFile, Publication } from '../publication/publication.ts';
import type { SearchEntry } from '../schemas/knowledge/search-entries.ts';
import { capsulePath, PATHS } from '../schemas/paths.ts';

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
