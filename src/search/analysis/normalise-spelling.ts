import { cutWhole, OPTIONAL_MARKS, TERM_MAX_LENGTH } from './fold-word.ts';

/** U+00AD (soft hyphen), U+200C and U+200D (joiners): they shape a word without changing it. */
const INVISIBLE = /[\u00ad\u200c\u200d]/g;

/** Rewrites a word of one language as its stemmer and stop words spell it. */
type Spelling = (word: string) => string;

/**
 * The endings that people type without their accent and that the rules do not know without it. Spanish `ion` is in
 * Snowball 3.0 too; endings that exist in both forms, as French `ite`, are left alone.
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
 * A word as the stemmer and the stop words of an analyser spell it: lower case, composed, without marks that stand alone.
 * Accents that make a letter stay, since endings are recognised by them.
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
