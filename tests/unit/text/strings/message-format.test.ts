import { describe, expect, it } from 'vitest';
import {
  dateLocale,
  formatMarkup,
  formatMessage,
  messageParts,
  numberLocale,
  textDirection,
} from '../../../../src/text/strings/message-format.ts';

const LINK = { link: { attributes: { href: '/a?b&c', rel: 'nofollow', class: undefined } } };

describe('formatMessage()', () => {
  it('fills in values, and formats numbers for the language', () => {
    expect(formatMessage('{name} has {count} words', { name: 'A', count: 12_345 }, 'en')).toBe('A has 12,345 words');
    expect(formatMessage('{name} hat {count} Wörter', { name: 'A', count: 12_345 }, 'de')).toBe('A hat 12.345 Wörter');
  });

  it('does not fill in the placeholders of a value', () => {
    expect(formatMessage('{a} {b}', { a: '{b}', b: '1' }, 'en')).toBe('{b} 1');
  });

  it('chooses the plural form of the language, and "other" where it has none', () => {
    const forms = { one: '{count} kapsuła', few: '{count} kapsuły', many: '{count} kapsuł', other: '{count} kapsuły' };
    expect([1, 3, 5].map((count) => formatMessage(forms, { count }, 'pl'))).toEqual(['1 kapsuła', '3 kapsuły', '5 kapsuł']);
    expect(formatMessage({ other: '{count} capsules' }, { count: 1 }, 'en')).toBe('1 capsules');
  });

  it('leaves out tags', () => {
    expect(formatMessage('See <link>the list</link>.', {}, 'en')).toBe('See the list.');
  });
});

describe('formatMarkup()', () => {
  it('turns tags into elements, and escapes words, values and attributes', () => {
    expect(formatMarkup('Q&A: <link>{title}</link>.', { title: '<b>"x"</b>' }, LINK, 'en')).toBe(
      'Q&amp;A: <a href="/a?b&amp;c" rel="nofollow">&lt;b&gt;&quot;x&quot;&lt;/b&gt;</a>.',
    );
  });

  it('drops tags without an element, and never takes a tag from a value', () => {
    expect(formatMarkup('<other>a</other> {x}', { x: '<link>y</link>' }, LINK, 'en')).toBe('a &lt;link&gt;y&lt;/link&gt;');
  });

  it('nests elements', () => {
    const elements = { outer: { attributes: { href: '/' } }, inner: { element: 'code' } } as const;
    expect(formatMarkup('<outer>key <inner>{id}</inner></outer>', { id: '1' }, elements, 'en')).toBe('<a href="/">key <code>1</code></a>');
  });
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
