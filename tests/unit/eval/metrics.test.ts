import { describe, expect, it } from 'vitest';
import { isJudged, meanMetrics, measureRanking } from '../../eval/metrics.ts';
import { seededRandom } from '../../eval/random.ts';
import { bootstrapInterval, differencesOf, randomizationP } from '../../eval/significance.ts';
import { probability } from '../../eval/text-table.ts';

const judged = (relevance: Record<string, number>): Map<string, number> => new Map(Object.entries(relevance));
const others = (count: number): string[] => Array.from({ length: count }, (_, at) => `other-${at}`);

describe('measureRanking()', () => {
  it('uses graded relevance as linear gain, discounted by log2(rank + 1)', () => {
    // Gains 0 3 1 2; ideal 3 2 1 1 (d was not found).
    const { ndcg10, map, recall100, mrr10 } = measureRanking(['x', 'a', 'b', 'c'], judged({ a: 3, b: 1, c: 2, d: 1 }));
    const gained = 3 / Math.log2(3) + 1 / 2 + 2 / Math.log2(5);
    const ideal = 3 + 2 / Math.log2(3) + 1 / 2 + 1 / Math.log2(5);
    expect(ndcg10).toBeCloseTo(gained / ideal, 12);
    expect(ndcg10).toBeCloseTo(0.626696, 6);
    expect(map).toBeCloseTo((1 / 2 + 2 / 3 + 3 / 4) / 4, 12);
    expect(recall100).toBe(3 / 4);
    expect(mrr10).toBe(1 / 2);
  });

  it.each<
    [what: string, ranked: string[], relevance: Record<string, number>, ndcg10: number, map: number, recall100: number, mrr10: number]
  >([
    ['the ideal ranking', ['a', 'b', 'x'], { a: 2, b: 1 }, 1, 1, 1, 1],
    ['documents that were not judged', ['x', 'y', 'a'], { a: 1 }, 1 / 2, 1 / 3, 1, 1 / 3],
    ['judgements of zero and less', ['spam', 'zero', 'a'], { spam: -2, zero: 0, a: 1 }, 1 / 2, 1 / 3, 1, 1 / 3],
    ['the tenth result', [...others(9), 'a'], { a: 1 }, 1 / Math.log2(11), 1 / 10, 1, 1 / 10],
    ['the eleventh result', [...others(10), 'a'], { a: 1 }, 0, 1 / 11, 1, 0],
    ['the result after a hundred', [...others(100), 'a'], { a: 1 }, 0, 1 / 101, 0, 0],
    ['no results', [], { a: 1 }, 0, 0, 0, 0],
    ['a query without relevant documents', ['a'], { a: 0 }, 0, 0, 0, 0],
  ])('counts %s', (_what, ranked, relevance, ndcg10, map, recall100, mrr10) => {
    expect(measureRanking(ranked, judged(relevance))).toEqual({ ndcg10, map, recall100, mrr10 });
  });

  it('has an ideal of ten at most, over all judged documents', () => {
    const relevance = judged(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`r${at}`, 1])));
    const metrics = measureRanking(['r0', 'r1'], relevance);
    const ideal = Array.from({ length: 10 }, (_, at) => 1 / Math.log2(at + 2)).reduce((sum, gain) => sum + gain);
    expect(metrics.ndcg10).toBeCloseTo((1 + 1 / Math.log2(3)) / ideal, 12);
    expect(metrics.map).toBeCloseTo(2 / 12, 12);
    expect(metrics.recall100).toBeCloseTo(2 / 12, 12);
  });

  it('refuses a document that is ranked twice', () => {
    expect(() => measureRanking(['a', 'b', 'a'], judged({ a: 1 }))).toThrow(new RangeError('A ranking has the document "a" twice'));
  });
});

it('meanMetrics() weighs every query alike, those without results too', () => {
  const all = [measureRanking(['a'], judged({ a: 1 })), measureRanking([], judged({ a: 1 }))];
  expect(meanMetrics(all)).toEqual({ ndcg10: 0.5, map: 0.5, recall100: 0.5, mrr10: 0.5 });
  expect(meanMetrics([])).toEqual({ ndcg10: 0, map: 0, recall100: 0, mrr10: 0 });
});

it('isJudged() asks for one relevant document', () => {
  expect(isJudged(judged({ a: 0, b: 1 }))).toBe(true);
  expect(isJudged(judged({ a: 0, b: -1 }))).toBe(false);
  expect(isJudged(undefined)).toBe(false);
});

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

it('probability() has three decimals and no leading zero, but tells one from zero', () => {
  expect([1, 0.9999, 0.042, 0.0004].map(probability)).toEqual(['1.000', '1.000', '.042', '<.001']);
});

it('differencesOf() pairs by position and refuses lists of two lengths', () => {
  expect(differencesOf([3, 1], [1, 2])).toEqual([2, -1]);
  expect(() => differencesOf([1], [])).toThrow(new RangeError('Cannot pair 1 queries with 0'));
});
