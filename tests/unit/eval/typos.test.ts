import { expect, it } from 'vitest';
import { seededRandom, seedOf } from '../../eval/random.ts';
import { addTypo } from '../../eval/typos.ts';

/** Without what both words begin and end with, the rest of an edit is one letter at most, or two that are exchanged. */
function isOneEdit(word: string, typed: string): boolean {
  let start = 0;
  while (start < Math.min(word.length, typed.length) && word[start] === typed[start]) start += 1;
  let end = 0;
  while (end < Math.min(word.length, typed.length) - start && word.at(-1 - end) === typed.at(-1 - end)) end += 1;
  const [was, is] = [word.slice(start, word.length - end), typed.slice(start, typed.length - end)];
  return was.length + is.length > 0 && (Math.max(was.length, is.length) === 1 || (was.length === 2 && is === `${was[1]}${was[0]}`));
}

const SEEDS = Array.from({ length: 400 }, (_, seed) => seed);

it('changes the longest word that is no stop word, the first of equals, and nothing else', () => {
  for (const seed of SEEDS) {
    const typed = addTypo('what about freshness themselves, validity?', seededRandom(seed));
    expect(typed).toMatch(/^what about \p{L}+ themselves, validity\?$/u);
    expect(typed).not.toContain(' freshness ');
  }
});

it('makes exactly one edit, of each of the four kinds', () => {
  const lengths = new Map<number, number>();
  for (const seed of SEEDS) {
    const typed = addTypo('freshness', seededRandom(seed));
    expect(isOneEdit('freshness', typed)).toBe(true);
    lengths.set(typed.length, (lengths.get(typed.length) ?? 0) + 1);
  }
  expect([...lengths.keys()].sort()).toEqual([10, 8, 9]);
  const sorted = (word: string): string => [...word].sort().join('');
  const exchanged = SEEDS.filter((seed) => sorted(addTypo('freshness', seededRandom(seed))) === sorted('freshness'));
  expect(exchanged.length).toBeGreaterThan(60);
  expect(lengths.get(9) ?? 0).toBeGreaterThan(exchanged.length + 60);
});

it('leaves a query alone that has no word to mistype', () => {
  for (const query of ['', 'what is the', 'C++ 17', 'is it API']) expect(addTypo(query, seededRandom(1))).toBe(query);
});

it('copes with words of one letter repeated', () => {
  for (const seed of SEEDS) expect(addTypo('aaaa', seededRandom(seed)).length).toBeGreaterThan(2);
});

it('gives the same typo for the same seed, and seeds differ by text', () => {
  expect(addTypo('freshness', seededRandom(seedOf('q1')))).toBe(addTypo('freshness', seededRandom(seedOf('q1'))));
  expect(new Set(['q1', 'q2', '1', '2', ''].map(seedOf)).size).toBe(5);
});
