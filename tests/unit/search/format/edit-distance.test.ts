import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from '../../../../src/search/format/spelling.ts';
import { naiveDistance } from '../naive-distance.ts';

describe('editDistance()', () => {
  it('gives the distance by definition, or one more than the limit', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 3 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(naiveDistance(a, b), limit + 1));
      }),
      { numRuns: 500 },
    );
  });
});
