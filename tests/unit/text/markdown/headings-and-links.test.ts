import { describe, expect, it, test } from 'vitest';
import { parseWithSources } from '../../../../src/publication/read/read-text-file.ts';
import { renderArticle } from '../../../../src/site/markdown/render-markdown.ts';
import { TEXT_LABELS } from '../../../../src/site/markdown/text-labels.ts';
import { headingIds, sectionAnchors } from '../../../../src/text/markdown/heading-anchors.ts';
import { parseText } from '../../../../src/text/markdown/parse-text.ts';
import { resolveLink, rewriteLinks } from '../../../../src/text/markdown/resolve-links.ts';
import { beginsWithSummary, readableFormula, summaryOfText } from '../../../../src/text/markdown/title-and-summary.ts';
import { words } from '../../../support/words.ts';
import { realCapsules, realCorpus } from '../../gateway/real-generation.ts';

const summaryOf = (markdown: string): string | undefined => summaryOfText(parseText(markdown));

test.each([
  ['$$F = \\mu N$$\n\nFriction grows with **load**.\n', 'Friction grows with load.'],
  ['$$\nF = \\mu N\n$$\n\nFriction grows.\n', 'Friction grows.'],
  ['Friction is $F = \\mu N$, in *newtons*.\n', 'Friction is F = μ N, in newtons.'],
  ['It is $\\begin{pmatrix} a \\end{pmatrix}$ here.\n', 'It is … here.'],
  ['It costs $5 and $10.\n', 'It costs $5 and $10.'],
  ['It has details [^1].\n\n[^1]: A note.\n', 'It has details.'],
  ['It has [^1] details[^one], too.\n\n[^1]: A note.\n', 'It has details, too.'],
  ['![A photograph of a wheel](img/wheel.jpg)\n\nTrue the wheel.\n', 'True the wheel.'],
  ['![Logo](l.png) True the wheel.\n', 'True the wheel.'],
  ['Replace <your-token> in List<String>.\n', 'Replace <your-token> in List<String>.'],
  ['!!! note\n\nTrue the wheel.\n', 'True the wheel.'],
])('the summary of %j has its prose', (markdown, summary) => expect(summaryOf(markdown)).toBe(summary));

test.each([
  ['E = mc^2', 'E = mc²'],
  ['\\frac{a + b}{2}', '(a + b)/2'],
  ['\\sqrt{x} \\leq 4\\,\\mathrm{m}', '√x ≤ 4 m'],
  ['x_{max}', 'x_max'],
  ['\\unknown{x}', '…'],
])('readableFormula(%j) is %j', (latex, text) => expect(readableFormula(latex)).toBe(text));

test('a text begins with the summary that was made from it, and with no other', () => {
  const long = `${'One sentence of this paragraph says a little. '.repeat(12)}\n\nMore.\n`;
  const summary = summaryOf(long) ?? '';
  expect(summary.length).toBeLessThan(280);
  expect(beginsWithSummary(long, summary)).toBe(true);
  expect(beginsWithSummary('A first sentence. A second one.\n', 'A first sentence.')).toBe(true);
  expect(beginsWithSummary('$$F = m a$$\n\nA first sentence.\n', 'A first sentence.')).toBe(true);
  expect(beginsWithSummary('## A heading\n\nA first sentence.\n', 'A first sentence.')).toBe(true);
  expect(beginsWithSummary('Another text.\n', 'A first sentence.')).toBe(false);
  expect(beginsWithSummary('- A first sentence.\n', 'A first sentence.')).toBe(false);
});

const HARD_TEXT = `# Titles and sections

Words before the first section.

## Same

## Same

## Own id {#setup}

Setext
------

## With \`code\`, *emphasis*, [a link](https://example.org) and a source[^rfc]

> ## In a quotation

- ## In a list

## Sources

\`\`\`md
## not a heading
\`\`\`

##

### 東京 & Zürich
`;

