import { describe, expect, test } from 'vitest';
import { BODY, capsule, offer, problemsOf } from './content-world.ts';

const CAPSULE = 'capsules/a-capsule.md';
/** Line of the file on which an inserted paragraph begins: front matter ends on 12, the text begins on 14. */
const LINE = 16;
const insert = (paragraph: string): string => capsule({}, BODY.replace('\n\nSentence 1 ', `\n\n${paragraph}\n\nSentence 1 `));
const at = (message: string, line = LINE): string => `${CAPSULE}:${line} text: ${message}`;
const H1 = 'contains a first-level heading (#), which is reserved for the title; start at ##';
const link = (url: string): string => `links to ${url}; begin links with https://, mailto:, # or /`;
const noPage = (path: string): string => `links to ${path}, which is not a page of this site; correct or delete the link`;

describe('the text of a capsule is refused for', () => {
  test.each<[paragraph: string, problems: string[]]>([
    ['# A heading', [at(H1)]],
    ['A heading\n===', [at(H1)]],
    ['[x](javascript:alert(1))', [at(link('javascript:alert(1)'))]],
    ['[x](JavaScript:alert(1))', [at(link('JavaScript:alert(1)'))]],
    ['[x](&#106;avascript:alert(1))', [at(link('javascript:alert(1)'))]],
    ['[x](<java&#9;script:alert(1)>)', [at(link('java\tscript:alert(1)'))]],
    ['<javascript:alert(1)>', [at(link('javascript:alert(1)'))]],
    ['[^one]: A source of my own.', [at('defines the footnote [^one], which is the key of a source; rename one of them')]],
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
  ])('%j', async (paragraph, problems) => expect(await problemsOf({ [CAPSULE]: insert(paragraph) })).toEqual(problems));

  test('many faults at once, each on its own line', async () => {
    const text = insert('# One\n\n<b>two</b>\n\nThree.\n\n[four](javascript:4)\n\nFive.[^five]');
    expect(await problemsOf({ [CAPSULE]: text })).toEqual([
      at(H1),
      at(link('javascript:4'), 22),
      at('refers to [^five], which is not among the sources; add it, or delete the reference', 24),
    ]);
  });

  describe('although its front matter has mistakes', () => {
    const TEXT = BODY.replace('\n\nSentence 1 ', '\n\n# Extra\n\n<b>x</b> [l](/capsules/nope) [^none]\n\nSentence 1 ');
    const inText = [at(H1), at(noPage('/capsules/nope'), 18)];
    const unknownSource = at('refers to [^none], which is not among the sources; add it, or delete the reference', 18);
    const EVIDENCE = `${CAPSULE}:7 evidence: must be one of opinion, reported, documented, specified, measured`;

    test.each<[name: string, fields: Record<string, string | undefined>, problems: string[]]>([
      [
        'in two fields: every mistake at once',
        { evidence: 'certain', version: '1.0' },
        [
          `${CAPSULE}:6 version: must be three numbers, such as 1.0.0. Instead of \`version: 1.0\` write \`version: 1.0.0\``,
          EVIDENCE,
          ...inText,
          unknownSource,
        ],
      ],
      [
        'in a source whose key is valid',
        { sources: '[{ key: one, title: A source, url: "http://a.example/", publisher: IETF, kind: standard }]' },
        [`${CAPSULE}:11 sources[0].url: must begin with https://`, ...inText, unknownSource],
      ],
      [
        'without sources: references are not checked',
        { sources: undefined },
        [
          `${CAPSULE}:1 sources: is missing`,
          ...inText.map((line) => line.replace(/:(\d+)/, (_, number: string) => `:${Number(number) - 1}`)),
        ],
      ],
      [
        'in YAML: references are not checked',
        { title: 'A title: with a colon' },
        [
          `${CAPSULE}:2 is not valid YAML: put a value that contains ": " in quotes, and begin every field in the column of the field above it. Instead of \`title: A title: with a colon\` write \`title: "A title: with a colon"\``,
          ...inText,
        ],
      ],
      [
        'in another field than its dates',
        { evidence: 'certain', created: '2026-11-02', updated: '2026-11-01' },
        [EVIDENCE, `${CAPSULE}:10 updated: 2026-11-01 must not be before created, 2026-11-02`, ...inText, unknownSource],
      ],
    ])('%s', async (_name, fields, problems) => expect(await problemsOf({ [CAPSULE]: capsule(fields, TEXT) })).toEqual(problems));

    test('a field is reported once', async () => {
      expect(await problemsOf({ [CAPSULE]: capsule({ access: 'paid', price_usd: 'much' }) })).toHaveLength(1);
    });

    test('placeholders are reported unless it is a draft', async () => {
      const text = BODY.replace('Sentence 5', 'FILL IN: more. Sentence 5');
      expect(await problemsOf({ [CAPSULE]: capsule({ evidence: 'certain' }, text) })).toHaveLength(2);
      expect(await problemsOf({ [CAPSULE]: capsule({ evidence: 'certain', draft: 'true' }, text) })).toHaveLength(1);
    });

    test('of an offer and a page', async () => {
      expect(await problemsOf({ 'offers/an-offer.md': offer({ price_usd: 'much' }, TEXT.replace(/\[\^\w+\]/g, '')) })).toEqual([
        expect.stringMatching(/^offers\/an-offer\.md:\d+ price_usd: /),
        ...[H1, noPage('/capsules/nope')].map((message) => expect.stringContaining(` text: ${message}`) as unknown),
      ]);
      expect(await problemsOf({ 'pages/a-page.md': `---\ntitle: 1\n---\n\n${TEXT}` })).toContain(`pages/a-page.md:7 text: ${H1}`);
    });
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
      `${CAPSULE}:11 sources[1].key: "one" is the key of two sources; rename one`,
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

test.each([
  'A [page](/capsules/a-capsule), an [offer](/buy/an-offer), the [prices](/pricing) and an [anchor](#sources).',
  'A [page with a query](/capsules/a-capsule?x=1#lineage) and a [file elsewhere](https://example.org/a_(b)).',
  'A [mail](mailto:desk@tests.example).',
  'Code that looks bad: `<script>`, `[^two]`, `![x](y)` and `# x`.',
  '```html\n<script>alert(1)</script>\n<!-- x -->\n[^two] ![x](y)\n```',
  '~~~js\n# not a heading\n~~~',
  'Escaped: \\<b> and 1 < 2 and a & b.',
  '| a | b |\n| --- | --- |\n| c[^one] | [d](/pricing) |',
  '> A quotation.[^one]',
  '- [x] a task with a ~~deleted~~ word',
])('the text of a capsule may hold: %j', async (paragraph) => expect(await problemsOf({ [CAPSULE]: insert(paragraph) })).toEqual([]));
