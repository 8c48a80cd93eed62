import { below, oneOf, type Random } from './random.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Shorter words stay unchanged: one edit could make another word. In letters. */
const TYPO_MIN_LETTERS = 4;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * A query with one typo in its first longest word that is not a stop word: a deletion, a swap of neighbours, a replacement or an insertion,
 * with equal probability, anywhere in the word. Unchanged if no such word has {@link TYPO_MIN_LETTERS} letters.
 */
export function addTypo(query: string, random: Random): string {
  let longest: { readonly word: string; readonly at: number } | undefined;
  for (const { 0: word, index: at } of query.matchAll(/\p{L}+/gu)) {
    if (!STOP_WORDS.has(word.toLowerCase()) && word.length > (longest?.word.length ?? TYPO_MIN_LETTERS - 1)) longest = { word, at };
  }
  if (longest === undefined) return query;
  const { word, at } = longest;
  return query.slice(0, at) + editWord(word, random) + query.slice(at + word.length);
}

function editWord(word: string, random: Random): string {
  const letters = [...word];
  const at = below(random, letters.length);
  switch (below(random, 4)) {
    case 0:
      letters.splice(at, 1);
      break;
    case 1:
      exchangeNeighbours(letters, at);
      break;
    case 2:
      letters[at] = otherLetter(letters[at] as string, random);
      break;
    default:
      letters.splice(below(random, letters.length + 1), 0, oneOf(random, [...LETTERS]));
  }
  return letters.join('');
}

// The first two distinct neighbours from `from` on, cyclically.
function exchangeNeighbours(letters: string[], from: number): void {
  for (let step = 0; step < letters.length; step++) {
    const at = (from + step) % (letters.length - 1);
    const [first, second] = [letters[at] as string, letters[at + 1] as string];
    if (first === second) continue;
    letters.splice(at, 2, second, first);
    return;
  }
}

function otherLetter(letter: string, random: Random): string {
  return oneOf(
    random,
    [...LETTERS].filter((other) => other !== letter.toLowerCase()),
  );
}
