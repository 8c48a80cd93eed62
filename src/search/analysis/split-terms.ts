import { pushDictionaryWords, splitChains } from './tokenise.ts';
import type { TextRange } from '../search-document.ts';

/** Thai, which has a dictionary that Node and workerd share, or the scripts that are read in pairs. */
const UNSPACED_RUN = /\p{scx=Thai}+|[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Khmer}\p{scx=Lao}\p{scx=Myanmar}]+/gu;

const THAI = /^\p{scx=Thai}/u;

/**
 * One character as its readers see it: a letter or digit with its marks. U+1160 to U+11FF are the vowels and finals of
 * decomposed Hangul, U+FF9E and U+FF9F the voicing marks of half-width kana.
 */
const CHARACTER = /[\p{L}\p{N}][\p{M}\u1160-\u11ff\uff9e\uff9f]*/gu;

/**
 * The words of a text as they are indexed, ascending.
 *
 * As `splitWords` gives them, save that a run of Chinese, Japanese, Korean, Khmer, Lao or Burmese gives each two
 * neighbouring characters (a lone one if there are no more), whatever language the document declares. A query of two
 * characters or more therefore finds each text that contains it, in every runtime. Words of a dictionary do not: they
 * depend on what stands around them and on the version of ICU. A query of one character finds it only where it is alone.
 */
export function splitTerms(text: string): TextRange[] {
  return splitChains(text, UNSPACED_RUN, (run, offset, words) => {
    if (THAI.test(run)) pushDictionaryWords(run, offset, words);
    else pushPairs(run, offset, words);
  });
}

function pushPairs(run: string, offset: number, words: TextRange[]): void {
  let before: TextRange | undefined;
  let alone = true;
  for (const match of run.matchAll(CHARACTER)) {
    const start = offset + match.index;
    const here = { start, end: start + match[0].length };
    if (before !== undefined) {
      words.push({ start: before.start, end: here.end });
      alone = false;
    }
    before = here;
  }
  if (alone && before !== undefined) words.push(before);
}
