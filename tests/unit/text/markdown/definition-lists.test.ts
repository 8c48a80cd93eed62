import type { Nodes } from 'mdast';
import { describe, expect, test } from 'vitest';
import { parseText } from '../../../../src/text/markdown/parse-text.ts';

test('a definition list of many terms is one list that ends where its last description ends', () => {
  const [list, ...others] = parseText('a\n: b\n\n'.repeat(2_000)).children;
  expect(others).toEqual([]);
  expect(list).toMatchObject({ type: 'defList', position: { start: { offset: 0 }, end: { offset: 13_998 } } });
});

/** A tree in brackets: lists, terms and descriptions, and the text of everything else. */
function shapeOf(node: Nodes): string {
  const children = 'children' in node ? node.children.map(shapeOf) : [];
  const names: Partial<Record<Nodes['type'], string>> = { defList: 'dl', defListTerm: 'dt', defListDescription: 'dd', blockquote: 'q' };
  if ('value' in node) return node.value;
  if (node.type === 'paragraph' || node.type === 'root') return children.join(node.type === 'root' ? ' | ' : '');
  const isSpread = node.type === 'defListDescription' && node.spread;
  return `${names[node.type] ?? node.type}${isSpread ? '+' : ''}(${children.join(' ')})`;
}

describe('a colon and a space below a paragraph begin a description', () => {
  test.each([
    ['Hub\n: The middle.\n: The axle.', 'dl(dt(Hub) dd(The middle.) dd(The axle.))'],
    ['a\nb\n: c', 'dl(dt(a) dt(b) dd(c))'],
    ['a  \nb\n: c', 'dl(dt(a) dt(b) dd(c))'],
    ['`a` and **b**\nc\n: d', 'dl(dt(a  and  strong(b)) dt(c) dd(d))'],
    ['a\n\n: b\n\n  c\n\nd\n: e\n\nf', 'dl(dt(a) dd+(b c) dt(d) dd(e)) | f'],
    ['a\n: b\n\n: c\n\n\n: d', 'dl(dt(a) dd(b) dd+(c) dd+(d))'],
    ['a\n:   b\nc\n\n    d', 'dl(dt(a) dd(b\nc d))'],
    ['a\n: - x\n  - y\n: z', 'dl(dt(a) dd(list(listItem(x) listItem(y))) dd(z))'],
    ['a\n:     code', 'dl(dt(a) dd(code))'],
    ['> a\n> : b\n> c', 'q(dl(dt(a) dd(b\nc)))'],
    ['- a\n  : b\n  : c\n- d', 'list(listItem(dl(dt(a) dd(b) dd(c))) listItem(d))'],
    [':::note\na\n: b\n:::', 'containerDirective(dl(dt(a) dd(b)))'],
    ['a\n: b <b>x</b>\n\n:::note\nc\n: d\n:::', 'dl(dt(a) dd(b <b>x</b>)) | containerDirective(dl(dt(c) dd(d)))'],
    ['a\n:', 'dl(dt(a) dd())'],
  ])('%j', (text, shape) => {
    expect(shapeOf(parseText(text))).toBe(shape);
  });
});

describe('a colon elsewhere is text', () => {
  test.each([
    ['# h\n: b', 'heading(h) | : b'],
    ['a\n===\n: b', 'heading(a) | : b'],
    ['a\n\n\n: b', 'a | : b'],
    ['a\n:b', 'a\n:b'],
    ['a\n: : b', 'dl(dt(a) dd(: b))'],
    ['> a\n: b', 'q(a) | : b'],
    ['|a|\n|-|\n|b|\n: c', 'table(tableRow(tableCell(a)) tableRow(tableCell(b)) tableRow(tableCell(: c)))'],
    ['~~~\na\n: b\n~~~', 'a\n: b'],
    ['[a]: https://b.example\n: d', 'definition() | : d'],
  ])('%j', (text, shape) => {
    expect(shapeOf(parseText(text))).toBe(shape);
  });
});

test('terms have their places in the text', () => {
  const text = '> *Hub*\n>  axle \n> : middle';
  const [quote] = parseText(text).children;
  const list = quote?.type === 'blockquote' ? quote.children[0] : undefined;
  const parts = list?.type === 'defList' ? list.children : [];
  const written = parts.map(({ position }) => text.slice(position?.start.offset, position?.end.offset));
  expect(written).toEqual(['*Hub*', 'axle', ': middle']);
});
