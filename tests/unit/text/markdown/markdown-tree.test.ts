import { EditMap } from 'micromark-util-edit-map';
import { expect, test } from 'vitest';
import { parseMarkdownOnce } from '../../../../src/text/markdown/markdown-tree.ts';

type Events = Parameters<EditMap['consume']>[0];

/** Numbers in the place of events: edits look at none. */
const numbered = (count: number): Events => Array.from({ length: count }, (_, index) => index) as unknown as Events;

test('an edit of the parser touches no events before it', () => {
  let reads = 0;
  const events = new Proxy(numbered(10_000), {
    get(target, name, receiver) {
      reads += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const edits = new EditMap();
  edits.add(9_998, 1, numbered(3));
  edits.consume(events);
  expect(events.slice(9_996)).toEqual([9_996, 9_997, 0, 1, 2, 9_999]);
  expect(reads).toBeLessThan(200);
});

test.each([
  [[], [0, 1, 2, 3, 4, 5]],
  [[[0, 0, 1]], [0, 0, 1, 2, 3, 4, 5]],
  [
    [
      [4, 1, 2],
      [1, 2, 1],
    ],
    [0, 0, 3, 0, 1, 5],
  ],
  [[[6, 0, 2]], [0, 1, 2, 3, 4, 5, 0, 1]],
  [
    [
      [1, 4, 0],
      [2, 0, 1],
    ],
    [0, 0, 2, 3, 4, 5],
  ],
])('edits %j of the parser leave %j', (given, expected) => {
  const events = numbered(6);
  const edits = new EditMap();
  for (const [at = 0, removed = 0, added = 0] of given) edits.add(at, removed, numbered(added));
  edits.consume(events);
  expect(events).toEqual(expected);
});

test('underlined headings and quotes are read as before', () => {
  const { children } = parseMarkdownOnce('A\n=\n\n> a\n\n> b\nlazy\n\n- c\n\nB\n-\n');
  expect(children.map((node) => node.type)).toEqual(['heading', 'blockquote', 'blockquote', 'list', 'heading']);
});
