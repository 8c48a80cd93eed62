import { describe, expect, it } from 'vitest';
import { plainPassage } from '../../../../src/search/passages/plain-text.ts';

const plain = (markdown: string): string =>
  plainPassage(markdown, [])
    .map(({ text }) => text)
    .join('');

describe('a passage without markup', () => {
  it.each([
    ['A *word*, a **strong** one and `code`.', 'A word, a strong one and code.'],
    ['See [the guide](/docs/a "Title") and ![a picture](x.png).', 'See the guide and a picture.'],
    ['A list [1] of \\*stars\\*, snake_case and __init__.', 'A list 1 of *stars*, snake_case and init.'],
    ['> quoted\n> text\n\n1. one\n2. two\n- three', 'quoted text · one · two · three'],
    ['A claim.[^source] Another <b>one</b>.', 'A claim. Another one.'],
    ['At `/capsules/<id>.md` or ``<offer id>``, <b>bold</b>[^source].', 'At /capsules/<id>.md or <offer id>, bold.'],
    ['```\na\n```\nAn <b>x</b> of `<id>`.', 'a An x of <id>.'],
    ['```js\nconst a_b = "*";\n```\nText.', 'const a_b = "*"; Text.'],
    ['| a | b |\n| --- | --: |\n| 1 | 2 \\| 3 |\n| 4 | 5 |\n\nText', 'a: 1; b: 2 | 3\na: 4; b: 5\nText'],
    ['- one\n- two', 'one · two'],
    ['', ''],
    ['---', ''],
  ])('%j reads %j', (markdown, text) => expect(plain(markdown)).toBe(text));

  it('has no heading, unless there is nothing else', () => {
    expect(plain('## Heading\n\nText of it.')).toBe('Text of it.');
    expect(plain('## Only a `heading`')).toBe('Only a heading');
  });

  it('keeps highlights at the words that had them', () => {
    const markdown = '**Keys** expire; rotate [keys](/x).';
    const at = (word: string, from: number) => ({ start: markdown.indexOf(word, from), end: markdown.indexOf(word, from) + word.length });
    expect(plainPassage(markdown, [at('Keys', 0), at('keys', 10)])).toEqual([
      { text: 'Keys', isHighlighted: true },
      { text: ' expire; rotate ', isHighlighted: false },
      { text: 'keys', isHighlighted: true },
      { text: '.', isHighlighted: false },
    ]);
  });

  it('names the columns of rows whose header stands above the passage', () => {
    const highlights = [{ start: 2, end: 7 }];
    expect(plainPassage('| other | `422` |\n| same | 409 |', highlights, '| *Case* | Status |')).toEqual([
      { text: 'Case: ', isHighlighted: false },
      { text: 'other', isHighlighted: true },
      { text: '; Status: 422\nCase: same; Status: 409', isHighlighted: false },
    ]);
  });

  it.each([
    ['| a | b |\n| --- | --- |', 'a; b'],
    ['Before.\n\n| a | |\n|-|-|\n| 1 | 2 |', 'Before.\na: 1; 2'],
    ['| 1 | 2 |\n| 3 | 4 |', '1; 2\n3; 4'],
    ['| a |\n|---|\n| 1 |\n\nText.\n\n| b |\n|---|\n| 2 |', 'a: 1\nText.\nb: 2'],
  ])('%j reads %j', (markdown, text) => expect(plain(markdown)).toBe(text));

  it('marks the answer, without the blanks and separators around it', () => {
    const markdown = '- One key.\n- **Two** keys expire.\n- Three.';
    const start = markdown.indexOf('**Two');
    const highlights = [{ start: markdown.indexOf('keys'), end: markdown.indexOf(' expire') }];
    expect(plainPassage(markdown, highlights, '', { start, end: markdown.indexOf('\n- Three') })).toEqual([
      { text: 'One key. · ', isHighlighted: false },
      { text: 'Two ', isHighlighted: false, isAnswer: true },
      { text: 'keys', isHighlighted: true, isAnswer: true },
      { text: ' expire.', isHighlighted: false, isAnswer: true },
      { text: ' · Three.', isHighlighted: false },
    ]);
  });

  it('is as long as the text at most, and quick for hostile ones', () => {
    for (const mark of ['[', '*', '`', '_', '|', '\\', '> ', '<a ', '[[](', '|-'])
      expect(plain(mark.repeat(2_000)).length).toBeLessThanOrEqual(mark.length * 2_000);
  });
});
