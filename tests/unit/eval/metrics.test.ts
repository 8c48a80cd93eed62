import { describe, expect, it } from 'vitest';
import { measureRanking } from '../../eval/metrics.ts';

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
});
