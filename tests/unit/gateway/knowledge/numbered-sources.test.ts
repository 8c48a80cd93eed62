import { describe, expect, it } from 'vitest';
import { withNumberedSources } from '../../../../src/gateway/knowledge/capsule-markdown.ts';
import type { CapsuleSource } from '../../../../src/schemas/knowledge/capsule-fields.ts';
import { renderMarkdown } from '../../../../src/site/markdown/render-markdown.ts';
import { realCapsules } from '../real-generation.ts';

const source = (key: string): CapsuleSource => ({
  key,
  title: `Title ${key}`,
  url: `https://sources.example/${key}`,
  publisher: 'Press',
  kind: 'specification',
});
const SOURCES = ['a', 'b', 'c'].map(source);
const linked = (text: string): string => withNumberedSources(text, SOURCES).text;

describe('withNumberedSources()', () => {
  it.each([
    ['by the order of first references', 'X.[^b] Y.[^a] Z.[^b]', 'X.[1][b] Y.[2][a] Z.[1][b]'],
    ['with a comma between neighbours', 'X.[^a][^b]', 'X.[1][a], [2][b]'],
    ['in any case', 'X.[^A]', 'X.[1][a]'],
    ['beside footnotes of the text, which stay', 'X.[^own][^a]\n\n[^own]: Note.[^b]', 'X.[^own], [1][a]\n\n[^own]: Note.[2][b]'],
    ['in tables', '| X[^a] | Y[^b] |', '| X[1][a] | Y[2][b] |'],
    ['not in code and not after a backslash', '`[^a]` \\[^a]\n\n```\n[^a]\n```', '`[^a]` \\[^a]\n\n```\n[^a]\n```'],
    ['by address where the text gives the key another meaning', 'X.[^a]\n\n[A]: /x', 'X.[1](https://sources.example/a)\n\n[A]: /x'],
    ['by address where the text has the key in brackets', 'The [a] field.[^a]', 'The [a] field.[1](https://sources.example/a)'],
    ['by address where a link names the key', '[words][b][^b]', '[words][b][1](https://sources.example/b)'],
  ])('numbers references %s', (_case, before, after) => expect(linked(before)).toBe(after));

  it('lists sources by their numbers with what the links need, and those without a reference last', () => {
    expect(withNumberedSources('X.[^b]', [{ ...source('a'), retrieved: '2026-11-21' }, source('b')]).list).toBe(
      [
        '1. [Title b][b]. Press.',
        '2. [Title a][a]. Press. Read on 2026-11-21.',
        '',
        '[b]: https://sources.example/b',
        '[a]: https://sources.example/a',
      ].join('\n'),
    );
    expect(withNumberedSources('X.', [])).toEqual({ text: 'X.', list: '' });
    const withBracket = { ...source('a'), url: 'https://sources.example/a_(b' };
    expect(withNumberedSources('X.[^a]', [withBracket]).list).toContain('[a]: <https://sources.example/a_(b>');
  });

  it('gives the numbers of the page to the sources of every real capsule', async () => {
    for (const { id, metadata, markdown = '' } of await realCapsules()) {
      const { sourceOrder } = await renderMarkdown(markdown, { sources: metadata.sources });
      const { text } = withNumberedSources(markdown, metadata.sources);
      for (const [index, key] of sourceOrder.entries()) expect(text, id).toContain(`[${index + 1}][${key}]`);
      for (const [, number = '', key = ''] of text.matchAll(/\[(\d+)\]\[([a-z0-9-]+)\]/g))
        expect([id, sourceOrder[Number(number) - 1]]).toEqual([id, key]);
    }
  });
});
