/**
 * What one document of the corpus is made of, as the index sees it.
 *
 * Every member is plain text; markdown in `body` is read as text. Order and repetition inside `headings` and `tags` are kept.
 */
export interface SearchDocument {
  /** Unique in its corpus; any well-formed string. Ties in ranking go to the document that was added first. */
  readonly id: string;
  /** BCP 47 tag: decides how the texts are analysed. */
  readonly language: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly tags: readonly string[];
  readonly summary: string;
  readonly body: string;
  /** Documents of a lower tier come first whatever their score, 0 to 3; 0 when absent. */
  readonly tier?: number;
  /** Values to filter and count by, for the columns of the build. */
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

/** One value, several, or a whole number from 0 to 2^32 - 1. */
export type AttributeValue = string | readonly string[] | number;

/**
 * The fields of a document in the order in which field lengths and frequencies are laid out.
 *
 * Part of the encoded format: adding or moving one raises `INDEX_FORMAT_VERSION`.
 */
export const SEARCH_FIELDS = ['title', 'headings', 'tags', 'summary', 'body'] as const;

/** The name of one searched field. */
export type SearchField = (typeof SEARCH_FIELDS)[number];

/** A part of a text in UTF-16 code units, so that `text.slice(start, end)` is that part. */
export interface TextRange {
  readonly start: number;
  /** Exclusive; never below `start`. */
  readonly end: number;
}
