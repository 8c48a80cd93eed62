import type { Nodes } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { describe, expect, it } from 'vitest';
import { withNumberedSources } from '../../../../src/gateway/knowledge/capsule-markdown.ts';
import { findQuote } from '../../../../src/gateway/knowledge/verify-quote.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { renderMarkdown } from '../../../../src/site/markdown/render-markdown.ts';
import { realCapsules } from '../real-generation.ts';

const TEXT = '# Waiting\n\nAfter **429**, wait for `Retry-After`[^rfc] [^b].\nThen [ask](https://a.example/b) again.\n\n- one\n- two';
const find = (quote: string, text = TEXT) => findQuote(quote, { text, summary: 'Clients wait.', title: 'Waiting' });
const textOf = (node: Nodes): string => ('children' in node ? node.children.map(textOf).join('') : node.type === 'text' ? node.value : '');

/** Reads of a list by its search methods, of which a linear algorithm makes none. */
function countedSearches(run: () => void): number {
  let searches = 0;
  const { includes, indexOf } = Array.prototype;
  Array.prototype.includes = function (...sought) {
    searches += 1;
    return includes.apply(this, sought);
  };
  Array.prototype.indexOf = function (...sought) {
    searches += 1;
    return indexOf.apply(this, sought);
  };
  try {
    run();
  } finally {
    Object.assign(Array.prototype, { includes, indexOf });
  }
  return searches;
}

describe('findQuote()', () => {
  it('takes time in proportion to the references of a text', () => {
    const text = Array.from({ length: 8_000 }, (_, at) => `Claim ${at}[^source-${at}].`).join(' ');
    expect(find('Claim 79991, Claim', text).verdict).toBe('not_found');
    expect(find('Claim 79998000. ', `${text} `).verdict).toBe('markup_differs');
    expect(countedSearches(() => find('Claim that nobody made', text))).toBeLessThan(1_000);
  });

  it.each([
    ['After **429**, wait', 'exact'],
    ['After  **429**,\nwait', 'white_space_differs'],
    ['.\nThen [ask]', 'exact'],
    ['. Then [ask]', 'white_space_differs'],
    ['After 429, wait for Retry-After. Then ask again.', 'markup_differs'],
    ['wait for `Retry-After`[1][rfc], [2][b]. Then', 'markup_differs'],
    ['wait for Retry-After[1], [2]. Then', 'markup_differs'],
    ['wait for Retry-After[1](https://a.example/rfc) [2].', 'markup_differs'],
    ['wait for Retry-After1 2. Then', 'markup_differs'],
    ['wait for Retry-After2 1. Then', 'not_found'],
    ['one two', 'markup_differs'],
    ['After 430, wait', 'not_found'],
    ['After 429 wait', 'not_found'],
    ['after 429, wait', 'not_found'],
    ['**', 'exact'],
    ['***', 'not_found'],
  ])('%j: %s', (quote, verdict) => {
    const { ranges, ...found } = find(quote);
    const { nearest: _nearest, ...told } = found;
    expect(told).toEqual(verdict === 'not_found' ? { verdict } : { verdict, part: 'text' });
    for (const { start, end } of ranges) if (verdict === 'exact') expect(TEXT.slice(start, end)).toBe(quote);
  });

  it('names the part, and prefers fewer differences to an earlier part', () => {
    expect(find('Clients wait.')).toEqual({ verdict: 'exact', part: 'summary', ranges: [{ start: 0, end: 13 }] });
    expect(find('Waiting')).toMatchObject({ verdict: 'exact', part: 'text' });
    expect(findQuote('a b', { text: 'a\nb', summary: 'a b' })).toMatchObject({ verdict: 'exact', part: 'summary' });
    expect(findQuote('a', {})).toEqual({ verdict: 'not_found', ranges: [] });
  });

  it('gives the place in the exact text, whatever differs', () => {
    const [range] = find('wait for Retry-After').ranges;
    expect(TEXT.slice(range?.start, range?.end)).toBe('wait for `Retry-After');
  });

  it('finds what is read on the page and in the markdown of real capsules', async () => {
    let read = 0;
    for (const { id, metadata, markdown = '' } of (await realCapsules()).filter((_, at) => at % 3 === 0)) {
      const { html } = await renderMarkdown(markdown, { sources: metadata.sources });
      const ofPage = [
        ...html
          .replaceAll(/<aside class="notes"[\s\S]*?<\/aside>/g, '')
          .matchAll(/<(p|li|h[2-6])(?: [^>]*)?>((?:(?!<(?:p|ul|ol|li|div|pre|table)\b)[\s\S])*?)<\/\1>/g),
      ].map(([element]) => textOf(fromHtml(element, { fragment: true })).trim());
      const ofMarkdown = withNumberedSources(markdown, metadata.sources)
        .text.split(/\n\n+/)
        .filter((block) => !block.startsWith('```'));
      for (const quote of [...ofPage, ...ofMarkdown].filter((text) => text !== '')) {
        read += 1;
        expect([id, quote, findQuote(quote, { text: markdown }).part]).toEqual([id, quote, 'text']);
      }
    }
    expect(read).toBeGreaterThan(200);
  });
});

describe('a quotation with words left out', () => {
  const text = 'The first rule holds. A key lasts **ninety** days, and no longer. The last rule is short.';

  it.each(['…', ' ... ', ' […] '])('is found piece by piece, in order, with %j between', (mark) => {
    const { verdict, ranges } = findQuote(`The first rule${mark}and no longer.`, { text });
    expect([verdict, ranges.map(({ start, end }) => text.slice(start, end))]).toEqual(['exact', ['The first rule', 'and no longer.']]);
    expect(findQuote(`and no longer${mark}The first rule`, { text }).verdict).toBe('not_found');
  });

  it('has as many pieces as a result has ranges, because each is a search of the text', () => {
    const pieces = ['The', 'first', 'rule', 'holds'];
    expect(findQuote(pieces.slice(0, LIMITS.passagesMax).join('…'), { text }).verdict).toBe('exact');
    expect(findQuote(pieces.slice(0, LIMITS.passagesMax + 1).join('…'), { text }).verdict).toBe('not_found');
  });

  it('is compared without markup too', () => {
    expect(findQuote('A key lasts ninety days … The last rule', { text }).verdict).toBe('markup_differs');
  });
});

describe('a quotation that is not found', () => {
  const text = 'The first rule holds.\n\nA key lasts ninety days, and no longer. It is revoked at once.\n\n- The last rule is short\n';

  it('has the passage with most of its words, with its offsets', () => {
    const { verdict, nearest } = findQuote('A key lasts eighty days and no longer.', { text });
    expect([verdict, nearest?.text]).toEqual(['not_found', 'A key lasts ninety days, and no longer.']);
    expect(text.slice(nearest?.start, nearest?.end)).toBe(nearest?.text);
  });

  it('has none if the text says nothing like it', () => {
    expect(findQuote('Bread is baked from flour and water', { text }).nearest).toBeUndefined();
  });
});
