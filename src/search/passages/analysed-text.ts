import { analyse } from '../analysis/analyse.ts';
import { SEARCH_FIELDS, type SearchDocument, type SearchField } from '../search-document.ts';
import { type PassageRegion, passageRegions, type TextHeading, textHeadings, type VisibleRange, visibleRanges } from './markdown-blocks.ts';
import { findOccurrences, type Hit, TextOccurrences } from './text-occurrences.ts';

/**
 * Searches before a text is analysed as a whole. That takes as long as about ten searches, so a text that an isolate searches once is never
 * analysed as a whole.
 */
const SEARCHES_BEFORE_INDEXING = 6;

/** A markdown text that is searched for the terms of many queries; shared work is done once. */
export class AnalysedText {
  readonly text: string;
  readonly #language: string;
  #regions: readonly PassageRegion[] | undefined;
  #headings: readonly TextHeading[] | undefined;
  #found: { readonly terms: readonly string[]; readonly hits: readonly Hit[] } | undefined;
  #visible: readonly VisibleRange[] | undefined;
  #searches = 0;
  #occurrences: TextOccurrences | undefined;

  /** @param language BCP 47 tag. */
  constructor(text: string, language: string) {
    this.text = text;
    this.#language = language;
  }

  /** The regions of the text; a passage is within one. */
  get regions(): readonly PassageRegion[] {
    this.#regions ??= passageRegions(this.text);
    return this.#regions;
  }

  get headings(): readonly TextHeading[] {
    this.#headings ??= textHeadings(this.text);
    return this.#headings;
  }

  /** The occurrences of some terms in order; cached for the same array. */
  findHits(terms: readonly string[]): readonly Hit[] {
    if (this.#found?.terms !== terms) this.#found = { terms, hits: this.#search(terms) };
    return this.#found.hits;
  }

  /**
   * Some terms, each as often as it occurs in the visible text: not in link addresses, footnote keys, HTML tags or fence lines. A name and
   * its part with the same term at one position count once.
   */
  visibleTerms(terms: readonly string[], within?: 'heading'): string[] {
    this.#visible ??= visibleRanges(this.text);
    const ranges = this.#visible.filter(({ kind }) => within === undefined || kind === within);
    const names = [...new Set(terms)];
    const visible: string[] = [];
    const lastStart = new Map<number, number>();
    let range = 0;
    for (const { term, start, end } of this.findHits(terms)) {
      while (range < ranges.length && ranges[range].end <= start) range++;
      if (range === ranges.length) break;
      if (ranges[range].start > start || ranges[range].end < end || lastStart.get(term) === start) continue;
      lastStart.set(term, start);
      visible.push(names[term]);
    }
    return visible;
  }

  #search(terms: readonly string[]): Hit[] {
    const numbers = new Map([...new Set(terms)].map((term, number) => [term, number]));
    if (numbers.size === 0) return [];
    this.#searches += 1;
    if (this.#searches <= SEARCHES_BEFORE_INDEXING) return findOccurrences(this.text, this.#language, numbers);
    this.#occurrences ??= new TextOccurrences(this.text, this.#language);
    return this.#occurrences.hits(numbers.keys());
  }
}

/** Frequency of a term in the fields that have it. */
export type FieldFrequencies = Partial<Record<SearchField, number>>;

/**
 * Frequencies of some terms in each field of a document with a markdown body, counting only its visible text. The index counts in text
 * without markup, so that a word with markup inside may differ.
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

/** The terms of some texts; a name and its part with the same term at one position count once. */
function termsOf(texts: readonly string[], language: string): string[] {
  return texts.flatMap((text) => {
    const atPlace = new Map(analyse(text, language).map(({ term, start }) => [`${start} ${term}`, term]));
    return [...atPlace.values()];
  });
}
