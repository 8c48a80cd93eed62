import { describe, expect, it, test } from 'vitest';
import { headingIds } from '../../../../src/text/markdown/anchors.ts';
import { resolveLink, rewriteLinks } from '../../../../src/text/markdown/text-references.ts';

const REFERENCES = {
  'b.md': { href: '/capsules/b' },
  'b(1).md': { href: '/capsules/b-1' },
  'my wheel.png': { href: '/media/my-wheel.0123456789ab.png' },
  'list.csv': { href: '/media/list(1).csv' },
};

test.each([
  ['a link', 'See [the b](b.md), and `[b](b.md)`.', 'See [the b](/capsules/b), and `[b](b.md)`.'],
  ['a link with a title', '[b]( b.md "b.md" )', '[b]( /capsules/b "b.md" )'],
  ['a link whose text is the address', '[b.md](b.md)', '[b.md](/capsules/b)'],
  ['parentheses in an address', '[b](b(1).md) (b.md)', '[b](/capsules/b-1) (b.md)'],
  ['an image in a link', '[![w](<my wheel.png>)](b.md)', '[![w](/media/my-wheel.0123456789ab.png)](/capsules/b)'],
  ['an address that needs angle brackets', '[l](list.csv)', '[l](</media/list(1).csv>)'],
  ['a definition', '[b.md][x]\n\n[x]: b.md "b.md"\n', '[b.md][x]\n\n[x]: /capsules/b "b.md"\n'],
  [
    'HTML',
    '<a class="x" href=\'b.md\'>b.md</a> <img src="my wheel.png">',
    '<a class="x" href="/capsules/b">b.md</a> <img src="/media/my-wheel.0123456789ab.png">',
  ],
  ['other addresses', '[c](c.md) [d](https://b.example/b.md) [constructor](constructor)', undefined],
  ['code', '```\n[b](b.md)\n```\n', undefined],
])('%s: only the addresses of references change', (_, written, rewritten = written) => {
  expect(rewriteLinks(written, REFERENCES)).toBe(rewritten);
});

test('a text without references stays as it is', () => {
  expect(rewriteLinks('[b](b.md)\r\n', undefined)).toBe('[b](b.md)\r\n');
  expect(rewriteLinks('[b](b.md)\r\n', {})).toBe('[b](b.md)\r\n');
});

const ADDRESSES = new Map([
  ['content/capsules/intro.md', '/capsules/intro'],
  ['content/capsules/guide/set up.md', '/capsules/set-up'],
  ['content/capsules/guide/index.md', '/capsules/guide'],
  ['content/pages/about.md', '/about'],
]);
const resolve = (url: string, from = 'content/capsules/guide/set up.md') => resolveLink(url, from, ADDRESSES);

describe('resolveLink()', () => {
  it.each([
    ['../intro.md', '/capsules/intro'],
    ['../intro', '/capsules/intro'],
    ['./../intro.md?a=1#why', '/capsules/intro?a=1#why'],
    ['set%20up.md', '/capsules/set-up'],
    ['.', '/capsules/guide'],
    ['../guide/', '/capsules/guide'],
    ['index.md#top', '/capsules/guide#top'],
    ['../../pages/about.md', '/about'],
  ])('finds the text of %s', (url, href) => {
    expect(resolve(url)).toMatchObject({ kind: 'text', href });
  });

  it.each([
    ['https://example.com/a.md', { kind: 'external' }],
    ['mailto:a@b.example', { kind: 'external' }],
    ['//evil.example/x', { kind: 'external' }],
    ['#caf%C3%A9', { kind: 'anchor', anchor: 'café' }],
    ['#100%', { kind: 'anchor', anchor: '100%' }],
    ['/capsules/intro#why', { kind: 'address', path: '/capsules/intro', anchor: 'why', href: '/capsules/intro#why' }],
    ['images/photo%201.png', { kind: 'file', file: 'content/capsules/guide/images/photo 1.png' }],
    ['../missing.md', { kind: 'file', file: 'content/capsules/missing.md' }],
    ['../../../public/a.png', { kind: 'file', file: 'public/a.png' }],
    ['../../../../etc/passwd', { kind: 'outside' }],
  ])('says what %s is', (url, target) => {
    expect(resolve(url)).toMatchObject(target);
  });
});

describe('headingIds()', () => {
  it('makes ids as GitHub does, unlike those of the page', () => {
    const id = headingIds();
    expect(
      ["What's new?", 'What is new', 'Übung macht', 'Übung macht', 'foo_bar()', 'Übung macht', '!?', 'Sources', 'Sources'].map(id),
    ).toEqual([
      'whats-new',
      'what-is-new',
      'übung-macht',
      'übung-macht-1',
      'foo_bar',
      'übung-macht-2',
      'section',
      'sources-2',
      'sources-3',
    ]);
  });

  it('never makes an id twice', () => {
    const id = headingIds();
    expect(['a', 'a-1', 'a', 'a', 'a-1'].map(id)).toEqual(['a', 'a-1', 'a-2', 'a-3', 'a-1-1']);
  });
});
