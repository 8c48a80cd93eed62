import { analyse } from '../analysis/analyse.ts';
import type { AnalysedText } from './analysed-text.ts';
import { SEARCH_FIELDS, type SearchDocument, type SearchField } from '../search-document.ts';

/** How often the fields of a document have a term; a field without it is left out. */
export type FieldCounts = Partial<Record<SearchField, number>>;

/**
 * How often some terms stand in each field of a document whose body is markdown.
 *
 * The body is counted as it is read, in what the markdown shows: addresses of links and footnote keys do not count. The index
 * counts in text without markup, so that a word with markup inside of it may differ.
 *
 * @param terms As the index has them.
 */
export function countInFields(
  document: Pick<SearchDocument, 'language' | 'title' | 'tags' | 'summary'>,
  body: AnalysedText,
  terms: readonly string[],
): Map<string, FieldCounts> {
  const places: Record<SearchField, readonly string[]> = {
    title: termsOf([document.title], document.language),
    headings: body.shownTerms(terms, 'heading'),
    tags: termsOf(document.tags, document.language),
    summary: termsOf([document.summary], document.language),
    body: body.shownTerms(terms),
  };
  const counts = new Map(terms.map((term) => [term, {} as FieldCounts]));
  for (const field of SEARCH_FIELDS) {
    for (const term of places[field]) {
      const ofTerm = counts.get(term);
      if (ofTerm !== undefined) ofTerm[field] = (ofTerm[field] ?? 0) + 1;
    }
  }
  return counts;
}

/** The terms of some texts, a name and its part with one term at one place once. */
function termsOf(texts: readonly string[], language: string): string[] {
  return texts.flatMap((text) => {
    const atPlace = new Set<string>();
    return analyse(text, language).flatMap(({ term, start }) => {
      const key = `${start} ${term}`;
      if (atPlace.has(key)) return [];
      atPlace.add(key);
      return [term];
    });
  });
}
