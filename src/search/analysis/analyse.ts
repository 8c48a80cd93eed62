import type { TextRange } from '../search-document.ts';
import { analyserFor, STEMMERS, stemEnglish } from './analysers.ts';
import { stopWordsOf } from './stop-words.ts';
import { cutWhole, foldLetters, foldWord, isAscii, isPair, normaliseSpelling, TERM_MAX_LENGTH, tokenise } from './tokenise.ts';

/** Identifies the analysis in every index; it changes when the same text may give other terms. */
export const ANALYSER_ID = 'fold-identifiers-numbers-stems-bigrams/4';

/** A term and its surface form: `text.slice(start, end)`. */
export interface Token extends TextRange {
  readonly term: string;
}

/** Shorter parts ("2" of "v2") mean nothing alone. In UTF-16 code units. */
const PART_MIN_LENGTH = 2;

/**
 * The terms of a text in order, without stop words; offsets are those of `text` itself.
 *
 * A compound name gives its whole first and then its parts: `fetchUser` gives `fetchus`, `fetch`, `user`; `os.path` gives `ospath`, `os`, `path`;
 * `v5.3.2` gives `5.3.2`, `v5`; `100,000` gives `100000`, `100`, `000`; `C++` gives only `c++`. Scripts without spaces give
 * overlapping bigrams. No other tokens overlap; they ascend by `start`. Never throws.
 *
 * @param language BCP 47 tag. English (Porter, 1980, with exceptions) and the languages of `STEMMERS` (Snowball) are stemmed and have stop words;
 * others are only folded.
 * @param enough The rest of the text is left out after the word that gives the token with this number.
 */
export function analyse(text: string, language: string, enough = Number.POSITIVE_INFINITY): Token[] {
  return analyseWords(text, tokenise(text), analyserFor(language), enough);
}

/** The same with the words of the text, from `tokenise`, and the analyser of its language. */
export function analyseWords(text: string, words: readonly TextRange[], analyser: string, enough = Number.POSITIVE_INFINITY): Token[] {
  const tokens: Token[] = [];
  let numberEnd = 0;
  for (let at = 0; at < words.length && tokens.length < enough; at++) {
    const { start, end } = words[at];
    if (at >= numberEnd) numberEnd = pushNumber(tokens, text, words, at);
    pushWord(tokens, text.slice(start, end), start, analyser);
  }
  return tokens;
}

