import type { Nodes } from 'mdast';
import { EditMap } from 'micromark-util-edit-map';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../../src/publication/content-problem.ts';
import { readContent } from '../../../../src/publication/read-content.ts';
import { countWords, parseMarkdownOnce } from '../../../../src/text/markdown/markdown-tree.ts';
import { parseText } from '../../../../src/text/markdown/parse-text.ts';
import { ComplexMarkup } from '../../../../src/text/markdown/parsing-limits.ts';
import { type Files, publisher, TODAY, writeWorld } from '../../publication/content-world.ts';

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
  ['', '012345'],
  ['0-0+1', '0012345'],
  ['4-1+2 1-2+1', '003015'],
  ['6-0+2', '01234501'],
  ['1-4+0 2-0+1', '002345'],
])('the edits "%s" of the parser leave %s', (given, expected) => {
  const events = numbered(6);
  const edits = new EditMap();
  for (const [, at, removed, added] of given.matchAll(/(\d)-(\d)\+(\d)/g)) edits.add(Number(at), Number(removed), numbered(Number(added)));
  edits.consume(events);
  expect(events.join('')).toBe(expected);
});

test.each([
  ['Two  words, – and 3.', 4],
  ['江戸時代の農業は新田開発によって大きく伸びた。', 11],
  ['ภาษาไทยเป็นภาษา', 4],
  ['한글은 1443년에 창제되었다.', 3],
])('the words of "%s" are counted as its script divides them', (text, words) => expect(countWords(parseText(text))).toBe(words));

test('underlined headings and quotes are read as before', () => {
  const { children } = parseMarkdownOnce('A\n=\n\n> a\n\n> b\nlazy\n\n- c\n\nB\n-\n');
  expect(children.map((node) => node.type)).toEqual(['heading', 'blockquote', 'blockquote', 'list', 'heading']);
});

test('a definition list of many terms is one list that ends where its last description ends', () => {
  const [list, ...others] = parseText('a\n: b\n\n'.repeat(2_000)).children;
  expect(others).toEqual([]);
  expect(list).toMatchObject({ type: 'defList', position: { start: { offset: 0 }, end: { offset: 13_998 } } });
});

function shapeOf(node: Nodes): string {
  const children = 'children' in node ? node.children.map(shapeOf) : [];
  const names: Partial<Record<Nodes['type'], string>> = { defList: 'dl', defListTerm: 'dt', defListDescription: 'dd', blockquote: 'q' };
  if ('value' in node) return node.value;
  if (node.type === 'paragraph' || node.type === 'root') return children.join(node.type === 'root' ? ' | ' : '');
  const isSpread = node.type === 'defListDescription' && node.spread;
  return `${names[node.type] ?? node.type}${isSpread ? '+' : ''}(${children.join(' ')})`;
}

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
])('a colon and a space below a paragraph begin a description: %j', (text, shape) => expect(shapeOf(parseText(text))).toBe(shape));

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
])('a colon elsewhere is text: %j', (text, shape) => expect(shapeOf(parseText(text))).toBe(shape));

test('terms have their places in the text', () => {
  const text = '> *Hub*\n>  axle \n> : middle';
  const [quote] = parseText(text).children;
  const list = quote?.type === 'blockquote' ? quote.children[0] : undefined;
  const parts = list?.type === 'defList' ? list.children : [];
  const written = parts.map(({ position }) => text.slice(position?.start.offset, position?.end.offset));
  expect(written).toEqual(['*Hub*', 'axle', ': middle']);
});

function refusalOf(text: string): string | undefined {
  try {
    parseText(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof ComplexMarkup)) throw error;
    return `${error.line} ${error.message}`;
  }
}

