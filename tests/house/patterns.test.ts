import { describe, expect, test } from 'vitest';
import { readSourceFiles } from './source-files.ts';
import { ambiguousRepeats, attacksOn, HARMLESS_MS, matchTime, patternsOf, type SourcePattern } from './source-patterns.ts';

const { patterns, unknown } = patternsOf(readSourceFiles());
const distinct = [...new Map(patterns.map((pattern) => [String(pattern.pattern), pattern])).values()];

/** Lengths at which a pattern is tried, so that one that explodes is met while it is still harmless. */
const STEPS = [24, 500, 2_000, 8_000];
/** So many texts are tried at the longest step: one that is read again and again is a hundred times slower than the others before it. */
const LONGEST_STEP_TEXTS = 12;
/** Milliseconds that no linear pattern needs at these lengths, by far; a quadratic one needs 10 at 2,000 characters. */
const STEP_MS = 4;
/** Milliseconds for the longest text, and by how much four times the length may take longer: linear is 4, quadratic 16. */
const LONGEST_MS = 50;
const GROWTH = 9;

/** What is wrong with a pattern; nothing for almost all. */
function faultOf({ at, pattern }: SourcePattern): string | undefined {
  let slowest: { readonly time: number; readonly index: number }[] = [];
  for (const length of STEPS) {
    const texts = attacksOn(pattern, length);
    const tried = length === STEPS.at(-1) ? slowest.map(({ index }) => index) : texts.keys();
    slowest = [];
    for (const index of tried) {
      const text = texts[index] ?? '';
      let time = matchTime(pattern, text, 1);
      if (time > STEP_MS) time = matchTime(pattern, text, 5);
      if (time > STEP_MS) return `${at} ${pattern} needs ${time.toFixed(1)} ms for ${length} of ${JSON.stringify(text.slice(0, 20))}`;
      slowest.push({ time, index });
    }
    slowest = slowest.sort((a, b) => b.time - a.time).slice(0, LONGEST_STEP_TEXTS);
  }
  // A time below that shows by itself that it does not grow with the square: 8,000 squared takes tens of milliseconds.
  for (const { index } of slowest.slice(0, 3).filter(({ time }) => time > HARMLESS_MS)) {
    const timeOf = (length: number): number => matchTime(pattern, attacksOn(pattern, length, index)[0] ?? '', 3);
    const quarter = timeOf(25_000);
    // A quarter of the text that takes longer than all of it may is told without the whole, which would take seconds.
    const whole = quarter > LONGEST_MS ? Number.POSITIVE_INFINITY : timeOf(100_000);
    if (whole > LONGEST_MS && whole > GROWTH * quarter)
      return `${at} ${pattern} needs ${quarter.toFixed(1)} ms for 25 KB and ${whole.toFixed(1)} ms for 100 KB`;
  }
  return undefined;
}

describe('regular expressions', () => {
  test('are all known without running anything, but for those that are built from a setting', () => {
    expect(unknown.map((at) => at.replace(/:\d+$/, ''))).toEqual(['src/schemas/primitives.ts']);
    expect(distinct.length).toBeGreaterThan(150);
  });

  test('repeat nothing that repeats in more than one way', () => {
    expect(distinct.flatMap(({ at, pattern }) => ambiguousRepeats(pattern).map((group) => `${at} ${pattern} repeats ${group}`))).toEqual(
      [],
    );
  });

  test('take time that grows no faster than the text, on texts made to slow them down', () => {
    expect(distinct.flatMap((pattern) => faultOf(pattern) ?? [])).toEqual([]);
  });

  test.each([/^(a+)+$/, /(x|\d+)*y/])('%s is found by its form', (pattern) => {
    expect(ambiguousRepeats(pattern)).toHaveLength(1);
  });

  test.each([/\s+$/, /a*b/])('%s is found by its time', (pattern) => {
    expect(faultOf({ at: 'here', pattern })).toContain('needs');
  });

  test.each([/^[a-z0-9]+(-[a-z0-9]+)*$/, /(?:\p{N}\p{M}*)+/gu])('%s is let through', (pattern) => {
    expect([faultOf({ at: 'here', pattern }), ambiguousRepeats(pattern)]).toEqual([undefined, []]);
  });
});
