import type { SearchField } from './search-document.ts';

/** How fast the frequency of a term saturates: 1.2 to 2 by Robertson and Zaragoza (2009), section 3.5, doi.org/10.1561/1500000019. */
export const BM25_K1 = 1.2;

/** How far a long field lowers a score, 0 to 1. Same source: 0.5 to 0.8; within it, chosen by measurement. */
export const BM25_B = 0.65;

/**
 * Weight of an occurrence in each field, before saturation (Robertson, Zaragoza, Taylor, 2004, doi.org/10.1145/1031171.1031181): all equal.
 * Headings, tags and summary repeat words of the body, which count twice anyway; the title also has a score of its own.
 */
export const FIELD_WEIGHTS: Readonly<Record<SearchField, number>> = {
  title: 1,
  headings: 1,
  tags: 1,
  summary: 1,
  body: 1,
  questions: 1,
};

/** Share of a score of the title alone, so that a match there is not lost in a long text. By measurement on five collections; 0.8 to 1.2 rank alike. */
export const TITLE_SCORE_WEIGHT = 1;

/** Weight of two adjacent words of the query that are adjacent in a text, relative to a term. By measurement. */
export const PAIR_SCORE_WEIGHT = 0.2;

/** Impacts of a document for the names that it has, by what the name is to it. */
export const NAME_IMPACTS = {
  /** Its id and title. */
  title: 127,
  /** The title without what is in parentheses at its end. */
  titlePart: 100,
  question: 100,
  /** What it defines: terms of definition lists, rows and items that begin with a name, bold words. */
  defined: 80,
  /** Words of the title that are names by their form, such as "JSON", and compounds in it, where they begin it: what the text is about. */
  titleStart: 75,
  /** Those further on. */
  titleWord: 60,
  heading: 60,
  code: 40,
  /** Compounds of the text with a stop word, which would be lost otherwise. */
  compound: 30,
  /** Other words of the title, in the form that they have there. */
  titleForm: 4,
  /** Hyphenated words as one word, `dryrun`: less than a text has that writes it so. */
  joined: 1,
} as const;

/** Impact of a title word that is all that a query asks for: before texts with a heading or code of that name. By measurement, 60 to 75 rank alike. */
export const WHOLE_TITLE_FORM_IMPACT = 70;

/** Weight of adjacent words in quotation marks, relative to others: documents with the phrase come first. */
export const PHRASE_WEIGHT = 4;

/** Weight of the adverb in a question for a degree, "how long", relative to a term. By measurement. */
export const DEGREE_WEIGHT = 0.15;

/** Weight of another form of an irregular verb, relative to a term. By measurement. */
export const INFLECTED_TERM_WEIGHT = 0.7;

/** Weight of a name in a query, such as "Retry-After: 120", relative to a term. */
export const NAME_WEIGHT = 0.6;

/** Weight of an operator in a query, which no word says, relative to a term. */
export const OPERATOR_WEIGHT = 3;

/** Impact of a compound of a text for a name in small letters, which may be no name: "re-entry". Texts that define it or have it as code count in full. */
export const PLAIN_NAME_IMPACT = 1;

/** Weight of a name that is all that a query asks for: its documents are first. */
export const WHOLE_NAME_WEIGHT = 24;

/** Most terms that expansion adds to a document from its neighbours; 30 to 100 rank alike. */
export const EXPANSION_TERMS = 50;

/** Neighbours that a document is expanded from; 7 to 20 rank alike. */
export const EXPANSION_NEIGHBOURS = 10;

/** Most characteristic terms of a document that are compared to find them. */
export const EXPANSION_COMPARED_TERMS = 10;

/** Exponent of the similarity of a neighbour. */
export const EXPANSION_SIMILARITY_POWER = 3;

/** Weight of a term of the neighbours relative to a term of the text; 0.3 to 0.5 rank alike. */
export const EXPANSION_WEIGHT = 0.4;

/** Top documents of a ranking that are rescored with their neighbours. */
export const RESCORED_DOCUMENTS = 100;

export const NEIGHBOUR_SCORE_WEIGHT = 0.4;

/** Most similar documents of each document; only mutual ones become neighbours. */
export const NEIGHBOURS_MAX = 10;

/** Most characteristic terms of a document that are compared to find them. */
export const NEIGHBOUR_COMPARED_TERMS = 20;

/** More similar documents are near duplicates, which are no evidence for each other. 0.5 to 0.9 rank alike. */
export const NEIGHBOUR_SIMILARITY_MAX = 0.7;

/** Distinct terms of a text whose neighbours have half their weight; 20 to 100 rank alike. */
export const NEIGHBOUR_TRUST_TERMS = 50;

/** Weight of several words of a query as one, `dryrun` of "dry-run", relative to each of them. By measurement. */
export const COMPOUND_WEIGHT = 0.2;

/** Weight of a corrected word relative to a known word. */
export const CORRECTED_TERM_WEIGHT = 0.8;

/** Shorter words are near too many others to be corrected. In UTF-16 code units. */
export const CORRECTED_TERM_MIN_LENGTH = 4;

/** Words from this length are corrected within two edits, shorter ones within one. In UTF-16 code units. */
export const TWO_EDITS_MIN_LENGTH = 8;

/** Most words of one query that are corrected, from the first: bounds the work of a query of noise. */
export const CORRECTED_WORDS_MAX = 8;

/** What a document gains whose sentence has the whole query, relative to its score; 0.2 to 0.8 answer alike. By measurement. */
export const SENTENCE_SCORE_WEIGHT = 0.4;
