import type { TextRange } from '../search-document.ts';

/**
 * Letters and digits with their marks and joiners, joined by `_` or one `.` as in identifiers. U+00AD (soft hyphen), U+200C and U+200D
 * (joiners) occur within words; folding removes them. The symbols of names such as `.NET`, `C++` and `C#` belong to the word; `#` only after a
 * single letter.
 */
const WORD_CHAIN =
  /(?:(?<![\p{L}\p{N}\p{M}._])\.(?=\p{L}))?[\p{L}\p{N}][\p{L}\p{N}\p{M}\u00ad\u200c\u200d]*(?:(?:_+|\.)[\p{L}\p{N}][\p{L}\p{N}\p{M}\u00ad\u200c\u200d]*)*(?:\+\+(?!\+)|(?<=(?<![\p{L}\p{N}\p{M}._\u00ad\u200c\u200d])\p{L})#(?![\p{L}#]))?/gu;

/** The same rule for ASCII: engines take milliseconds to prepare the Unicode tables. */
const ASCII_WORD_CHAIN =
  /(?:(?<![A-Za-z0-9._])\.(?=[A-Za-z]))?[A-Za-z0-9]+(?:(?:_+|\.)[A-Za-z0-9]+)*(?:\+\+(?!\+)|(?<=(?<![A-Za-z0-9._])[A-Za-z])#(?![A-Za-z#]))?/g;

/** Scripts without spaces that Node 24 and workerd segment alike, unlike Khmer. */
const DICTIONARY_RUN = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]+/gu;

/** Thai, which Node and workerd segment alike, or the scripts that are indexed as bigrams. */
const UNSPACED_RUN = /\p{scx=Thai}+|[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Khmer}\p{scx=Lao}\p{scx=Myanmar}]+/gu;

const MAYBE_UNSPACED = /[\u0e00-\u{3ffff}]/u;

const THAI = /^\p{scx=Thai}/u;

/** A letter or digit with its marks: vowels and finals of decomposed Hangul (U+1160 to U+11FF), voicing marks of half-width kana (U+FF9E, U+FF9F). */
const CHARACTER = /[\p{L}\p{N}][\p{M}\u1160-\u11ff\uff9e\uff9f]*/gu;

/** By UTF-16 code unit: 1 for letters of Chinese, Japanese and Korean that folding leaves as they are; two of them are a term. */
export const PAIRED_LETTERS = new Uint8Array(2 ** 16);
for (const [first, last] of ['々々', '〇〇', 'ぁゖ', 'ァヺ', 'ーー', '㐀䶿', '一鿿', '가힣'])
  PAIRED_LETTERS.fill(1, first.charCodeAt(0), last.charCodeAt(0) + 1);

/** Whether a word is two such letters, which is its term in every language. */
export function isPair(word: string): boolean {
  return word.length === 2 && PAIRED_LETTERS[word.charCodeAt(0)] + PAIRED_LETTERS[word.charCodeAt(1)] === 2;
}

let segmenter: Intl.Segmenter | undefined;

type SegmentRun = (run: string, offset: number, words: TextRange[]) => void;

/**
 * The tokens of a text as they are indexed, ascending; an identifier such as `path.joinAll` is one.
 *
 * A run of Chinese, Japanese, Korean, Khmer, Lao or Burmese gives overlapping bigrams (or its only character), whatever the language of the
 * document. A query of two or more characters therefore finds every text that contains it, in every runtime; dictionary words depend on
 * their context and on the version of ICU. A query of one character finds it only where it is alone.
 */
export function tokenise(text: string): TextRange[] {
  return splitChains(text, UNSPACED_RUN, (run, offset, words) => {
    if (THAI.test(run)) pushDictionaryWords(run, offset, words);
    else pushBigrams(run, offset, words);
  });
}

/** The words of a text as a reader sees them, ascending and without overlap. ICU picks its dictionary by script, whatever the document's language. */
export function splitWords(text: string): TextRange[] {
  return splitChains(text, DICTIONARY_RUN, pushDictionaryWords);
}

export function isAscii(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text);
}

function splitChains(text: string, unspacedRun: RegExp, segmentRun: SegmentRun): TextRange[] {
  const words: TextRange[] = [];
  if (isAscii(text)) {
    pushMatches(ASCII_WORD_CHAIN, text, 0, words);
    return words;
  }
  for (const { 0: word, index } of text.matchAll(WORD_CHAIN)) {
    if (!MAYBE_UNSPACED.test(word)) {
      words.push({ start: index, end: index + word.length });
      continue;
    }
    let done = 0;
    for (const { 0: run, index: runStart } of word.matchAll(unspacedRun)) {
      pushMatches(WORD_CHAIN, word.slice(done, runStart), index + done, words);
      segmentRun(run, index + runStart, words);
      done = runStart + run.length;
    }
    // The remainder may begin with a separator or a mark, so it is matched again.
    pushMatches(WORD_CHAIN, word.slice(done), index + done, words);
  }
  return words;
}

function pushMatches(pattern: RegExp, text: string, offset: number, words: TextRange[]): void {
  for (const { 0: word, index } of text.matchAll(pattern)) words.push({ start: offset + index, end: offset + index + word.length });
}

function pushDictionaryWords(run: string, offset: number, words: TextRange[]): void {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  for (const { segment, index, isWordLike } of segmenter.segment(run)) {
    if (isWordLike === true) words.push({ start: offset + index, end: offset + index + segment.length });
  }
}

