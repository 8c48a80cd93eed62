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

/**
 * A letter or digit with its marks. U+1160 to U+11FF are vowels and finals of decomposed Hangul, U+FF9E and U+FF9F voicing marks of
 * half-width kana.
 */
const CHARACTER = /[\p{L}\p{N}][\p{M}\u1160-\u11ff\uff9e\uff9f]*/gu;

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

/**
 * The words of a text as a reader sees them, ascending and without overlap, at which it may be cut. `Intl.Segmenter` segments Chinese,
 * Japanese and Thai, whatever the language of the document: ICU picks its dictionary by script.
 */
export function splitWords(text: string): TextRange[] {
  return splitChains(text, DICTIONARY_RUN, pushDictionaryWords);
}

/** Whether a text has no character above U+007F. */
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
  const characters: TextRange[] = [];
  pushMatches(CHARACTER, run, offset, characters);
  if (characters.length === 1) words.push(characters[0]);
  for (let at = 1; at < characters.length; at++) words.push({ start: characters[at - 1].start, end: characters[at].end });
}
