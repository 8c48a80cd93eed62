import { stemmer } from 'stemmer';
import { foldWord } from './fold-word.ts';
import { ENGLISH_STOP_WORDS } from './stop-words.ts';

/** Porter's rules are written for plain English letters; what is longer is data. */
const STEMMABLE = /^[a-z]{3,40}$/;

/** Words of a text repeat, and stemming is 40 % of analysis; cleared when full so that memory stays bounded. */
const MEMO_MAX_ENTRIES = 8192;

/** V8 copies slices up to this length, so that a key does not keep the text it was cut from alive. In UTF-16 code units. */
const MEMO_MAX_LENGTH = 12;

const englishTerms = new Map<string, string>();

/** The term of one word as it stands in a text, or `''` when the word is not indexed (a stop word, or only marks). */
export function termOf(surface: string, english: boolean): string {
  if (!english) return foldWord(surface);
  if (surface.length > MEMO_MAX_LENGTH) return englishTermOf(surface);
  let term = englishTerms.get(surface);
  if (term === undefined) {
    term = englishTermOf(surface);
    if (englishTerms.size >= MEMO_MAX_ENTRIES) englishTerms.clear();
    englishTerms.set(surface, term);
  }
  return term;
}

// The stop list is asked before accents are removed: "thé" is not "the".
function englishTermOf(surface: string): string {
  if (ENGLISH_STOP_WORDS.has(surface.toLowerCase())) return '';
  const folded = foldWord(surface);
  return STEMMABLE.test(folded) ? stemmer(folded) : folded;
}
