import { documentTerms } from './document-terms.ts';
import { PostingListWriter } from './postings.ts';
import { SEARCH_FIELDS, type SearchDocument, type SearchIndex } from './types.ts';

/**
 * The index of a corpus. The order in which the documents are given changes nothing.
 *
 * @throws {RangeError} If two documents have one id, or an id or a language holds a lone surrogate, which no encoding
 *   could bring back.
 */
export function buildIndex(documents: Iterable<SearchDocument>): SearchIndex {
  const sorted = [...documents].sort((a, b) => compareStrings(a.id, b.id));
  sorted.forEach((document, number) => {
    if (sorted[number + 1]?.id === document.id) {
      throw new RangeError(`Cannot index two documents with the id "${document.id}"`);
    }
    requireWellFormed(document.id);
    requireWellFormed(document.language);
  });

  const fieldLengths = new Uint32Array(sorted.length * SEARCH_FIELDS.length);
  const lists = new Map<string, PostingListWriter>();
  sorted.forEach((document, number) => {
    const { terms, fieldLengths: lengths } = documentTerms(document);
    fieldLengths.set(lengths, number * SEARCH_FIELDS.length);
    for (const [term, occurrences] of terms) {
      let list = lists.get(term);
      if (list === undefined) {
        list = new PostingListWriter();
        lists.set(term, list);
      }
      list.add(number, occurrences);
    }
  });

  return {
    documentIds: sorted.map(({ id }) => id),
    languages: sorted.map(({ language }) => language),
    fieldLengths,
    ...joinLists(lists),
  };
}

function joinLists(lists: ReadonlyMap<string, PostingListWriter>): Pick<SearchIndex, 'terms' | 'postingStarts' | 'postings'> {
  const entries = [...lists].sort(([a], [b]) => compareStrings(a, b));
  const encoded = entries.map(([, list]) => list.toBytes());
  const postingStarts = new Uint32Array(entries.length + 1);
  encoded.forEach((bytes, term) => {
    postingStarts[term + 1] = (postingStarts[term] ?? 0) + bytes.length;
  });
  const postings = new Uint8Array(postingStarts[entries.length] ?? 0);
  encoded.forEach((bytes, term) => {
    postings.set(bytes, postingStarts[term]);
  });
  return { terms: entries.map(([term]) => term), postingStarts, postings };
}

// By UTF-16 code unit, as `<` compares; a locale would make the order depend on the machine.
function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function requireWellFormed(text: string): void {
  if (/\p{Surrogate}/u.test(text)) throw new RangeError(`Cannot index ${JSON.stringify(text)}: lone surrogate`);
}
