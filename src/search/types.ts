/**
 * What one document of the corpus is made of, as the index sees it.
 *
 * Every member is plain text; markdown in `body` is read as text. Order and repetition inside `headings` and `tags` are
 * kept as given.
 */
export interface SearchDocument {
  /** Unique in its corpus; any well-formed string. Ties in ranking go to the lower id. */
  readonly id: string;
  /** BCP 47 tag; only the primary subtag `en` changes the analysis. */
  readonly language: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly tags: readonly string[];
  readonly summary: string;
  readonly body: string;
}

/**
 * The fields of a document in the order in which field lengths and frequencies are laid out.
 *
 * Part of the encoded format: adding or moving one raises `INDEX_FORMAT_VERSION`.
 */
export const SEARCH_FIELDS = ['title', 'headings', 'tags', 'summary', 'body'] as const;

/** The name of one searched field. */
export type SearchField = (typeof SEARCH_FIELDS)[number];

/**
 * A searchable corpus: made by `buildIndex` or `decodeIndex`, read by `rankDocuments`, never changed.
 *
 * A document number is the position of its id in `documentIds`; a term number is the position of the term in `terms`.
 * Equal corpora give equal indexes, in whatever order the documents came.
 */
export interface SearchIndex {
  /** Distinct, ascending by UTF-16 code unit. */
  readonly documentIds: readonly string[];
  /** One language tag a document, as the document declared it. */
  readonly languages: readonly string[];
  /** Terms in each field: at `documentNumber * SEARCH_FIELDS.length + field`. */
  readonly fieldLengths: Uint32Array;
  /** Distinct, ascending by UTF-16 code unit; each occurs in at least one document. */
  readonly terms: readonly string[];
  /** Where the posting list of each term begins in `postings`, in bytes; one entry more than there are terms. */
  readonly postingStarts: Uint32Array;
  /** The posting lists one after another, in the form that `readPostings` reads. */
  readonly postings: Uint8Array;
}

/** One document that matches a query. */
export interface RankedDocument {
  readonly id: string;
  /** The position of `id` in the `documentIds` of the index that was ranked. */
  readonly documentNumber: number;
  /** Zero or more, rounded to six decimals. Comparable within one query only. */
  readonly score: number;
  /** The terms of the index that matched, distinct, in the order of the query; corrected words in their corrected form. */
  readonly matchedTerms: readonly string[];
}

/** A part of a text in UTF-16 code units, so that `text.slice(start, end)` is that part. */
export interface TextRange {
  readonly start: number;
  /** Exclusive; never below `start`. */
  readonly end: number;
}
