import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../eval/random.ts';
import { bootstrapInterval, differencesOf, randomizationP } from '../../eval/significance.ts';

const random = seededRandom(7);
// Even between -0.5 and 0.5: standard deviation 1 / sqrt(12), of the mean of 300 one 0.01667.
const noise = Array.from({ length: 300 }, () => random() - 0.5);
const centre = noise.reduce((sum, value) => sum + value, 0) / noise.length;
const centred = noise.map((value) => value - centre);
const shifted = (by: number): number[] => centred.map((value) => value + by);

describe('bootstrapInterval()', () => {
  it('is about 1.96 standard errors to each side of the mean', () => {
    const { mean, low, high } = bootstrapInterval([shifted(0.1)]);
    expect(mean).toBeCloseTo(0.1, 10);
    expect((high - low) / 2).toBeGreaterThan(1.96 * 0.01667 * 0.9);
    expect((high - low) / 2).toBeLessThan(1.96 * 0.01667 * 1.1);
    expect(Math.abs((high + low) / 2 - 0.1)).toBeLessThan(0.003);
  });

  it('is a point where all queries differ alike, and where there are none', () => {
    expect(bootstrapInterval([[0.25, 0.25, 0.25]])).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
    expect(bootstrapInterval([[]])).toEqual({ mean: 0, low: 0, high: 0 });
  });

  it('weighs collections alike and resamples each by itself', () => {
    expect(bootstrapInterval([[0.5], Array(99).fill(0) as number[]])).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
  });

  it('gives the same figures every time', () => {
    expect(bootstrapInterval([noise])).toEqual(bootstrapInterval([noise]));
  });
});

describe('randomizationP()', () => {
  it('comes near the exact value of a small case', () => {
    // Of 32 sign patterns of five equal differences two are as extreme as the true one.
    expect(Math.abs(randomizationP([[1, 1, 1, 1, 1]]) - 2 / 32)).toBeLessThan(0.01);
    // 1, 2, 3: |sum| of 6 twice in eight; 3 against 1 and 2 sums to 0.
    expect(Math.abs(randomizationP([[1, 2, 3]]) - 2 / 8)).toBeLessThan(0.02);
  });

  it('is one without a difference, small for a clear one, and never zero', () => {
    expect(randomizationP([[0, 0, 0]])).toBe(1);
    expect(randomizationP([shifted(0)])).toBeGreaterThan(0.95);
    expect(randomizationP([shifted(0.2)])).toBe(1 / 10_001);
  });

  it('agrees with the normal approximation, and is two-sided', () => {
    // 0.0327 is 1.96 standard errors.
    expect(Math.abs(randomizationP([shifted(0.0327)]) - 0.05)).toBeLessThan(0.03);
    expect(Math.abs(randomizationP([shifted(-0.0327)]) - 0.05)).toBeLessThan(0.03);
  });
});

describe('differencesOf()', () => {
  it('pairs by position and refuses lists of two lengths', () => {
    expect(differencesOf([3, 1], [1, 2])).toEqual([2, -1]);
    expect(() => differencesOf([1], [])).toThrow(new RangeError('Cannot pair 1 queries with 0'));
  });
});
