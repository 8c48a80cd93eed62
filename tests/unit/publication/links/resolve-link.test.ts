import { describe, expect, it } from 'vitest';
import { headingIds } from '../../../../src/publication/links/anchors.ts';
import { resolveLink } from '../../../../src/publication/links/text-references.ts';

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