function pushBigrams(run: string, offset: number, words: TextRange[]): void {
  let last = 0;
  while (last < run.length && PAIRED_LETTERS[run.charCodeAt(last)]) last++;
  // Letters without marks are characters of one code unit.
  if (last === run.length && last > 1) {
    for (let start = offset; start < offset + last - 1; start++) words.push({ start, end: start + 2 });
    return;
  }
  const characters: TextRange[] = [];
  pushMatches(CHARACTER, run, offset, characters);
  if (characters.length === 1) words.push(characters[0]);
  for (let at = 1; at < characters.length; at++) words.push({ start: characters[at - 1].start, end: characters[at].end });
}

/** Later letters of a word are ignored: bounds the cost of one hostile word. In UTF-16 code units. */
export const TERM_MAX_LENGTH = 64;

const ASCII_WORD = /^[A-Za-z0-9]+$/;

/** Accents (U+0300 block), Hebrew points and Arabic vowel signs, but not marks that make another letter, such as U+3099. */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;

/** Letters that Unicode does not decompose, with their replacements in ICU's `Latin-ASCII`. */
const SPELLED_OUT: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

const NOT_WORD = /[^\p{L}\p{N}\p{M}]/gu;

/** The form in which words are compared: lower case, NFKD, without optional marks, composed. At most {@link TERM_MAX_LENGTH} code units, perhaps none. */
export function foldWord(word: string): string {
  if (word.length <= TERM_MAX_LENGTH && ASCII_WORD.test(word)) return word.toLowerCase();
  // Folding removes marks and joiners: four times the bound leaves room for them.
  const bounded = cutWhole(word, TERM_MAX_LENGTH * 4);
  const bare = bounded.toLowerCase().normalize('NFKD').replace(OPTIONAL_MARKS, '').replace(NOT_WORD, '');
  return cutWhole(bare.normalize('NFC'), TERM_MAX_LENGTH);
}

/** A folded word without letters that few keyboards have: `straße` gives `strasse`. At most {@link TERM_MAX_LENGTH} long. */
export function foldLetters(folded: string): string {
  if (ASCII_WORD.test(folded)) return folded;
  const spelled = folded.replace(/[ßæœøłđðþı]/g, (letter) => SPELLED_OUT[letter] ?? letter);
  return cutWhole(spelled, TERM_MAX_LENGTH);
}

/** The first `length` code units of a text, one fewer where that would halve a surrogate pair. */
export function cutWhole(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** U+00AD (soft hyphen), U+200C and U+200D (joiners), which do not change a word. */
const INVISIBLE = /[\u00ad\u200c\u200d]/g;

type Spelling = (word: string) => string;

/** Adds accents that people leave out and the stemmer needs. Snowball 3.0 has Spanish `ion` too; French `ite` exists in both forms and stays. */
const spanish: Spelling = (word) => word.replace(/(?<=[cs])ion$/, 'ión').replace(/(?<=log)ia(?=s?$)/, 'ía');

const portuguese: Spelling = (word) =>
  word
    .replace(/(?<=\p{L}{2})cao$/u, 'ção')
    .replace(/(?<=\p{L}{2})coes$/u, 'ções')
    .replace(/e(?=ncias?$)/, 'ê')
    .replace(/a(?=ncias?$)/, 'â')
    .replace(/a(?=ve(?:l|is)$)/, 'á')
    .replace(/i(?=ve(?:l|is)$)/, 'í');

/** Umlauts that are written as two letters, as the stemmer reads them: `groesse`, but not `quelle` or `neue`. */
const german: Spelling = (word) =>
  word.replace(/ae|oe|qu|(?<![aeiouyäöü])ue|ue(?![aeiouyäöü])/g, (letters) => ({ ae: 'ä', oe: 'ö', ue: 'ü' })[letters] ?? letters);

/** The stemmer expects cedillas, which represented the commas below before Unicode 3.0. */
const romanian: Spelling = (word) => word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ');

/** Stemmer and stop words have neither accents nor final sigma. */
const greek: Spelling = (word) => word.normalize('NFD').replace(OPTIONAL_MARKS, '').replaceAll('ς', 'σ').normalize('NFC');

const SPELLINGS: ReadonlyMap<string, Spelling> = new Map([
  ['de', german],
  ['el', greek],
  ['es', spanish],
  ['pt', portuguese],
  ['ro', romanian],
]);

/** A word as the stemmer and the stop words of an analyser spell it: lower case, composed, with accents that make a letter, for endings have them. */
export function normaliseSpelling(surface: string, analyser: string): string {
  const word = cutWhole(surface, TERM_MAX_LENGTH * 4).normalize('NFKC');
  const lower = analyser === 'tr' ? turkishLowerCase(word) : word.toLowerCase();
  const bare = lower.replace(INVISIBLE, '').normalize('NFC').replace(OPTIONAL_MARKS, '');
  return SPELLINGS.get(analyser)?.(bare) ?? bare;
}

// `I` is the capital of `ı`, except in words such as API, without letters that only Turkish has.
function turkishLowerCase(word: string): string {
  return (/[çğıİöşü]/i.test(word) ? word.replaceAll('I', 'ı') : word).replaceAll('İ', 'i').toLowerCase();
}
