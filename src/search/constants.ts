import type { SearchField } from './types.ts';

/**
 * How fast more occurrences of a term stop counting.
 *
 * @see {@link https://doi.org/10.1561/1500000019 Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and
 *   Beyond (2009)}, section 3.5: 1.2 to 2 is reasonable in many circumstances.
 */
export const BM25_K1 = 1.2;

/** How far a long field is held against a document, 0 to 1. Same source: 0.5 to 0.8; within it, chosen by measurement. */
export const BM25_B = 0.65;

/**
 * How much an occurrence in each field counts, before saturation.
 *
 * @see {@link https://doi.org/10.1145/1031171.1031181 Robertson, Zaragoza, Taylor: Simple BM25 Extension to Multiple
 *   Weighted Fields (2004)}. The title's weight was chosen by measurement on five judged collections; headings, tags and
 *   summary repeat words of the body, so that being in one of them counts twice by itself.
 */
export const FIELD_WEIGHTS: Readonly<Record<SearchField, number>> = {
  title: 3,
  headings: 1,
  tags: 1,
  summary: 1,
  body: 1,
};

/** Share of a score of the title alone, added so that a match there is not lost in a long text. By measurement. */
export const TITLE_SCORE_WEIGHT = 0.25;

/** Share of a score of two neighbouring words of the query that are neighbours in a text. By measurement. */
export const PAIR_SCORE_WEIGHT = 0.15;

/** How much a corrected word counts against one that was written as it is in the index. */
export const CORRECTED_TERM_WEIGHT = 0.8;

/** Shorter words have too many neighbours to be corrected. In UTF-16 code units. */
export const CORRECTED_TERM_MIN_LENGTH = 4;

/** From this length two edits are looked for, below it one. In UTF-16 code units. */
export const TWO_EDITS_MIN_LENGTH = 8;

/** Words of one query that are corrected, the first ones; bounds the work that a query of noise can cause. */
export const CORRECTED_WORDS_MAX = 8;
