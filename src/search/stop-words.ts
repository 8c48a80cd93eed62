/**
 * English words that carry no subject of their own; they are neither indexed nor searched.
 *
 * Lower case, unaccented: articles, pronouns, prepositions, conjunctions, auxiliaries, negations, question words, and what
 * an apostrophe leaves behind (`don` and `t` of "don't"). Nouns and verbs that name things in software, as "use" or "file",
 * are not among them; "get", "know" and "tell" are, because questions are full of them.
 */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are aren as at be because been before being below between
  both but by can could couldn did didn do does doesn doing don down during each either else etc few for from further
  get gets got had hadn has hasn have haven having he her here hers herself him himself his how however i if in into is
  isn it its itself just let ll may me might more most much must my myself no nor not of off on once one only or other
  our ours ourselves out over own per please re s same shall she should shouldn so some such t than that the their
  theirs them themselves then there these they this those through thus to too under until up upon us ve very was wasn
  we were weren what when where whether which while who whom whose why will with within without won would wouldn you
  your yours yourself yourselves know knows known still tell tells like look looks`.split(/\s+/),
);
