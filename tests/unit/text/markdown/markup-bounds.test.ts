import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../../src/publication/content-problem.ts';
import { readContent } from '../../../../src/publication/read-content.ts';
import { ComplexMarkup } from '../../../../src/text/markdown/markup-bounds.ts';
import { parseText } from '../../../../src/text/markdown/parse-text.ts';
import { type Files, publisher, TODAY, writeWorld } from '../../publication/content-world.ts';

/** Where and why a text is refused; `undefined` if it is not. */
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
    [
      'lists in each other by their indentation',
      lines(150, (at) => `${' '.repeat(2 * at)}- a`),
      '100 nests quotes, lists or emphasis more than 200',
    ],
    ['lists far to the right', lines(300, (at) => `${' '.repeat(2 * at)}- a`), '202 nests quotes or lists too deeply'],
    ['blocks that are not closed', ':::note\na\n\n'.repeat(40), '91 is in 31 blocks of ::: that are not closed'],
    ['emphasis in emphasis', `${'*'.repeat(900)}a${'*'.repeat(900)}`, '1 nests quotes, lists or emphasis more than 200'],
    ['brackets', `a\n${'[ '.repeat(4_000)}`, '2 opens more than 100 brackets'],
    ['images in each other', `${'!['.repeat(2_000)}a${'](b)'.repeat(2_000)}`, '1 opens more than 100 brackets'],
    [
      'emphasis that nothing ends',
      `a\n\nb\n${'*a_ '.repeat(4_000)}`,
      '4 is in a paragraph with more than 3000 characters of markdown syntax',
    ],
    ['strikethrough', '~~a~ '.repeat(4_000), '1 is in a paragraph with more than 3000'],
    ['backticks', lines(90, (at) => `a ${'`'.repeat(at + 1)}`), '77 is in a paragraph with more than 3000'],
    ['lines after a quote', `> a\n${'b\n'.repeat(4_000)}`, '1003 goes on with a quote or a list for more than 1000 lines'],
    ['lines between those of a quote', '> > > a\nb\n'.repeat(4_000), '2003 goes on with a quote or a list for more than 1000 lines'],
  ])('%s', (_, text, refusal) => {
    expect(refusalOf(text)?.slice(0, refusal.length)).toBe(refusal);
  });

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

describe('a long text is not refused', () => {
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
  ])('%s', (_, text) => {
    expect(refusalOf(text)).toBeUndefined();
  });
});

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
