import { describe, expect, it } from 'vitest';
import type { QueryPlan } from '../../../../src/search/query/plan-query.ts';
import { scoringOrder } from '../../../../src/search/query/score-documents.ts';

/** A plan of terms in so many documents each; `read` says whether their lists were read. */
function planOf(terms: readonly { readonly documents: number; readonly read?: boolean }[], pairs: QueryPlan['pairs'] = []) {
  return {
    terms: terms.map(({ documents, read = true }, number) => ({
      term: `term-${number}`,
      indexed: {
        hash: { key: number, shard: 0 },
        documentFrequency: documents,
        parts: read ? [{ records: new Uint8Array(), at: 0, end: 0 }] : [],
        isWhole: read,
      },
      weight: 1,
      places: [],
    })),
    pairs,
  };
}

describe('scoringOrder()', () => {
  it('takes the rarest terms first, as many as the bound allows, and the rarest one in any case', () => {
    expect(scoringOrder(planOf([{ documents: 50 }, { documents: 5 }, { documents: 30 }]), 40).scored).toEqual([1, 2]);
    expect(scoringOrder(planOf([{ documents: 900 }, { documents: 600 }]), 500).scored).toEqual([1]);
  });

  it('gives no place to a term whose list was not read, however frequent it is', () => {
    const terms = [{ documents: 900_000, read: false }, { documents: 600_000 }];
    expect(scoringOrder(planOf(terms), 500_000)).toMatchObject({ scored: [1], marked: [1] });
  });

  it('looks for pairs of scored terms alone, the first ones as long as their documents fit into memory', () => {
    const frequent = Array.from({ length: 32 }, () => ({ documents: 60_000 }));
    const pairs = frequent.flatMap((_, first) => [0, 1, 2, 3, 4, 5, 6].map((step) => ({ first, second: (first + step) % 32, weight: 1 })));
    const order = scoringOrder(planOf(frequent, pairs), 2_000_000);
    expect(order.pairs).toEqual(pairs.slice(0, 16));
    expect(scoringOrder(planOf([{ documents: 10 }, { documents: 90 }], [{ first: 0, second: 1, weight: 1 }]), 50).pairs).toEqual([]);
  });
});
