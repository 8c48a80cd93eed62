import type { TextRange } from '../search-document.ts';

/**
 * Letters and digits with the marks and joiners that belong to them, chained by `_` or by one `.` as identifiers are.
 *
 * U+00AD (soft hyphen), U+200C and U+200D (joiners) occur inside words of running text and are dropped by folding.
 */
const WORD_CHAIN = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u00ad\u200c\u200d]*(?:(?:_+|\.)[\p{L}\p{N}][\p{L}\p{N}\p{M}\u00ad\u200c\u200d]*)*/gu;

/** What the same rule comes to in plain English text: engines take milliseconds to prepare the tables of the other. */
const ASCII_WORD_CHAIN = /[A-Za-z0-9]+(?:(?:_+|\.)[A-Za-z0-9]+)*/g;

/** Scripts that are written without spaces and that Node 24 and workerd were seen to divide alike. Khmer they do not. */
const DICTIONARY_RUN = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]+/gu;

const MAYBE_UNSPACED = /[\u0e00-\u{3ffff}]/u;

let dictionary: Intl.Segmenter | undefined;

/** Divides a run of a script without spaces that begins at an offset of the text. */
type DivideRun = (run: string, offset: number, words: TextRange[]) => void;

/**
 * The words of a text as a reader sees them, ascending and without overlap; an identifier such as `path.joinAll` is one.
 *
 * Runs of Chinese, Japanese and Thai script are divided by `Intl.Segmenter`, whatever language the document declares: ICU
 * picks its dictionary by script. For places at which a text may be cut; the index has `splitTerms`.
 */
export function splitWords(text: string): TextRange[] {
  return splitChains(text, DICTIONARY_RUN, pushDictionaryWords);
}

/** The words of a text, its runs of scripts without spaces divided by the caller. */
export function splitChains(text: string, unspacedRun: RegExp, divide: DivideRun): TextRange[] {
  const words: TextRange[] = [];
  if (isAscii(text)) {
    for (const match of text.matchAll(ASCII_WORD_CHAIN)) words.push({ start: match.index, end: match.index + match[0].length });
    return words;
  }
  for (const match of text.matchAll(WORD_CHAIN)) {
    const word = match[0];
    if (MAYBE_UNSPACED.test(word)) splitUnspaced(word, match.index, unspacedRun, divide, words);
    else words.push({ start: match.index, end: match.index + word.length });
  }
  return words;
}

/** Whether a text has no character above U+007F. */
export function isAscii(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text);
}

/** Divides a run by the dictionary that ICU has for its script. */
export function pushDictionaryWords(run: string, offset: number, words: TextRange[]): void {
  dictionary ??= new Intl.Segmenter('und', { granularity: 'word' });
  for (const { segment, index, isWordLike } of dictionary.segment(run)) {
    if (isWordLike === true) words.push({ start: offset + index, end: offset + index + segment.length });
  }
}

function splitUnspaced(word: string, offset: number, unspacedRun: RegExp, divide: DivideRun, words: TextRange[]): void {
  let done = 0;
  for (const { 0: run, index } of word.matchAll(unspacedRun)) {
    pushSpaced(word.slice(done, index), offset + done, words);
    divide(run, offset + index, words);
    done = index + run.length;
  }
  pushSpaced(word.slice(done), offset + done, words);
}

// What is left beside a run may begin with a separator or a mark, so it is matched again.
function pushSpaced(rest: string, offset: number, words: TextRange[]): void {
  for (const match of rest.matchAll(WORD_CHAIN)) {
    const start = offset + match.index;
    words.push({ start, end: start + match[0].length });
  }
}
