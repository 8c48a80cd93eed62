import { analyse } from '../analysis/analyse.ts';
import { SEARCH_FIELDS, type SearchDocument, type SearchField } from '../search-document.ts';
import type { AnalysedText } from './analysed-text.ts';

/** How often the fields of a document have a term; a field without it is left out. */
export type FieldFrequencies = Partial<Record<SearchField, number>>;

/**
 * How often some terms occur in each field of a document whose body is markdown.
 *
 * In the body the visible text counts: addresses of links and footnote keys do not. The index counts in text without markup, so that a word
 * with markup inside it may differ.
 *
 * @param terms As the index has them.
 */
export function countFieldFrequencies(
  document: Pick<SearchDocument, 'language' | 'title' | 'tags' | 'summary'>,
  body: AnalysedText,
  terms: readonly string[],
): Map<string, FieldFrequencies> {
  const occurrences: Record<SearchField, readonly string[]> = {
    title: termsOf([document.title], document.language),
    headings: body.visibleTerms(terms, 'heading'),
    tags: termsOf(document.tags, document.language),
    summary: termsOf([document.summary], document.language),
    body: body.visibleTerms(terms),
  };
  const frequencies = new Map(terms.map((term): [string, FieldFrequencies] => [term, {}]));
  for (const field of SEARCH_FIELDS) {
    for (const term of occurrences[field]) {
      const ofTerm = frequencies.get(term);
      if (ofTerm !== undefined) ofTerm[field] = (ofTerm[field] ?? 0) + 1;
    }
  }
  return frequencies;
}

/** The terms of some texts; a name and its part with the same term at one place count once. */
function termsOf(texts: readonly string[], language: string): string[] {
  return texts.flatMap((text) => {
    const atPlace = new Map(analyse(text, language).map(({ term, start }) => [`${start} ${term}`, term]));
    return [...atPlace.values()];
  });
}
