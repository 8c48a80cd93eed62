import { expect, test } from 'vitest';
import { rewriteLinks } from '../../../../src/publication/links/text-references.ts';

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
