import { analyse } from '../analysis/analyse.ts';
import { isCorrectable } from '../format/correctable-word.ts';
import { SEARCH_FIELDS, type SearchDocument, type SearchField } from '../search-document.ts';

/** Where and how often one term occurs in one document. */
export interface TermOccurrences {
  /** Occurrences in each field, in the order of `SEARCH_FIELDS`. */
  readonly frequencies: number[];
  /** The terms that follow it somewhere in the document. */
  readonly followers: Set<string>;
  lastPosition: number;
}

/** What the index keeps of one document. */
export interface AnalysedDocument {
  readonly terms: ReadonlyMap<string, TermOccurrences>;
  /** Occurrences in each field, in the order of `SEARCH_FIELDS`. */
  readonly fieldLengths: readonly number[];
  /** Lower-case words of letters as they stand in the text, and those that names are made of: what a query may misspell. */
  readonly words: ReadonlySet<string>;
}

/**
 * The terms of a document.
 *
 * A term follows another when it begins at the next place at which a term begins, stop words left out; a whole name and its
 * first part share a place. Nothing follows across two headings, tags or fields.
 */
export function analyseDocument(document: SearchDocument): AnalysedDocument {
  const terms = new Map<string, TermOccurrences>();
  const words = new Set<string>();
  const fieldLengths = SEARCH_FIELDS.map(() => 0);
  let position = 0;
  SEARCH_FIELDS.forEach((name, field) => {
    for (const text of textsOf(document, name)) {
      let before: TermOccurrences[] = [];
      let here: TermOccurrences[] = [];
      let start = -1;
      position++;
      for (const token of analyse(text, document.language)) {
        if (token.start !== start) {
          [before, here, start] = [here, [], token.start];
          position++;
        }
        const word = text.slice(token.start, token.end).toLowerCase();
        if (!words.has(word) && isCorrectable(word)) words.add(word);
        const occurrences = occurrencesOf(terms, token.term);
        here.push(occurrences);
        for (const { followers } of before) followers.add(token.term);
        // A name and its only long part can have one term at one place: that is one occurrence.
        if (occurrences.lastPosition === position) continue;
        occurrences.lastPosition = position;
        occurrences.frequencies[field] = (occurrences.frequencies[field] ?? 0) + 1;
        fieldLengths[field] = (fieldLengths[field] ?? 0) + 1;
      }
    }
  });
  return { terms, fieldLengths, words };
}

function textsOf(document: SearchDocument, field: SearchField): readonly string[] {
  const value = document[field];
  return typeof value === 'string' ? [value] : value;
}

function occurrencesOf(terms: Map<string, TermOccurrences>, term: string): TermOccurrences {
  let occurrences = terms.get(term);
  if (occurrences === undefined) {
    occurrences = { frequencies: SEARCH_FIELDS.map(() => 0), followers: new Set(), lastPosition: -1 };
    terms.set(term, occurrences);
  }
  return occurrences;
}
