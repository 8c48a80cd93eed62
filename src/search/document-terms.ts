import { analyse } from './analyse.ts';
import { SEARCH_FIELDS, type SearchDocument, type SearchField } from './types.ts';

/** Where and how often one term occurs in one document. */
export interface TermOccurrences {
  /** Occurrences in each field, in the order of `SEARCH_FIELDS`. */
  readonly frequencies: number[];
  /** Ascending and distinct; as many as the frequencies add up to, field after field. */
  readonly positions: number[];
}

/** What the index keeps of one document. */
export interface DocumentTerms {
  readonly terms: ReadonlyMap<string, TermOccurrences>;
  /** Occurrences in each field, in the order of `SEARCH_FIELDS`. */
  readonly fieldLengths: readonly number[];
}

/**
 * The terms of a document with their positions.
 *
 * Positions count the places of a text at which a term begins, stop words left out, so that two terms at neighbouring
 * positions are read as neighbours; a whole name and its first part share one. Each heading, tag and field begins two
 * further on, so that nothing is a neighbour across them.
 */
export function documentTerms(document: SearchDocument): DocumentTerms {
  const terms = new Map<string, TermOccurrences>();
  const fieldLengths: number[] = [];
  let position = -2;
  SEARCH_FIELDS.forEach((name, field) => {
    let length = 0;
    for (const text of textsOf(document, name)) {
      let start = -1;
      position++;
      for (const token of analyse(text, document.language)) {
        if (token.start !== start) position++;
        start = token.start;
        if (addOccurrence(terms, token.term, field, position)) length++;
      }
    }
    fieldLengths.push(length);
  });
  return { terms, fieldLengths };
}

function textsOf(document: SearchDocument, field: SearchField): readonly string[] {
  const value = document[field];
  return typeof value === 'string' ? [value] : value;
}

// A name and its only long part can have one term at one position: that is one occurrence.
function addOccurrence(terms: Map<string, TermOccurrences>, term: string, field: number, position: number): boolean {
  let occurrences = terms.get(term);
  if (occurrences === undefined) {
    occurrences = { frequencies: SEARCH_FIELDS.map(() => 0), positions: [] };
    terms.set(term, occurrences);
  }
  if (occurrences.positions.at(-1) === position) return false;
  occurrences.positions.push(position);
  occurrences.frequencies[field] = (occurrences.frequencies[field] ?? 0) + 1;
  return true;
}
