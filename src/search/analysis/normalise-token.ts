import { stemmer as english } from 'stemmer';
import { foldLetters, foldWord } from './fold-word.ts';
import { spellWord } from './normalise-spelling.ts';
import { STEMMERS } from './stemmers.ts';
import { stopWordsOf } from './stop-words.ts';

/** Porter's rules are written for plain English letters; what is longer is data. */
const STEMMABLE_ENGLISH = /^[a-z]{3,40}$/;

/** Words of a text repeat, and stemming is 40 % of analysis; all readings are cleared when full so that memory stays bounded. */
const MEMO_MAX_ENTRIES = 8192;

/** V8 copies slices up to this length, so that a key does not keep the text it was cut from alive. In UTF-16 code units. */
const MEMO_MAX_LENGTH = 12;

const memo = new Map<string, Map<string, string>>();
let remembered = 0;

/**
 * The term of one word as it stands in a text, or `''` when the word is not indexed (a stop word, or only marks).
 *
 * @param reading As `readingOf` gives it.
 */
export function termOf(surface: string, reading: string): string {
  if (surface.length > MEMO_MAX_LENGTH) return computeTerm(surface, reading);
  let terms = memo.get(reading);
  let term = terms?.get(surface);
  if (term !== undefined) return term;
  term = computeTerm(surface, reading);
  if (remembered >= MEMO_MAX_ENTRIES) {
    memo.clear();
    remembered = 0;
    terms = undefined;
  }
  if (terms === undefined) {
    terms = new Map();
    memo.set(reading, terms);
  }
  terms.set(surface, term);
  remembered++;
  return term;
}

/** A word folded as a reading folds it, neither stemmed nor dropped. */
export function foldFor(word: string, reading: string): string {
  return reading === 'en' ? foldWord(word) : foldLetters(foldWord(word));
}

function computeTerm(surface: string, reading: string): string {
  return reading === 'en' ? englishTermOf(surface) : otherTermOf(surface, reading);
}

// The stop list is asked before accents are removed: "thé" is not "the".
function englishTermOf(surface: string): string {
  if (stopWordsOf('en').has(surface.toLowerCase())) return '';
  const folded = foldWord(surface);
  return STEMMABLE_ENGLISH.test(folded) ? english(folded) : folded;
}

// Accents go last: the rules of a language tell endings by them.
function otherTermOf(surface: string, reading: string): string {
  const stemmer = STEMMERS.get(reading);
  if (stemmer === undefined) return foldFor(surface, reading);
  const word = spellWord(surface, reading);
  if (stopWordsOf(reading).has(word)) return '';
  const stem = stemmer.stemmable.test(word) ? stemmer.stem(word) : word;
  return foldFor(stem === '' ? word : stem, reading);
}
