import { describe, expect, test } from 'vitest';
import { parseText } from '../../../../src/text/markdown/parse-text.ts';
import { beginsWithSummary, readableFormula, summaryOfText } from '../../../../src/text/markdown/title-and-summary.ts';

const summaryOf = (markdown: string): string | undefined => summaryOfText(parseText(markdown));

describe('a summary from a text with formulas', () => {
  test.each([
    ['$$F = \\mu N$$\n\nFriction grows with **load**.\n', 'Friction grows with load.'],
    ['$$\nF = \\mu N\n$$\n\nFriction grows.\n', 'Friction grows.'],
    ['Friction is $F = \\mu N$, in *newtons*.\n', 'Friction is F = μ N, in newtons.'],
    ['It is $\\begin{pmatrix} a \\end{pmatrix}$ here.\n', 'It is … here.'],
    ['It costs $5 and $10.\n', 'It costs $5 and $10.'],
  ])('%j', (markdown, summary) => {
    expect(summaryOf(markdown)).toBe(summary);
  });
});

test.each([
  ['![A photograph of a wheel](img/wheel.jpg)\n\nTrue the wheel.\n', 'True the wheel.'],
  ['![Logo](l.png) True the wheel.\n', 'True the wheel.'],
  ['Replace <your-token> in List<String>.\n', 'Replace <your-token> in List<String>.'],
  ['!!! note\n\nTrue the wheel.\n', 'True the wheel.'],
])('the summary of %j has its prose', (markdown, summary) => {
  expect(summaryOf(markdown)).toBe(summary);
});

test.each([
  ['E = mc^2', 'E = mc²'],
  ['\\frac{a + b}{2}', '(a + b)/2'],
  ['\\sqrt{x} \\leq 4\\,\\mathrm{m}', '√x ≤ 4 m'],
  ['x_{max}', 'x_max'],
  ['\\unknown{x}', '…'],
])('readableFormula(%j) is %j', (latex, text) => {
  expect(readableFormula(latex)).toBe(text);
});

test('a text begins with the summary that was made from it, and with no other', () => {
  const long = `${'One sentence of this paragraph says a little. '.repeat(12)}\n\nMore.\n`;
  const summary = summaryOf(long) ?? '';
  expect(summary.length).toBeLessThan(280);
  expect(beginsWithSummary(long, summary)).toBe(true);
  expect(beginsWithSummary('A first sentence. A second one.\n', 'A first sentence.')).toBe(true);
  expect(beginsWithSummary('$$F = m a$$\n\nA first sentence.\n', 'A first sentence.')).toBe(true);
  expect(beginsWithSummary('Another text.\n', 'A first sentence.')).toBe(false);
  expect(beginsWithSummary('- A first sentence.\n', 'A first sentence.')).toBe(false);
});

test.each([
  ['It has details [^1].\n\n[^1]: A note.\n', 'It has details.'],
  ['It has [^1] details[^one], too.\n\n[^1]: A note.\n', 'It has details, too.'],
])('a summary of %j has no footnotes', (markdown, summary) => {
  expect(summaryOf(markdown)).toBe(summary);
});
