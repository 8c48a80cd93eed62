import { analyse } from '../analysis/analyse.ts';
import { SEARCH_FIELDS, type SearchDocument, type SearchField } from '../search-document.ts';
import { type AnswerType, hasAnswerOf } from './answer-type.ts';
import { type TextHeading, textHeadings, type VisibleRange, visibleRanges } from './markdown-blocks.ts';
import { type PassageUnit, passageUnits } from './passage-units.ts';
import { findOccurrences, type Hit, type Occurrences, TextOccurrences } from './text-occurrences.ts';

/**
 * Searches before a text is analysed as a whole. That takes as long as about ten searches, so a text that an isolate searches once is never
 * analysed as a whole.
 */
const SEARCHES_BEFORE_INDEXING = 6;

/** A markdown text that is searched for the terms of many queries; shared work is done once. */
export class AnalysedText {
  readonly text: string;
  readonly #language: string;
  readonly #title: string;
  #titleTerms: ReadonlySet<string> | undefined;
  #units: { readonly maxLength: number; readonly units: readonly PassageUnit[] } | undefined;
  /** Of each type: for each unit 0 if it is unknown, 1 for no answer, 2 for one. */
  readonly #answers = new Map<AnswerType, Uint8Array>();
  #headings: readonly TextHeading[] | undefined;
  #found: (Occurrences & { readonly terms: readonly string[] }) | undefined;
  #visible: readonly VisibleRange[] | undefined;
  #searches = 0;
  #occurrences: TextOccurrences | undefined;

  /**
   * @param language BCP 47 tag.
   * @param title Title of the document that has the text.
   */
  constructor(text: string, language: string, title = '') {
    this.text = text;
    this.#language = language;
    this.#title = title;
  }

  /** The terms of the document's title. */
  get titleTerms(): ReadonlySet<string> {
    this.#titleTerms ??= new Set(analyse(this.#title, this.#language).map(({ term }) => term));
    return this.#titleTerms;
  }

  /** The units of the text; cached for one length. @param maxLength Of a unit, in UTF-16 code units. */
  units(maxLength: number): readonly PassageUnit[] {
    if (this.#units?.maxLength !== maxLength) {
      this.#units = { maxLength, units: passageUnits(this.text, maxLength) };
      this.#answers.clear();
    }
    return this.#units.units;
  }

  /** Whether one of the units that were read last has an answer of some type. @param number Its position. */
  hasAnswer(type: AnswerType, { start, end }: PassageUnit, number: number): boolean {
    let known = this.#answers.get(type);
    if (known === undefined) {
      known = new Uint8Array(this.#units?.units.length ?? 0);
      this.#answers.set(type, known);
    }
    if (known[number] === 0) known[number] = hasAnswerOf(type, this.text.slice(start, end)) ? 2 : 1;
    return known[number] === 2;
  }

  /** The headings of the text, in order. */
  get headings(): readonly TextHeading[] {
    this.#headings ??= textHeadings(this.text);
    return this.#headings;
  }

  /** The occurrences of some terms in order; cached for the same array. */
  findHits(terms: readonly string[]): readonly Hit[] {
    return this.#find(terms).hits;
  }

  /** The occurrences of terms that are related to some terms, in order; cached for the same array. */
  findRelatedHits(terms: readonly string[]): readonly Hit[] {
    return this.#find(terms).related;
  }

  #find(terms: readonly string[]): Occurrences {
    if (this.#found?.terms !== terms) this.#found = { terms, ...this.#search(terms) };
    return this.#found;
  }

  /** Those of {@link findHits} that readers see: not in link addresses, footnote keys, HTML tags or fence lines. */
  findVisibleHits(terms: readonly string[], within?: 'heading'): Hit[] {
    this.#visible ??= visibleRanges(this.text);
    const ranges = this.#visible;
    let range = 0;
    return this.findHits(terms).filter(({ start, end }) => {
      while (range < ranges.length && ranges[range].end <= start) range++;
      if (range === ranges.length) return false;
      const { start: from, end: to, kind } = ranges[range];
      return from <= start && end <= to && (within === undefined || kind === within);
    });
  }

  /** Some terms, each as often as readers see it. A name and its part with the same term at one position count once. */
  visibleTerms(terms: readonly string[], within?: 'heading'): string[] {
    const names = [...new Set(terms)];
    const lastStart = new Map<number, number>();
    return this.findVisibleHits(terms, within).flatMap(({ term, start }) => {
      if (lastStart.get(term) === start) return [];
      lastStart.set(term, start);
      return [names[term]];
    });
  }

  #search(terms: readonly string[]): Occurrences {
    const numbers = new Map([...new Set(terms)].map((term, number) => [term, number]));
    if (numbers.size === 0) return { hits: [], related: [] };
    this.#searches += 1;
    if (this.#searches <= SEARCHES_BEFORE_INDEXING) return findOccurrences(this.text, this.#language, numbers);
    this.#occurrences ??= new TextOccurrences(this.text, this.#language);
    return this.#occurrences.find([...numbers.keys()]);
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