describe('sectionAnchors()', () => {
  test('gives the ids of the headings on the page of every capsule of the sample, which blocks hold', async () => {
    const { corpus } = await realCorpus();
    let sections = 0;
    for (const { id, metadata, markdown, references } of await realCapsules()) {
      const { outline } = await renderArticle({ metadata, markdown, references }, TEXT_LABELS);
      const { anchors = [], markdown: stored = '' } = (await corpus.newest.capsule(id)) ?? {};
      expect(anchors.map(([, anchor]) => anchor)).toEqual(outline.map((heading) => heading.id));
      for (const [start] of anchors) expect(stored.slice(start)).toMatch(/^#{2,} /);
      sections += anchors.length;
    }
    expect(sections).toBeGreaterThan(100);
  });

  test.each(['Titles and sections', 'Another title'])('does so for a text that is hard to read, below the title %j', async (title) => {
    const [capsule] = await realCapsules();
    if (capsule === undefined) throw new Error('no capsule');
    const sources = [{ key: 'rfc', title: 'RFC', url: 'https://example.org', publisher: 'IETF', kind: 'standard' as const }];
    const metadata = { ...capsule.metadata, title, sources };
    const { outline } = await renderArticle({ metadata, markdown: HARD_TEXT }, TEXT_LABELS);
    const anchors = sectionAnchors(parseWithSources(HARD_TEXT, ['rfc']), title);
    expect(anchors.map(([, anchor]) => anchor)).toEqual(outline.map(({ id }) => id));
    expect(anchors.length).toBeGreaterThan(8);
  });
});

const REFERENCES = {
  'b.md': { href: '/capsules/b' },
  'b(1).md': { href: '/capsules/b-1' },
  'my wheel.png': { href: '/media/my-wheel.0123456789ab.png' },
  'list.csv': { href: '/media/list(1).csv' },
};

test.each([
  ['a link', 'See [the b](b.md), and `[b](b.md)`.', 'See [the b](/capsules/b), and `[b](b.md)`.'],
  ['a link with a title', '[b]( b.md "b.md" )', '[b]( /capsules/b "b.md" )'],
  ['a link whose text is the address', '[b.md](b.md)', '[b.md](/capsules/b)'],
  ['parentheses in an address', '[b](b(1).md) (b.md)', '[b](/capsules/b-1) (b.md)'],
  ['an image in a link', '[![w](<my wheel.png>)](b.md)', '[![w](/media/my-wheel.0123456789ab.png)](/capsules/b)'],
  ['an address that needs angle brackets', '[l](list.csv)', '[l](</media/list(1).csv>)'],
  ['a definition', '[b.md][x]\n\n[x]: b.md "b.md"\n', '[b.md][x]\n\n[x]: /capsules/b "b.md"\n'],
  [
    'HTML',
    '<a class="x" href=\'b.md\'>b.md</a> <img src="my wheel.png">',
    '<a class="x" href="/capsules/b">b.md</a> <img src="/media/my-wheel.0123456789ab.png">',
  ],
  ['other addresses', '[c](c.md) [d](https://b.example/b.md) [constructor](constructor)', undefined],
  ['code', '```\n[b](b.md)\n```\n', undefined],
])('%s: only the addresses of references change', (_, written, rewritten = written) => {
  expect(rewriteLinks(written, REFERENCES)).toBe(rewritten);
});

test('a text without references stays as it is', () => {
  expect(rewriteLinks('[b](b.md)\r\n', undefined)).toBe('[b](b.md)\r\n');
  expect(rewriteLinks('[b](b.md)\r\n', {})).toBe('[b](b.md)\r\n');
});

const ADDRESSES = new Map([
  ['content/capsules/intro.md', '/capsules/intro'],
  ['content/capsules/guide/set up.md', '/capsules/set-up'],
  ['content/capsules/guide/index.md', '/capsules/guide'],
  ['content/pages/about.md', '/about'],
]);
const resolve = (url: string, from = 'content/capsules/guide/set up.md') => resolveLink(url, from, ADDRESSES);

describe('resolveLink()', () => {
  it.each([
    ['../intro.md', '/capsules/intro'],
    ['../intro', '/capsules/intro'],
    ['./../intro.md?a=1#why', '/capsules/intro?a=1#why'],
    ['set%20up.md', '/capsules/set-up'],
    ['.', '/capsules/guide'],
    ['../guide/', '/capsules/guide'],
    ['index.md#top', '/capsules/guide#top'],
    ['../../pages/about.md', '/about'],
  ])('finds the text of %s', (url, href) => expect(resolve(url)).toMatchObject({ kind: 'text', href }));

  it.each([
    ['https://example.com/a.md', { kind: 'external' }],
    ['mailto:a@b.example', { kind: 'external' }],
    ['//evil.example/x', { kind: 'external' }],
    ['#caf%C3%A9', { kind: 'anchor', anchor: 'café' }],
    ['#100%', { kind: 'anchor', anchor: '100%' }],
    ['/capsules/intro#why', { kind: 'address', path: '/capsules/intro', anchor: 'why', href: '/capsules/intro#why' }],
    ['images/photo%201.png', { kind: 'file', file: 'content/capsules/guide/images/photo 1.png' }],
    ['../missing.md', { kind: 'file', file: 'content/capsules/missing.md' }],
    ['../../../public/a.png', { kind: 'file', file: 'public/a.png' }],
    ['../../../../etc/passwd', { kind: 'outside' }],
  ])('says what %s is', (url, target) => expect(resolve(url)).toMatchObject(target));
});

test('headingIds() makes ids as GitHub does, unlike those of the page, and none twice', () => {
  const headings = ["What's new?", 'Übung macht', 'Übung macht', 'foo_bar()', 'Übung macht', '!?', 'Sources', 'Sources'];
  expect(headings.map(headingIds())).toEqual([
    ...words`whats-new übung-macht übung-macht-1 foo_bar übung-macht-2 section sources-2 sources-3`,
  ]);
  expect(['a', 'a-1', 'a', 'a', 'a-1'].map(headingIds())).toEqual(['a', 'a-1', 'a-2', 'a-3', 'a-1-1']);
});