const NINE = 0x39;
const THOUSANDS_SEPARATOR = /^[ ,'’\u00a0\u2009\u202f]$/;
const FIRST_DIGITS = /^[1-9][0-9]{0,2}$/;
const THREE_DIGITS = /^[0-9]{3}$/;
const LAST_DIGITS = /^[0-9]{3}(?:\.[0-9]+)?$/;

/** Adds the whole of a number whose thousands are divided. @returns The position after its last word, or after this one. */
function pushNumber(tokens: Token[], text: string, words: readonly TextRange[], first: number): number {
  const { start, end } = words[first];
  let last = first + 1;
  // Most words begin with a letter.
  if (text.charCodeAt(start) > NINE) return last;
  const wordAt = (word: TextRange): string => text.slice(word.start, word.end);
  const separator = text.charAt(end);
  if (!THOUSANDS_SEPARATOR.test(separator) || !FIRST_DIGITS.test(text.slice(start, end))) return last;
  while (last < words.length) {
    const before = words[last - 1];
    const follows = words[last].start === before.end + 1 && text.charAt(before.end) === separator && LAST_DIGITS.test(wordAt(words[last]));
    if (!follows || (last > first + 1 && !THREE_DIGITS.test(wordAt(before)))) break;
    last++;
  }
  if (last === first + 1) return last;
  const number = words.slice(first, last).map(wordAt).join('');
  tokens.push({ term: cutWhole(number, TERM_MAX_LENGTH), start, end: words[last - 1].end });
  return last;
}

const SYMBOLS = /(?:\+\+|#)$/;
const LETTER_FIRST = /^\p{L}/u;

function pushWord(tokens: Token[], word: string, start: number, analyser: string): void {
  if (isPair(word)) {
    tokens.push({ term: word, start, end: start + 2 });
    return;
  }
  if (ASCII_PLAIN_WORD.test(word)) {
    pushTerm(tokens, word, start, analyser);
    return;
  }
  const symbols = SYMBOLS.exec(word)?.[0] ?? '';
  const bare = symbols === '' ? word : word.slice(0, -symbols.length);
  if (symbols !== '') {
    tokens.push({ term: cutWhole(foldFor(bare, analyser), TERM_MAX_LENGTH - symbols.length) + symbols, start, end: start + word.length });
    if (bare.length < PART_MIN_LENGTH) return;
  }
  if (!bare.includes('.')) {
    pushName(tokens, bare, start, analyser);
    return;
  }
  const names = bare.split('.');
  tokens.push({ term: dottedTerm(names, analyser), start, end: start + bare.length });
  let nameStart = start;
  for (const name of names) {
    if (name.length >= PART_MIN_LENGTH) pushName(tokens, name, nameStart, analyser);
    nameStart += name.length + 1;
  }
}

/** The term of names that dots join: `Node.js` is `nodejs`, `.NET` is `.net`, `v5.3.2` is `5.3.2`. */
function dottedTerm(names: readonly string[], analyser: string): string {
  const joined = names.every((name) => LETTER_FIRST.test(name)) ? normaliseToken(names.join(''), analyser) : '';
  if (joined !== '') return joined;
  const dotted = names.map((name) => foldFor(name, analyser)).join('.');
  return cutWhole(dotted.replace(/^v(?=[0-9]+\.[0-9])/, ''), TERM_MAX_LENGTH);
}

function pushName(tokens: Token[], name: string, offset: number, analyser: string): void {
  pushTerm(tokens, name, offset, analyser);
  const parts = splitIdentifier(name);
  if (parts.length < 2) return;
  for (const { start, end } of parts) {
    if (end - start >= PART_MIN_LENGTH) pushTerm(tokens, name.slice(start, end), offset + start, analyser);
  }
}

function pushTerm(tokens: Token[], surface: string, start: number, analyser: string): void {
  const term = normaliseToken(surface, analyser);
  if (term !== '') tokens.push({ term, start, end: start + surface.length });
}

const PLAIN_WORD = /^\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+$/u;

/**
 * One part of a name in camelCase or of letters and digits, with the marks and joiners of its letters. An acronym ends before the capital of
 * the next part (`HTTPServer`: `HTTP`, `Server`) and keeps its plural (`APIs`).
 */
const PART = new RegExp(
  [
    String.raw`(?:\p{Lu}J*){2,}s(?![\p{L}\p{N}])`,
    String.raw`(?:\p{Lu}J*)+(?!\p{Ll}|J)`,
    String.raw`(?:\p{Lu}J*)?(?:[\p{Ll}\p{Lt}\p{Lm}\p{Lo}]J*)+`,
    String.raw`(?:\p{N}J*)+`,
  ]
    .join('|')
    .replaceAll('J', String.raw`[\p{M}\u00ad\u200c\u200d]`),
  'gu',
);

/** The same rules for ASCII: engines take milliseconds to prepare the Unicode tables. */
const ASCII_PLAIN_WORD = /^[A-Z]?[a-z]+$/;
const ASCII_PART = /[A-Z]{2,}s(?![A-Za-z0-9])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

/** The parts of a name, ascending, divided by camelCase, `_`, and between letters and digits: `getURLs_v2` gives `get`, `URLs`, `v`, `2`. */
export function splitIdentifier(name: string): TextRange[] {
  const ascii = isAscii(name);
  if ((ascii ? ASCII_PLAIN_WORD : PLAIN_WORD).test(name)) return [{ start: 0, end: name.length }];
  return Array.from(name.matchAll(ascii ? ASCII_PART : PART), ({ 0: part, index }) => ({ start: index, end: index + part.length }));
}

/** Words repeat, and stemming is 40 % of analysis. The cache is cleared when full. */
const CACHE_MAX_ENTRIES = 8192;

/** V8 copies slices up to this length, so that a key does not keep its text alive. In UTF-16 code units. */
const CACHED_MAX_LENGTH = 12;

const cache = new Map<string, Map<string, string>>();
let cached = 0;

/** The term of a word, or `''` if it is not indexed (a stop word, or only marks). @param analyser From `analyserFor`. */
function normaliseToken(surface: string, analyser: string): string {
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

function foldFor(word: string, analyser: string): string {
  return analyser === 'en' ? foldWord(word) : foldLetters(foldWord(word));
}

// Stop words are matched before accents are removed: "thé" is not "the". Accents are removed last, because endings have them.
function computeTerm(surface: string, analyser: string): string {
  if (analyser === 'en') return stopWordsOf('en').has(surface.toLowerCase()) ? '' : stemEnglish(foldWord(surface));
  const stemmer = STEMMERS.get(analyser);
  if (stemmer === undefined) return foldFor(surface, analyser);
  const word = normaliseSpelling(surface, analyser);
  if (stopWordsOf(analyser).has(word)) return '';
  const stem = stemmer.stemmable.test(word) ? stemmer.stem(word) : word;
  return foldFor(stem === '' ? word : stem, analyser);
}

/** Begins the term of a name; no other term has it. */
export const NAME_MARK = '=';

/** Longer names are sentences, which words find better. In UTF-16 code units, folded. */
const NAME_MAX_LENGTH = 128;

/** A single letter names nothing. */
const NAME_MIN_LENGTH = 2;

/** Operators of programming languages: `&&`, `=>`, `??=`. */
const OPERATOR = /^(?:\?[?.]|(?=.*[&|=<>+%^])[!?&|=<>+%^~:.*/-]{2,4})$/;

/** What may be one, between spaces, brackets and quotation marks. */
const SYMBOL_RUN = /(?<![^\s`"'(])[!?&|=<>+%^~:.*/-]{2,4}(?![^\s`"'),;])/g;

export function operatorRanges(text: string): TextRange[] {
  const runs = Array.from(text.matchAll(SYMBOL_RUN), ({ 0: run, index }) => ({ run, start: index, end: index + run.length }));
  return runs.filter(({ run }) => OPERATOR.test(run)).map(({ start, end }) => ({ start, end }));
}

/** A word, and the symbols that tell C, C++ and C# apart. */
const NAME_WORD = /([\p{L}\p{N}\p{M}\u00ad\u200c\u200d]+)([+#]*)/gu;

/**
 * The term of a name as a whole, stop words included: `Retry-After`, `retry after` and `RetryAfter` have the same, `=retri=retryafter`. It
 * consists of the first term of the name, whose shard it shares so that looking it up reads nothing more, and of all its letters and
 * digits. The term of an operator is itself, `==&&`. `undefined` if a name has too few letters or too many.
 */
export function nameTerm(name: string, language: string): string | undefined {
  if (name.length > NAME_MAX_LENGTH * 2) return undefined;
  const letters = Array.from(name.matchAll(NAME_WORD), ([, word = '', symbols = '']) => foldLetters(foldWord(word)) + symbols).join('');
  if (letters === '' && OPERATOR.test(name)) return NAME_MARK + NAME_MARK + name;
  if (letters.length < NAME_MIN_LENGTH || letters.length > NAME_MAX_LENGTH) return undefined;
  return `${NAME_MARK}${firstTerm(name, language)}${NAME_MARK}${letters}`;
}

/** The first term of a name; of a compound that of its first part, so that `fetchUser` and `fetch user` have the same. */
function firstTerm(name: string, language: string): string {
  const [first, second] = analyse(cutWhole(name, NAME_MAX_LENGTH), language, 2);
  if (first === undefined) return '';
  return second !== undefined && second.start < first.end ? second.term : first.term;
}

const COMPOUND = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-_./:@][\p{L}\p{N}]+)+/gu;

/** Words joined by punctuation without white space: `Retry-After`, `/.well-known/acp.json`, `max_results`. */
export function compoundNames(text: string): { name: string; start: number; end: number }[] {
  return Array.from(text.matchAll(COMPOUND), ({ 0: name, index }) => ({ name, start: index, end: index + name.length }));
}
