import type { TextRange } from './types.ts';

/**
 * Letters and digits with the marks and joiners that belong to them, chained by `_` or by one `.` as identifiers are.
 *
 * U+00AD (soft hyphen), U+200C and U+200D (joiners) occur inside words of running text and are dropped by folding.
 */
const WORD_CHAIN = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u00ad\u200c\u200d]*(?:(?:_+|\.)[\p{L}\p{N}][\p{L}\p{N}\p{M}\u00ad\u200c\u200d]*)*/gu;

/**
 * Scripts that are written without spaces and that Node 24 and workerd were seen to divide alike. Khmer, for one, they do
 * not: a run of it stays one word rather than become terms that a query in the other runtime cannot find.
 */
const UNSPACED_RUN = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]+/gu;

const MAYBE_UNSPACED = /[\u0e00-\u{3ffff}]/u;

let dictionary: Intl.Segmenter | undefined;

/**
 * The words of a text, ascending and without overlap; an identifier such as `path.joinAll` is one word.
 *
 * Runs of Chinese, Japanese and Thai script are divided by `Intl.Segmenter`, whatever language the document declares: ICU
 * picks its dictionary by script.
 */
export function splitWords(text: string): TextRange[] {
  const words: TextRange[] = [];
  for (const match of text.matchAll(WORD_CHAIN)) {
    const word = match[0];
    if (MAYBE_UNSPACED.test(word)) splitUnspaced(word, match.index, words);
    else words.push({ start: match.index, end: match.index + word.length });
  }
  return words;
}

function splitUnspaced(word: string, offset: number, words: TextRange[]): void {
  let done = 0;
  for (const run of word.matchAll(UNSPACED_RUN)) {
    pushSpaced(word.slice(done, run.index), offset + done, words);
    dictionary ??= new Intl.Segmenter('und', { granularity: 'word' });
    for (const { segment, index, isWordLike } of dictionary.segment(run[0])) {
      if (isWordLike !== true) continue;
      const start = offset + run.index + index;
      words.push({ start, end: start + segment.length });
    }
    done = run.index + run[0].length;
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
