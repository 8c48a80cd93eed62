import type { TextRange } from '../search-document.ts';
import { analyse } from './analyse.ts';
import { cutWhole, foldLetters, foldWord } from './fold-word.ts';

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

/** The operators in a text. */
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
 *
 * @param language BCP 47 tag.
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

/** Words joined by hyphens and the like: `Retry-After`, `/.well-known/acp.json`, `max_results`. */
const COMPOUND = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-_./:@][\p{L}\p{N}]+)+/gu;

/** The compound names in a text: words joined by punctuation without white space. */
export function compoundNames(text: string): { name: string; start: number; end: number }[] {
  return Array.from(text.matchAll(COMPOUND), ({ 0: name, index }) => ({ name, start: index, end: index + name.length }));
}
