import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkLineage, type Relations } from '../../../../src/publication/check/check-capsules.ts';
import { capsule, problemsOf } from '../content-world.ts';

test('a deleted capsule that was published is to be restored, whatever names it', async () => {
  const version = { capsule: 'gone', version: '1.0.0', updated: '2026-01-01', text: 'a'.repeat(64), record: 'b'.repeat(64) };
  const files = {
    'capsules/a.md': capsule({ supersedes: '[{ capsule: gone, reason: It says more than that. }]' }),
    'published.jsonl': `${JSON.stringify(version)}\n`,
  };
  expect(await problemsOf(files)).toEqual([
    expect.stringMatching(
      /^capsules\/a\.md:12 supersedes\[0\]\.capsule: names the capsule "gone", which was published, but content\/capsules\/gone\.md is missing; restore the file/,
    ),
  ]);
});

describe('checkLineage()', () => {
  const ids = [...'abcdefg'];
  const relations = fc.array(
    fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)).filter(([from, to]) => from !== to),
    { maxLength: 14 },
  );
  const capsulesOf = (edges: readonly (readonly [string, string])[]): Map<string, Relations> =>
    new Map(
      ids.map((id) => [
        id,
        {
          derived_from: [...new Set(edges.filter(([from]) => from === id).map(([, to]) => to))],
          cites: [],
          supersedes: [],
          draft: false,
          access: 'public',
        },
      ]),
    );

  test('finds a circle exactly if there is one', () => {
    fc.assert(
      fc.property(relations, (edges) => {
        let left = edges;
        for (let round = 0; round < ids.length; round += 1) left = left.filter(([, to]) => left.some(([from]) => from === to));
        expect(checkLineage({ capsules: capsulesOf(edges), unread: [] }).length > 0).toBe(left.length > 0);
      }),
    );
  });

  test('names only circles that are there', () => {
    fc.assert(
      fc.property(relations, (edges) => {
        for (const { message } of checkLineage({ capsules: capsulesOf(edges), unread: [] })) {
          const path = message.replace('closes a cycle: ', '').split(' -> ');
          expect(path.at(-1)).toBe(path[0]);
          for (const [index, id] of path.slice(0, -1).entries())
            expect(edges.some(([from, to]) => from === id && to === path[index + 1])).toBe(true);
        }
      }),
    );
  });

  test('takes a chain of ten thousand capsules', () => {
    const chain = new Map(
      Array.from({ length: 10_000 }, (_, index): [string, Relations] => [
        `c${index}`,
        { derived_from: index === 9_999 ? [] : [`c${index + 1}`], cites: [], supersedes: [], draft: false, access: 'public' },
      ]),
    );
    expect(checkLineage({ capsules: chain, unread: [] })).toEqual([]);
  });
});
