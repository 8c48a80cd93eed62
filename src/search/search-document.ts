/** A document to index, in plain text; markdown in `body` is indexed as text. Order and repetition in `headings` and `tags` count. */
export interface SearchDocument {
  /** Unique in the corpus; any well-formed string. Of equal scores the document added first ranks first. */
  readonly id: string;
  /** BCP 47 tag, which selects the analyser. */
  readonly language: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly tags: readonly string[];
  readonly summary: string;
  readonly body: string;
  /** Questions that it answers, in the words of people who ask. */
  readonly questions?: readonly string[] | undefined;
  /** Words that it may lack and queries for it may have, with weights: one of weight 1 counts like a word of similar documents. */
  readonly expansions?: Readonly<Record<string, number>>;
  /** Names that it defines, such as header fields or terms, in the order of the text. */
  readonly names?: readonly string[];
  /** Further names in it: its inline code. */
  readonly codes?: readonly string[];
  /** 0 to 3, by default 0; documents of a lower tier rank first, whatever their score. */
  readonly tier?: number;
  /** Values to filter and count by, for the columns of the build. */
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

/** One value, several, or a whole number from 0 to 2^32 - 1. */
export type AttributeValue = string | readonly string[] | number;

/** The fields of a document in the order of the encoded format: a change raises `INDEX_FORMAT_VERSION`. */
export const SEARCH_FIELDS = ['title', 'headings', 'tags', 'summary', 'body', 'questions'] as const;

export type SearchField = (typeof SEARCH_FIELDS)[number];

/** A part of a text in UTF-16 code units: `text.slice(start, end)`. */
export interface TextRange {
  readonly start: number;
  /** Exclusive; never below `start`. */
  readonly end: number;
}
