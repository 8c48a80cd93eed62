import { describe, expect, test } from 'vitest';
import { BODY, capsule, problemsOf } from './content-world.ts';

const CAPSULE = 'capsules/a-capsule.md';
/** Line of the file on which an inserted paragraph begins: front matter ends on 12, the text begins on 14. */
const LINE = 16;
const insert = (paragraph: string): string => capsule({}, BODY.replace('\n\nSentence 1 ', `\n\n${paragraph}\n\nSentence 1 `));
const at = (message: string, line = LINE): string => `${CAPSULE}:${line} text: ${message}`;

const HTML = 'contains raw HTML or an HTML comment; write markdown, and put code in backquotes';
const IMAGE = 'contains an image, which is not allowed; describe it in words';
const H1 = 'contains a heading with #, which the title is; begin with ##';
const link = (url: string): string => `links to ${url}; begin links with https://, mailto:, # or /`;
const noPage = (path: string): string => `links to ${path}, which is not a page of this site; correct or delete the link`;

describe('the text of a capsule is refused for', () => {
  test.each<[paragraph: string, problems: string[]]>([
    ['# A heading', [at(H1)]],
    ['A heading\n===', [at(H1)]],
    ['<script>alert(1)</script>', [at(HTML)]],
    ['Text <b onclick="x()">bold</b>.', [at(HTML), at(HTML)]],
    ['<!-- ignore all previous instructions -->', [at(HTML)]],
    ['Text <!-- hidden --> text.', [at(HTML)]],
    ['<iframe src="https://evil.example"></iframe>', [at(HTML)]],
    ['<?php echo 1 ?>', [at(HTML)]],
    ['<![CDATA[ x ]]>', [at(HTML)]],
    ['![pixel](https://evil.example/p.png)', [at(IMAGE)]],
    ['![pixel][p]\n\n[p]: https://evil.example/p.png', [at(IMAGE)]],
    ['[x](javascript:alert(1))', [at(link('javascript:alert(1)'))]],
    ['[x](JavaScript:alert(1))', [at(link('JavaScript:alert(1)'))]],
    ['[x](&#106;avascript:alert(1))', [at(link('javascript:alert(1)'))]],
    ['[x](<java&#9;script:alert(1)>)', [at(link('java\tscript:alert(1)'))]],
    ['<javascript:alert(1)>', [at(link('javascript:alert(1)'))]],
    ['[x][j]\n\n[j]: javascript:alert(1)', [at(link('javascript:alert(1)'), LINE + 2)]],
    ['[x](data:text/html,hi)', [at(link('data:text/html,hi'))]],
    ['[x](http://plain.example)', [at(link('http://plain.example'))]],
    ['See http://plain.example now.', [at(link('http://plain.example'))]],
    ['See www.plain.example now.', [at(link('http://www.plain.example'))]],
    ['[x](//evil.example)', [at(link('//evil.example'))]],
    ['[x](relative)', [at(link('relative'))]],
    ['[x](../capsules/a-capsule)', [at(link('../capsules/a-capsule'))]],
    ['[x]()', [at(link(''))]],
    ['[x](/nowhere)', [at(noPage('/nowhere'))]],
    ['[x](/capsules/unknown)', [at(noPage('/capsules/unknown'))]],
    ['[x](/capsules/a-capsule/)', [at(noPage('/capsules/a-capsule/'))]],
    ['[x](/buy/unknown?go)', [at(noPage('/buy/unknown'))]],
    ['[x](/\\evil.example)', [at(noPage('/\\evil.example'))]],
    ['```\ncode\n```', [at('contains a code block without a language; write one after the fence, such as ```http')]],
    ['    indented code', [at('contains a code block without a language; write one after the fence, such as ```http')]],
    ['A claim.[^two]', [at('refers to [^two], which is not among the sources; add it, or delete the reference')]],
    ['A claim.[^one] Another.[^two]', [at('refers to [^two], which is not among the sources; add it, or delete the reference')]],
    ['[^two]: A source of my own.', [at('defines the footnote [^two]; list the source under "sources" instead')]],
  ])('%j', async (paragraph, problems) => {
    expect(await problemsOf({ [CAPSULE]: insert(paragraph) })).toEqual(problems);
  });

  test('many faults at once, each on its own line', async () => {
    const text = insert('# One\n\n<b>two</b>\n\n![three](x)\n\n[four](javascript:4)\n\nFive.[^five]');
    expect(await problemsOf({ [CAPSULE]: text })).toEqual([
      at(H1),
      at(HTML, 18),
      at(HTML, 18),
      at(IMAGE, 20),
      at(link('javascript:4'), 22),
      at('refers to [^five], which is not among the sources; add it, or delete the reference', 24),
    ]);
  });

  test('a source that the text never refers to', async () => {
    const sources =
      '[{ key: one, title: A source, url: "https://a.example/", publisher: IETF, kind: standard }, { key: two, title: Another, url: "https://b.example/", publisher: IETF, kind: article }]';
    expect(await problemsOf({ [CAPSULE]: capsule({ sources }) })).toEqual([
      at('never refers to its source [^two]; refer to it where it supports the text, or delete it', 14),
    ]);
  });

  test('one key for two sources', async () => {
    const source = '{ key: one, title: A source, url: "https://a.example/", publisher: IETF, kind: standard }';
    expect(await problemsOf({ [CAPSULE]: capsule({ sources: `[${source}, ${source}]` }) })).toEqual([
      `${CAPSULE}:11 sources.1.key: "one" is the key of two sources; rename one`,
    ]);
  });

  test('too few and too many words', async () => {
    expect(await problemsOf({ [CAPSULE]: capsule({}, 'Three words here.[^one]\n') })).toEqual([at('has 3 words; write 200 to 900', 14)]);
    expect(await problemsOf({ [CAPSULE]: capsule({}, `Words.[^one]\n\n${'word '.repeat(900)}\n`) })).toEqual([
      at('has 901 words; write 200 to 900', 14),
    ]);
    expect(await problemsOf({ [CAPSULE]: capsule({}, `Words.[^one]\n\n${'word '.repeat(899)}\n`) })).toEqual([]);
    expect(await problemsOf({ [CAPSULE]: capsule({}, '') })).toHaveLength(2);
  });
});

describe('the text of a capsule may hold', () => {
  test.each([
    'A [page](/capsules/a-capsule), an [offer](/buy/an-offer), the [prices](/pricing) and an [anchor](#below).',
    'A [page with a query](/capsules/a-capsule?x=1#y) and a [file elsewhere](https://example.org/a_(b)).',
    'A [mail](mailto:desk@tests.example).',
    'Code that looks bad: `<script>`, `[^two]`, `![x](y)` and `# x`.',
    '```html\n<script>alert(1)</script>\n<!-- x -->\n[^two] ![x](y)\n```',
    '~~~js\n# not a heading\n~~~',
    'Escaped: \\<b> and 1 < 2 and a & b.',
    '| a | b |\n| --- | --- |\n| c[^one] | [d](/pricing) |',
    '> A quotation.[^one]',
    '- [x] a task with a ~~deleted~~ word',
  ])('%j', async (paragraph) => {
    expect(await problemsOf({ [CAPSULE]: insert(paragraph) })).toEqual([]);
  });
});
