import leven from 'leven';

/** Names up to this length differ from a misspelling in one letter, longer ones in two. */
const ONE_EDIT_LENGTH = 5;

/**
 * The name that a misspelt one probably stands for; `undefined` if none is near. The first letter is rarely wrong, and few short words are
 * meant when they differ in two.
 */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  const lower = written.toLowerCase();
  let nearest: string | undefined;
  let least = lower.length <= ONE_EDIT_LENGTH ? 1 : 2;
  for (const name of known) {
    if (name === written || name.charAt(0).toLowerCase() !== lower.charAt(0)) continue;
    const distance = edits(lower, name.toLowerCase());
    if (distance > least || (distance === least && nearest !== undefined)) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

/** Edits between two words, of which two swapped neighbours are one. */
function edits(a: string, b: string): number {
  const distance = leven(a, b);
  if (distance !== 2 || a.length !== b.length) return distance;
  const at = [...a].findIndex((letter, index) => letter !== b.charAt(index));
  const isSwap = a.charAt(at) === b.charAt(at + 1) && a.charAt(at + 1) === b.charAt(at) && a.slice(at + 2) === b.slice(at + 2);
  return isSwap ? 1 : distance;
}
