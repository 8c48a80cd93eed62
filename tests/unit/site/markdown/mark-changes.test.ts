import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markChanges } from '../../../../src/site/markdown/mark-changes.ts';

describe('markChanges()', () => {
  it.each([
    ['<p>One old word.</p>', '<p>One new word.</p>', '<p>One <del>old</del><ins>new</ins> word.</p>'],
    ['<p>Same.</p>', '<p>Same.</p>', ''],
    // Below its heading, with a line for what is left out.
    [
      '<p>A.</p><h2 id="a">H</h2><a href="#a" data-markdown-ignore></a><p>B.</p><p>C.</p>',
      '<p>A.</p><h2 id="b">H</h2><a href="#b" data-markdown-ignore></a><p>B.</p><p>D.</p>',
      '<p class="soft">[…]</p><h2>H</h2><p><del>C</del><ins>D</ins>.</p>',
    ],
    // Marks of structure are those of the later text.
    ['<p>A <em>b</em>.</p>', '<p>A <strong>b</strong> c.</p>', '<p>A <strong>b</strong><ins> c</ins>.</p>'],
    // Removed rows and items have no place of their own.
    [
      '<table><tbody><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table>',
      '<table><tbody><tr><td>2</td></tr></tbody></table>',
      '<table><tbody><tr><td><del>1 </del>2</td></tr></tbody></table>',
    ],
    ['<ul><li>a</li><li>b</li></ul><p>c</p>', '<ul><li>a</li></ul><p>c</p>', '<p class="soft">[…]</p><p><del>b </del>c</p>'],
    // Numbers of sources move with each change of the sources.
    ['<p>A.<sup class="ref"><a href="#source-1">1</a></sup></p>', '<p>A.<sup class="ref"><a href="#source-2">2</a></sup></p>', ''],
  ])('%s becomes %s', (earlier, later, marked) => expect(markChanges(earlier, later)).toBe(marked));

  it('keeps the words of both texts in their order, whatever changes', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 });
    const paragraph = (list: readonly string[]): string => `<p>${list.join(' ')}</p>`;
    const wordsIn = (html: string, without: string): string[] =>
      html
        .replace(new RegExp(`<${without}>.*?</${without}>`, 'g'), '')
        .replace(/<[^>]+>/g, '')
        .split(/\s+/)
        .filter(Boolean);
    fc.assert(
      fc.property(words, words, (before, after) => {
        const marked = markChanges(paragraph(before), paragraph(after)) ?? '';
        expect(marked === '').toBe(before.join() === after.join());
        expect(marked === '' || wordsIn(marked, 'del').join('') === after.join('')).toBe(true);
        expect(marked === '' || wordsIn(marked, 'ins').join('') === before.join('')).toBe(true);
      }),
    );
  });
});
