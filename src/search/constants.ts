import type { SearchField } from './search-document.ts';

/**
 * How fast more occurrences of a term stop counting.
 *
 * @see {@link https://doi.org/10.1561/1500000019 Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009)},
 * section 3.5: 1.2 to 2 is reasonable in many circumstances.
 */
export const BM25_K1 = 1.2;

/** How far a long field lowers a score, 0 to 1. Same source: 0.5 to 0.8; within it, chosen by measurement. */
export const BM25_B = 0.65;

/**
 * How much an occurrence in each field counts, before saturation: each as one. Headings, tags and summary repeat words of the body, so that
 * being in one of them counts twice by itself; the title also has a score of its own.
 *
 * @see {@link https://doi.org/10.1145/1031171.1031181 Robertson, Zaragoza, Taylor: Simple BM25 Extension to Multiple Weighted Fields
 * (2004)}
 */
export const FIELD_WEIGHTS: Readonly<Record<SearchField, number>> = {
  title: 1,
  headings: 1,
  tags: 1,
  summary: 1,
  body: 1,
};

/**
 * Share of a score of the title alone, added so that a match there is not lost in a long text. By measurement on five judged collections,
 * where 0.8 to 1.2 rank alike.
 */
export const TITLE_SCORE_WEIGHT = 1;

/** Share of a score of two neighbouring words of the query that are neighbours in a text. By measurement. */
export const PAIR_SCORE_WEIGHT = 0.2;

/** The most terms that a document gains from its nearest ones; 30 to 100 rank alike. */
export const EXPANSION_TERMS = 50;

/** How many nearest documents it gains them from; 7 to 20 rank alike. */
export const EXPANSION_NEIGHBOURS = 10;

/** The most characteristic terms of a document by which those are found. */
export const EXPANSION_COMPARED_TERMS = 10;

/** Nearer documents count more, by this power of the similarity. */
export const EXPANSION_SIMILARITY_POWER = 3;

/** Weight of a term of the neighbours relative to one of the text; 0.3 to 0.5 rank alike. */
export const EXPANSION_WEIGHT = 0.4;

/** How many of the strongest documents of a ranking are rescored with their neighbours. */
export const RESCORED_DOCUMENTS = 100;

/** Share of a score that comes from the neighbours of a document of great length. */
export const NEIGHBOUR_SCORE_WEIGHT = 0.4;

/** The most similar documents of a document, of which those count to which it is similar in turn. */
export const NEIGHBOURS_MAX = 10;

/** The most characteristic terms of a document by which those are found. */
export const NEIGHBOUR_COMPARED_TERMS = 20;

/** More similar documents are versions of one text, which are no evidence for each other. 0.5 to 0.9 rank alike. */
export const NEIGHBOUR_SIMILARITY_MAX = 0.7;

/** Distinct terms of a text whose neighbours are trusted by half; 20 to 100 rank alike. */
export const NEIGHBOUR_TRUST_TERMS = 50;

/** Weight of a corrected word relative to one that is in the index as it was written. */
export const CORRECTED_TERM_WEIGHT = 0.8;

/** Shorter words have too many neighbours to be corrected. In UTF-16 code units. */
export const CORRECTED_TERM_MIN_LENGTH = 4;

/** From this length words within two edits are found, below it within one. In UTF-16 code units. */
export const TWO_EDITS_MIN_LENGTH = 8;

/** Words of one query that are corrected, the first ones; bounds the work that a query of noise can cause. */
export const CORRECTED_WORDS_MAX = 8;
