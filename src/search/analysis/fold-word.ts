/** Letters past this length tell no two words apart; it bounds what one hostile word can cost. In UTF-16 code units. */
export const TERM_MAX_LENGTH = 64;

const ASCII_WORD = /^[A-Za-z0-9]+$/;

/** Accents (U+0300 block), Hebrew points and Arabic vowel signs; marks that make another letter, as U+3099, stay. */
export const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;

/** Letters that Unicode does not take apart and that people who lack the key write otherwise, as ICU's `Latin-ASCII` has them. */
const SPELLED_OUT: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

const NOT_WORD = /[^\p{L}\p{N}\p{M}]/gu;

/**
 * The form under which a word is compared: lower case, compatibility forms unified (NFKD), optional marks removed, composed.
 *
 * The result may be longer, shorter or empty, so offsets are never taken from it. At most {@link TERM_MAX_LENGTH} code
 * units, never half a surrogate pair.
 */
export function foldWord(word: string): string {
  if (word.length <= TERM_MAX_LENGTH && ASCII_WORD.test(word)) return word.toLowerCase();
  // Four times the bound leaves room for marks and joiners that folding removes.
  const bounded = cutWhole(word, TERM_MAX_LENGTH * 4);
  const bare = bounded.toLowerCase().normalize('NFKD').replace(OPTIONAL_MARKS, '').replace(NOT_WORD, '');
  return cutWhole(bare.normalize('NFC'), TERM_MAX_LENGTH);
}

/** A folded word without letters that only some keyboards have: `straße` gives `strasse`. At most {@link TERM_MAX_LENGTH} long. */
export function foldLetters(folded: string): string {
  if (ASCII_WORD.test(folded)) return folded;
  return cutWhole(
    folded.replace(/[ßæœøłđðþı]/g, (letter) => SPELLED_OUT[letter] ?? letter),
    TERM_MAX_LENGTH,
  );
}

/** The first `length` code units of a text, one fewer where that would halve a surrogate pair. */
export function cutWhole(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
