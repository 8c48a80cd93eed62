import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexFormatError } from '../../../../src/search/format/index-block.ts';
import { encodeNeighbours, Neighbours } from '../../../../src/search/format/similar-documents.ts';
import { rescoreWithNeighbours } from '../../../../src/search/query/search.ts';
import { Kernel } from '../../../../src/search/scoring-wasm/kernel.ts';
import { compiledKernel } from '../../../support/compiled-kernel.ts';
import { damage, damaged } from '../posting-lists.ts';

/** Similarities that are kept exactly: up to 89 of 127 steps, and above that those of near duplicates. */
const neighbour = fc
  .tuple(fc.nat(2 ** 24 - 1), fc.nat(127))
  .map(([document, steps]) => ({ document, similarity: steps / 127, isDuplicate: steps > 89 }));

const lists = fc
  .array(fc.array(neighbour, { maxLength: 10 }), { maxLength: 12 })
  .chain((list) => fc.tuple(fc.constant(list), fc.uint8Array({ minLength: list.length, maxLength: list.length })));

describe('Neighbours', () => {
  it('gives back what was encoded', () => {
    fc.assert(
      fc.property(lists, ([list, trust]) => {
        const neighbours = new Neighbours(encodeNeighbours(list, trust), list.length);
        expect(list.map((_, document) => neighbours.of(document))).toEqual(list);
        expect(list.map((_, document) => neighbours.trust(document))).toEqual([...trust].map((steps) => steps / 255));
      }),
    );
  });

  it('keeps near duplicates and others apart whatever their similarity, and lets the former support no score', () => {
    const list = [
      { document: 1, similarity: 0.7, isDuplicate: true },
      { document: 2, similarity: 1, isDuplicate: false },
    ];
    const neighbours = new Neighbours(encodeNeighbours([list, [], []], new Uint8Array(3)), 3);
    expect(neighbours.of(0).map(({ document, isDuplicate }) => [document, isDuplicate])).toEqual([
      [1, true],
      [2, false],
    ]);
    const visited: number[] = [];
    neighbours.forEach(0, (document) => visited.push(document));
    expect([visited, neighbours.support(0, Int32Array.of(1, 1000, 30))]).toEqual([[2], 30]);
  });

  it('refuses bytes that are cut short, followed by others, or of another number of documents', () => {
    fc.assert(
      fc.property(lists, fc.nat(), ([list, trust], at) => {
        const bytes = encodeNeighbours(list, trust);
        expect(() => new Neighbours(bytes.slice(0, at % bytes.length), list.length)).toThrow(IndexFormatError);
        expect(() => new Neighbours(Uint8Array.of(...bytes, 0, 0, 0, 0), list.length)).toThrow(IndexFormatError);
        expect(() => new Neighbours(bytes, list.length + 1)).toThrow(IndexFormatError);
      }),
    );
  });

  it('always terminates on changed bytes', () => {
    fc.assert(
      fc.property(lists, damage, ([list, trust], change) => {
        const bytes = damaged(encodeNeighbours(list, trust), change);
        const scores = new Int32Array(list.length).fill(5);
        try {
          const neighbours = new Neighbours(bytes, list.length);
          list.forEach((_, document) => {
            let visited = 0;
            neighbours.forEach(document, () => visited++);
            expect(visited).toBeLessThanOrEqual(bytes.length);
            expect(neighbours.of(document).length).toBeLessThanOrEqual(bytes.length);
            neighbours.support(document, scores);
          });
        } catch (error) {
          expect(error).toBeInstanceOf(IndexFormatError);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('stops at its last entry where an end was changed into one that there is not', () => {
    const bytes = encodeNeighbours([[{ document: 0, similarity: 0.5 }]], Uint8Array.of(1));
    bytes.fill(0xff, 12, 16);
    const neighbours = new Neighbours(bytes, 1);
    let visited = 0;
    neighbours.forEach(0, () => visited++);
    expect([visited, neighbours.of(0).length, neighbours.support(0, Int32Array.of(7))]).toEqual([1, 1, 7]);
  });
});

describe('rescoreWithNeighbours()', () => {
  function smooth(scores: readonly number[], neighbours: Neighbours): number[] {
    const kernel = new Kernel(compiledKernel());
    kernel.begin({ documents: scores.length, recordBytes: 0, candidates: 0 });
    kernel.scores.set(scores);
    rescoreWithNeighbours(kernel, kernel.findMatching().length, neighbours);
    return [...kernel.scores];
  }

  it('lifts what has strong neighbours over what has weak ones, and leaves what has none where it was', () => {
    const near = (document: number) => [{ document, similarity: 0.5 }];
    const neighbours = new Neighbours(encodeNeighbours([near(1), near(0), near(3), near(2), []], Uint8Array.of(200, 200, 200, 200, 0)), 5);
    const [strong = 0, best = 0, weak = 0, worst = 0, alone = 0] = smooth([1000, 2000, 1000, 100, 1000], neighbours);
    expect(strong).toBeGreaterThan(alone);
    expect(weak).toBeLessThan(alone);
    expect(best).toBeGreaterThan(worst);
    expect(alone).toBe(1000);
  });

  it('takes a neighbour that finds nothing near enough to count for one that has none', () => {
    const given = [[{ document: 1, similarity: 1 }], [{ document: 0, similarity: 0 }]];
    expect(smooth([1000, 1000], new Neighbours(encodeNeighbours(given, Uint8Array.of(255, 255)), 2))).toEqual([1000, 1000]);
  });

  it('keeps every document that matches, and none besides', () => {
    const near = [[{ document: 1, similarity: 1 }], [{ document: 0, similarity: 1 }], [{ document: 0, similarity: 1 }]];
    const after = smooth([1, 0, 5], new Neighbours(encodeNeighbours(near, Uint8Array.of(255, 255, 255)), 3));
    expect(after.map((score) => score > 0)).toEqual([true, false, true]);
  });
});
