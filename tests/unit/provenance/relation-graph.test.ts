import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Neighbourhood,
  pageOfNeighbourhood,
  type RelationEdge,
  RelationGraph,
  type RelationKind,
} from '../../../src/provenance/relation-graph.ts';

const ids = [...'abcdefghij'];
const key = ({ from, to, relation }: RelationEdge): string => `${from} ${to} ${relation}`;
const edges = fc.uniqueArray(
  fc.record({
    from: fc.constantFrom(...ids),
    to: fc.constantFrom(...ids),
    relation: fc.constantFrom<RelationKind>('derived_from', 'supersedes', 'cites'),
  }),
  { selector: key, maxLength: 40 },
);
const around = (list: readonly RelationEdge[], centre: string, depth = 2, nodes = 60): Neighbourhood =>
  new RelationGraph(list).around(centre, depth, nodes);
const edge = (from: string, to: string, relation: RelationKind = 'derived_from'): RelationEdge => ({ from, to, relation });
const distances = (found: Neighbourhood): Record<string, number> =>
  Object.fromEntries(found.nodes.map(({ id, distance }) => [id, distance]));

describe('RelationGraph.around()', () => {
  test('never shows more items than it may, nearest first, then by id, and says when it left some out', () => {
    fc.assert(
      fc.property(edges, fc.constantFrom(...ids), fc.nat(4), fc.integer({ min: 1, max: 10 }), (list, centre, depth, limit) => {
        const found = around(list, centre, depth, limit);
        const whole = around(list, centre, depth, 1_000);
        expect(found.nodes.length).toBe(Math.min(limit, whole.nodes.length));
        expect(found.truncated).toBe(whole.nodes.length > limit);
        expect(found.nodes[0]).toEqual({ id: centre, distance: 0 });
        const order = found.nodes.map(({ id, distance }) => `${Math.abs(distance)} ${id}`);
        expect(order).toEqual([...order].sort());
        for (const { distance } of found.nodes) expect(Math.abs(distance)).toBeLessThanOrEqual(depth);
        if (found.truncated) return;
        expect(found).toEqual(whole);
      }),
    );
  });

  test('follows derivations alone, one way, and shows all that they lead to; a mention leads to one item and no further', () => {
    const few = ids.slice(0, 6);
    const id = fc.constantFrom(...few);
    const relation = fc.constantFrom<RelationKind>('derived_from', 'supersedes', 'cites', 'cites');
    const dense = fc.array(fc.record({ from: id, to: id, relation }), { maxLength: 16 });
    fc.assert(
      fc.property(dense, id, fc.integer({ min: 1, max: 4 }), (list, centre, depth) => {
        const shown = distances(around(list, centre, depth));
        const has = (one: string, other: string, way: number, isMention: boolean): boolean =>
          list.some(
            ({ from, to, relation }) =>
              (relation === 'cites') === isMention && (way < 0 ? from === one && to === other : from === other && to === one),
          );
        /** Ways on which derivations lead on from an item: none from one that is only mentioned. */
        const waysOf = (one: string): number[] => {
          const distance = shown[one];
          if (distance === undefined) return [];
          if (one === centre) return [-1, 1];
          return Math.abs(distance) > 1 || has(centre, one, distance, false) ? [Math.sign(distance)] : [];
        };
        for (const one of few.filter((other) => other !== centre)) {
          const derived = few.flatMap((before) =>
            waysOf(before)
              .filter((way) => has(before, one, way, false))
              .map((way) => (shown[before] ?? 0) + way),
          );
          const mentioned = [-1, 1].filter((way) => has(centre, one, way, true));
          const nearest = [...derived, ...mentioned]
            .filter((distance) => Math.abs(distance) <= depth)
            .sort((a, b) => Math.abs(a) - Math.abs(b));
          const isFirst = (distance: number): boolean => Math.abs(distance) === Math.abs(nearest[0] ?? 0);
          expect([one, shown[one]]).toEqual([one, derived.filter(isFirst).sort((a, b) => a - b)[0] ?? mentioned.filter(isFirst)[0]]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('gives the same for edges in any order', () => {
    fc.assert(
      fc.property(
        edges.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        fc.constantFrom(...ids),
        fc.integer({ min: 1, max: 10 }),
        ([list, shuffled], centre, limit) => {
          expect(around(shuffled, centre, 2, limit)).toEqual(around(list, centre, 2, limit));
        },
      ),
    );
  });

  test('shows exactly the edges between the items it shows', () => {
    fc.assert(
      fc.property(edges, fc.constantFrom(...ids), fc.integer({ min: 1, max: 10 }), (list, centre, limit) => {
        const found = around(list, centre, 2, limit);
        const shown = new Set(found.nodes.map(({ id }) => id));
        expect(found.edges.map(key)).toEqual(
          list
            .filter(({ from, to }) => shown.has(from) && shown.has(to))
            .map(key)
            .sort(),
        );
      }),
    );
  });
});

describe('pageOfNeighbourhood()', () => {
  const wholes = fc
    .tuple(edges, fc.constantFrom(...ids), fc.integer({ min: 1, max: 12 }))
    .map(([list, centre, limit]) => around(list, centre, 2, limit));

  test('gives all nodes in their order, an edge on the first page on which both its ends are known, and says what is to come', () => {
    fc.assert(
      fc.property(wholes, fc.integer({ min: 1, max: 12 }), (whole, size) => {
        const count = Math.ceil(whole.nodes.length / size);
        const pages = Array.from({ length: count }, (_, at) => pageOfNeighbourhood(whole, at * size, size));
        const known = new Set<string>();
        const given = new Set<string>();
        for (const [at, page] of pages.entries()) {
          for (const { id } of page.nodes) known.add(id);
          const due = whole.edges.filter((one) => known.has(one.from) && known.has(one.to) && !given.has(key(one)));
          expect(page.edges).toEqual(due);
          for (const one of due) given.add(key(one));
          expect([page.total, page.truncated]).toEqual([whole.nodes.length, at < pages.length - 1]);
          expect(page.nodes.length).toBe(at < pages.length - 1 ? size : whole.nodes.length - at * size);
        }
        expect(pages.flatMap(({ nodes }) => nodes)).toEqual(whole.nodes);
        expect(given.size).toBe(whole.edges.length);
      }),
    );
  });

  test('that begins beyond the last node is empty', () => {
    const whole = around([edge('a', 'b')], 'a');
    expect(pageOfNeighbourhood(whole, 2, 60)).toEqual({ nodes: [], edges: [], total: 2, truncated: false });
  });
});

describe('RelationGraph', () => {
  test('counts every edge of an item, in both directions', () => {
    fc.assert(
      fc.property(edges, fc.constantFrom(...ids), (list, id) => {
        expect(new RelationGraph(list).degree(id)).toBe(
          list.filter(({ from }) => from === id).length + list.filter(({ to }) => to === id).length,
        );
      }),
    );
  });

  test('knows what replaced an item, and takes no other relation for it', () => {
    const graph = new RelationGraph([edge('b', 'a', 'cites'), edge('c', 'a', 'supersedes'), edge('a', 'z', 'supersedes')]);
    expect([graph.supersededBy('a'), graph.supersededBy('z'), graph.supersededBy('c')]).toEqual(['c', 'a', undefined]);
  });
});
