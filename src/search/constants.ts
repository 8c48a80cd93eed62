import type { SearchField } from './search-document.ts';

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
 * How much an occurrence in each field counts, before saturation: each as one. Headings, tags and summary repeat words of the
 * body, so that being in one of them counts twice by itself; the title counts on its own besides.
 *
 * @see {@link https://doi.org/10.1145/1031171.1031181 Robertson, Zaragoza, Taylor: Simple BM25 Extension to Multiple
 *   Weighted Fields (2004)}
 */
export const FIELD_WEIGHTS: Readonly<Record<SearchField, number>> = {
  title: 1,
  headings: 1,
  tags: 1,
  summary: 1,
  body: 1,
};

/**
 * Share of a score of the title alone, added so that a match there is not lost in a long text. By measurement on five judged
 * collections, where 0.8 to 1.2 rank alike.
 */
export const TITLE_SCORE_WEIGHT = 1;

/** Share of a score of two neighbouring words of the query that are neighbours in a text. By measurement. */
export const PAIR_SCORE_WEIGHT = 0.2;

/** Terms of a document's nearest ones that it is given at most; 30 to 100 rank alike. */
export const EXPANSION_TERMS = 50;

/** How many nearest documents it is given them from; 7 to 20 rank alike. */
export const EXPANSION_NEIGHBOURS = 10;

/** The most characteristic terms of a document by which those are found. */
export const EXPANSION_COMPARED_TERMS = 10;

/** Nearer documents count more, by this power of the similarity. */
export const EXPANSION_SIMILARITY_POWER = 3;

/** What a term of the neighbours counts against one of the text; 0.3 to 0.5 rank alike. */
export const EXPANSION_WEIGHT = 0.4;

/** Of the strongest documents of a ranking, how many are rescored with their neighbours. */
export const SMOOTHED_DOCUMENTS = 100;

/** Share of a score that comes from the neighbours of a document of great length. */
export const SMOOTHING_WEIGHT = 0.4;

/** Similar documents that are asked whether the likeness is mutual. */
export const SMOOTHING_NEIGHBOURS = 10;

/** The most characteristic terms of a document by which those are found. */
export const SMOOTHING_COMPARED_TERMS = 20;

/** Documents that are more similar are versions of one text, which say nothing about each other. 0.5 to 0.9 rank alike. */
export const SMOOTHING_SIMILARITY_MAX = 0.7;

/** Distinct terms of a text of which half of what its neighbours say is believed; 20 to 100 rank alike. */
export const SMOOTHING_TRUST_TERMS = 50;

/** How much a corrected word counts against one that was written as it is in the index. */
export const CORRECTED_TERM_WEIGHT = 0.8;

/** Shorter words have too many neighbours to be corrected. In UTF-16 code units. */
export const CORRECTED_TERM_MIN_LENGTH = 4;

/** From this length two edits are looked for, below it one. In UTF-16 code units. */
export const TWO_EDITS_MIN_LENGTH = 8;

/** Words of one query that are corrected, the first ones; bounds the work that a query of noise can cause. */
export const CORRECTED_WORDS_MAX = 8;
