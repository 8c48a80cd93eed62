import { analyse, type Token } from '../analysis/analyse.ts';
import { UNKNOWN_READING } from '../analysis/analysers.ts';
import { spellWord } from '../analysis/normalise-spelling.ts';
import { splitTerms } from '../analysis/split-terms.ts';
import { STEMMERS } from '../analysis/stemmers.ts';
import { stopWordsOf } from '../analysis/stop-words.ts';
import type { TextRange } from '../search-document.ts';

/** Each reading costs an analysis and look-ups in the index; it bounds what one query can cost in a corpus of many languages. */
const READINGS_MAX = 6;

/** The words of a query by which readings are chosen; whoever writes more has said in them which language it is. */
const EVIDENCE_WORDS_MAX = 64;

/**
 * The tokens of a query as each of some readings has them, in the order of the readings, stop words of the language that
 * the query is written in left out of all of them.
 *
 * That language is the reading that drops most of the query, the first of several: "what is the Kapsel" is English, "die
 * Kapsel der Zeit" German. Without it a German document that quotes "what is the" would win every English question, since
 * the words are rare in its language. Stop words of the other languages count only in their own reading: "how to do die
 * casting" finds the English document about it beside any number of German ones. "die casting" alone looks German where
 * there is German, and finds it by "casting"; in a corpus of English alone, `die` is a word like any other. If the language
 * of the query leaves nothing of it, as of "die", each reading keeps what it has.
 *
 * @param readings As `readingLanguages` gives them; of more than six, those of {@link chooseReadings}.
 */
export function readQuery(query: string, readings: readonly string[]): Token[][] {
  const read = chooseReadings(query, readings).map((reading) => analyse(query, reading));
  const least = Math.min(...read.map(({ length }) => length));
  const content = new Set(read.find(({ length }) => length === least)?.map(rangeKey));
  if (content.size === 0) return read;
  return read.map((tokens) => tokens.filter((token) => content.has(rangeKey(token))));
}

/** Tells the tokens of one reading apart, and finds the same place in another. */
export function rangeKey({ start, end }: TextRange): string {
  return `${start} ${end}`;
}

/**
 * The at most six readings of some in which a query is read, in their order; all of six or fewer, whatever the query.
 *
 * English and the unknown are kept; the rest are the languages whose stop words the query has most of, then those in whose
 * script it is written, then the first.
 */
export function chooseReadings(query: string, readings: readonly string[]): readonly string[] {
  if (readings.length <= READINGS_MAX) return readings;
  const words = splitTerms(query)
    .slice(0, EVIDENCE_WORDS_MAX)
    .map(({ start, end }) => query.slice(start, end));
  const ranked = readings.map((reading, position) => ({ reading, position, evidence: evidenceFor(reading, words) }));
  ranked.sort((a, b) => b.evidence - a.evidence || a.position - b.position);
  const chosen = new Set(ranked.slice(0, READINGS_MAX).map(({ reading }) => reading));
  return readings.filter((reading) => chosen.has(reading));
}

function evidenceFor(reading: string, words: readonly string[]): number {
  if (reading === 'en' || reading === UNKNOWN_READING) return Number.POSITIVE_INFINITY;
  const stopWords = stopWordsOf(reading);
  const script = STEMMERS.get(reading)?.stemmable;
  let evidence = 0;
  let sameScript = 0;
  for (const word of words) {
    const spelled = spellWord(word, reading);
    if (stopWords.has(spelled)) evidence++;
    if (script?.test(spelled)) sameScript = 0.5;
  }
  return evidence + sameScript;
}
