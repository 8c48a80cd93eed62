/** Letters past this length tell no two words apart; it bounds what one hostile word can cost. In UTF-16 code units. */
export const TERM_MAX_LENGTH = 64;

const ASCII_WORD = /^[A-Za-z0-9]+$/;

/** Accents (U+0300 block), Hebrew points and Arabic vowel signs; marks that make another letter, as U+3099, stay. */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;

/** Letters that Unicode does not take apart and that people who lack the key write otherwise, as ICU's `Latin-ASCII` has them. */
const SPELLED_OUT: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

const NOT_WORD = /[^\p{L}\p{N}\p{M}]/gu;

/**
 * The form under which a word is compared: lower case, compatibility forms unified (NFKD), optional marks removed, composed.
 *
 * The result may be longer, shorter or empty, so offsets are never taken from it. At most {@link TERM_MAX_LENGTH} code units, never half a
 * surrogate pair.
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

/** U+00AD (soft hyphen), U+200C and U+200D (joiners): they shape a word without changing it. */
const INVISIBLE = /[\u00ad\u200c\u200d]/g;

/** Rewrites a word of one language as its stemmer and stop words spell it. */
type Spelling = (word: string) => string;

/**
 * The endings that people type without their accent and that the rules do not know without it. Spanish `ion` is in Snowball 3.0 too;
 * endings that exist in both forms, as French `ite`, are left alone.
 */
const spanish: Spelling = (word) => word.replace(/(?<=[cs])ion$/, 'ión').replace(/(?<=log)ia(?=s?$)/, 'ía');

const portuguese: Spelling = (word) =>
  word
    .replace(/(?<=\p{L}{2})cao$/u, 'ção')
    .replace(/(?<=\p{L}{2})coes$/u, 'ções')
    .replace(/e(?=ncias?$)/, 'ê')
    .replace(/a(?=ncias?$)/, 'â')
    .replace(/a(?=ve(?:l|is)$)/, 'á')
    .replace(/i(?=ve(?:l|is)$)/, 'í');

/** The rules are written with cedillas, which stood for the commas below before Unicode 3.0. */
const romanian: Spelling = (word) => word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ');

/** Rules and stop words know neither accents nor the sigma that ends a word. */
const greek: Spelling = (word) => word.normalize('NFD').replace(OPTIONAL_MARKS, '').replaceAll('ς', 'σ').normalize('NFC');

const SPELLINGS: ReadonlyMap<string, Spelling> = new Map([
  ['el', greek],
  ['es', spanish],
  ['pt', portuguese],
  ['ro', romanian],
]);

/**
 * A word as the stemmer and the stop words of an analyser spell it: lower case, composed, without marks that stand alone. Accents that make
 * a letter stay, since endings are recognised by them.
 */
export function normaliseSpelling(surface: string, analyser: string): string {
  const word = cutWhole(surface, TERM_MAX_LENGTH * 4).normalize('NFKC');
  const lower = analyser === 'tr' ? turkishLowerCase(word) : word.toLowerCase();
  const bare = lower.replace(INVISIBLE, '').normalize('NFC').replace(OPTIONAL_MARKS, '');
  return SPELLINGS.get(analyser)?.(bare) ?? bare;
}

// `I` is the capital of the dotless letter, save in words such as API that have no letter of Turkish alone.
function turkishLowerCase(word: string): string {
  return (/[çğıİöşü]/i.test(word) ? word.replaceAll('I', 'ı') : word).replaceAll('İ', 'i').toLowerCase();
}
