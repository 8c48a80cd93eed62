import { STEMMERS } from './analysers.ts';
import { stemEnglish } from './english.ts';
import { foldLetters, foldWord, normaliseSpelling } from './fold-word.ts';
import { stopWordsOf } from './stop-words.ts';

/** Words repeat, and stemming is 40 % of analysis. The cache is cleared when full. */
const CACHE_MAX_ENTRIES = 8192;

/** V8 copies slices up to this length, so that a key does not keep its text alive. In UTF-16 code units. */
const CACHED_MAX_LENGTH = 12;

const cache = new Map<string, Map<string, string>>();
let cached = 0;

/**
 * The term of a word, or `''` if it is not indexed (a stop word, or only marks).
 *
 * @param analyser From `analyserFor`.
 */
export function normaliseToken(surface: string, analyser: string): string {
  if (surface.length > CACHED_MAX_LENGTH) return computeTerm(surface, analyser);
  let term = cache.get(analyser)?.get(surface);
  if (term !== undefined) return term;
  term = computeTerm(surface, analyser);
  if (cached >= CACHE_MAX_ENTRIES) {
    cache.clear();
    cached = 0;
  }
  const terms = cache.get(analyser) ?? new Map<string, string>();
  cache.set(analyser, terms.set(surface, term));
  cached++;
  return term;
}

/** A word folded for an analyser, neither stemmed nor dropped. */
export function foldFor(word: string, analyser: string): string {
  return analyser === 'en' ? foldWord(word) : foldLetters(foldWord(word));
}

function computeTerm(surface: string, analyser: string): string {
  return analyser === 'en' ? englishTermOf(surface) : otherTermOf(surface, analyser);
}

// Stop words are matched before accents are removed: "thé" is not "the".
function englishTermOf(surface: string): string {
  if (stopWordsOf('en').has(surface.toLowerCase())) return '';
  return stemEnglish(foldWord(surface));
}

// Accents are removed last, because endings have them.
function otherTermOf(surface: string, analyser: string): string {
  const stemmer = STEMMERS.get(analyser);
  if (stemmer === undefined) return foldFor(surface, analyser);
  const word = normaliseSpelling(surface, analyser);
  if (stopWordsOf(analyser).has(word)) return '';
  const stem = stemmer.stemmable.test(word) ? stemmer.stem(word) : word;
  return foldFor(stem === '' ? word : stem, analyser);
}