describe('a text that would take minutes or the stack is refused with its line', () => {
  const lines = (count: number, line: (index: number) => string): string => Array.from({ length: count }, (_, at) => line(at)).join('\n');
  test.each([
    ['lists in each other on one line', `a\n\n${'- '.repeat(4_000)}b`, '3 nests quotes or lists too deeply'],
    ['quotes in each other on one line', `a\n\n${'>'.repeat(4_000)} b`, '3 nests quotes or lists too deeply'],
    ['footnotes in each other on one line', `a\n\n${'[^a]: '.repeat(4_000)}b`, '3 nests quotes or lists too deeply'],
    ['lists in lists by indentation', lines(150, (at) => `${' '.repeat(2 * at)}- a`), '100 nests quotes, lists or emphasis more than 200'],
    ['lists far to the right', lines(300, (at) => `${' '.repeat(2 * at)}- a`), '202 nests quotes or lists too deeply'],
    ['blocks that are not closed', ':::note\na\n\n'.repeat(40), '91 is in 31 blocks of ::: that are not closed'],
    ['emphasis in emphasis', `${'*'.repeat(900)}a${'*'.repeat(900)}`, '1 nests quotes, lists or emphasis more than 200'],
    ['brackets', `a\n${'[ '.repeat(4_000)}`, '2 opens more than 100 brackets'],
    ['images in each other', `${'!['.repeat(2_000)}a${'](b)'.repeat(2_000)}`, '1 opens more than 100 brackets'],
    ['emphasis without end', `a\n\nb\n${'*a_ '.repeat(4_000)}`, '4 is in a paragraph with more than 3000 characters of markdown syntax'],
    ['strikethrough', '~~a~ '.repeat(4_000), '1 is in a paragraph with more than 3000'],
    ['backticks', lines(90, (at) => `a ${'`'.repeat(at + 1)}`), '77 is in a paragraph with more than 3000'],
    ['lines after a quote', `> a\n${'b\n'.repeat(4_000)}`, '1003 goes on with a quote or a list for more than 1000 lines'],
    ['lines between those of a quote', '> > > a\nb\n'.repeat(4_000), '2003 goes on with a quote or a list for more than 1000 lines'],
  ])('%s', (_, text, refusal) => expect(refusalOf(text)?.slice(0, refusal.length)).toBe(refusal));

  test('whatever it is: a capsule, an offer or a page', async () => {
    const deep = `# A title\n\nText.\n\n${'- '.repeat(4_000)}b\n`;
    const files: Files = {
      'publisher.yaml': publisher({ editorial: '{}' }),
      'capsules/a.md': deep,
      'offers/an-offer.md': `---\nname: An offer\nprice: on request\n---\n\n${deep}`,
      'pages/about.md': deep,
    };
    const { problems, warnings } = await readContent(await writeWorld(files), { today: TODAY });
    expect(warnings.filter(({ message }) => message.includes('title'))).toEqual([]);
    const told = problems.map(formatProblem).filter((line) => line.includes('nests'));
    expect(told).toEqual([
      expect.stringMatching(/capsules\/a\.md:5 text: nests quotes or lists too deeply; flatten them$/),
      expect.stringMatching(/offers\/an-offer\.md:10 text: nests quotes or lists too deeply; flatten them$/),
      expect.stringMatching(/pages\/about\.md:5 text: nests quotes or lists too deeply; flatten them$/),
    ]);
  });
});

test.each([
  ['a glossary', 'a\n: b\n\n'.repeat(1_100)],
  ['a list with wrapped lines', '- a\nb\n'.repeat(1_100)],
  ['a paragraph of a quote', '> a\n'.repeat(1_100)],
  ['a table', `|a|b|\n|-|-|\n${'|*c*|[d](e)|\n'.repeat(800)}`],
  ['many links in items', '- [a](b) and `c`\n'.repeat(800)],
  ['blocks that are closed', '::: tip A\nb\n:::\n\n'.repeat(100)],
  ['a log as code', `\`\`\`\n${'[31m a_b *c\n'.repeat(1_100)}\`\`\``],
  ['comments that nothing ends', 'a <!-- '.repeat(1_500)],
  ['many footnotes', `${'a[^b] '.repeat(300)}\n\n[^b]: c`],
  ['headings underlined', 'a\n---\n'.repeat(1_100)],
])('a long text is not refused: %s', (_, text) => expect(refusalOf(text)).toBeUndefined());

test('the parser of definition lists looks at the events of each line once', () => {
  const looks = (count: number): number => {
    let seen = 0;
    const { findLast, findLastIndex } = Array.prototype;
    const counting = (original: typeof findLastIndex) =>
      function (this: unknown[], matches: (value: unknown, index: number, list: unknown[]) => unknown) {
        return original.call(this, (value, index, list) => {
          seen += 1;
          return matches(value, index, list);
        });
      };
    Object.assign(Array.prototype, { findLast: counting(findLast as typeof findLastIndex), findLastIndex: counting(findLastIndex) });
    try {
      parseText(`a\n: b\n\n: ${count}\n\n`.repeat(count));
    } finally {
      Object.assign(Array.prototype, { findLast, findLastIndex });
    }
    return seen;
  };
  const few = looks(100);
  expect(few).toBeGreaterThan(200);
  expect(looks(400)).toBeLessThan(5 * few);
});

test('HTML that nothing ends is text, and HTML after it is HTML', () => {
  const html: string[] = [];
  const [paragraph] = parseText('a <!-- b <? c <![CDATA[ d <!A <!-- e <b>f</b> <? g <!B <i>h</i> <!-- i --').children;
  for (const node of paragraph?.type === 'paragraph' ? paragraph.children : []) if (node.type === 'html') html.push(node.value);
  expect(html).toEqual(['<!A <!-- e <b>', '</b>', '<!B <i>', '</i>']);
});
