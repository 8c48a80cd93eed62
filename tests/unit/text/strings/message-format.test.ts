import { expect, it } from 'vitest';
import {
  dateLocale,
  formatMarkup,
  formatMessage,
  isolated,
  messageParts,
  numberLocale,
  textDirection,
  type Values,
} from '../../../../src/text/strings/message-format.ts';

const ELEMENTS = { link: { attributes: { href: '/a?b&c', rel: 'nofollow', class: undefined } }, id: { element: 'code' } } as const;

it.each([
  ['fills in values, and formats numbers for the language', '{name} has {count} words', { name: 'A', count: 12_345 }, 'A has 12,345 words'],
  ['does not fill in the placeholders of a value', '{a} {b}', { a: '{b}', b: '1' }, '{b} 1'],
  ['takes the form "other" where the language has none of its own', { other: '{count} capsules' }, { count: 1 }, '1 capsules'],
  ['leaves out tags', 'See <link>the list</link>.', {}, 'See the list.'],
])('formatMessage() %s', (_case, message, values, text) => expect(formatMessage(message, values as Values, 'en')).toBe(text));

it('formatMessage() writes numbers and chooses plural forms as the language does', () => {
  expect(formatMessage('{count} Wörter', { count: 12_345 }, 'de')).toBe('12.345 Wörter');
  const forms = { one: '{count} kapsuła', few: '{count} kapsuły', many: '{count} kapsuł', other: '{count} kapsuły' };
  expect([1, 3, 5].map((count) => formatMessage(forms, { count }, 'pl'))).toEqual(['1 kapsuła', '3 kapsuły', '5 kapsuł']);
});

it.each([
  ['Q&A: <link>{x}</link>.', '<b>"x"</b>', 'Q&amp;A: <a href="/a?b&amp;c" rel="nofollow">&lt;b&gt;&quot;x&quot;&lt;/b&gt;</a>.'],
  ['<other>a</other> {x}', '<link>y</link>', 'a &lt;link&gt;y&lt;/link&gt;'],
  ['<link>key <id>{x}</id></link>', '1', '<a href="/a?b&amp;c" rel="nofollow">key <code>1</code></a>'],
])('formatMarkup() makes elements of the tags of %j alone, and escapes the rest', (message, x, html) => {
  expect(formatMarkup(message, { x }, ELEMENTS, 'en')).toBe(html);
});

it('messageParts() lists placeholders and tags of all forms', () => {
  expect(messageParts({ one: '<link>{name}</link>', other: '{count} of <link>{name}</link>' })).toEqual(['<link>', '{count}', '{name}']);
});

it('knows locales and the direction of languages', () => {
  expect([dateLocale('en'), numberLocale('en'), dateLocale('de-AT')]).toEqual(['en-GB', 'en-US', 'de-AT']);
  const rightToLeft = ['ar', 'he', 'fa', 'ur', 'ckb', 'az-Arab', 'dv', 'yi'];
  expect(rightToLeft.map(textDirection)).toEqual(rightToLeft.map(() => 'rtl'));
  expect(['en', 'de', 'ja', 'az', 'pa', 'zz'].map(textDirection)).toEqual(['ltr', 'ltr', 'ltr', 'ltr', 'ltr', 'ltr']);
});

it('isolated() keeps words from right to left apart from those around them', () => {
  expect(['تخلى', 'שלום', 'rain', 'Räder'].map(isolated)).toEqual(['\u2068تخلى\u2069', '\u2068שלום\u2069', 'rain', 'Räder']);
});
