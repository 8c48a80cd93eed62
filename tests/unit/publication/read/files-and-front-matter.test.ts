import { describe, expect, test } from 'vitest';
import { BODY, capsule, type Files, offer, problemsOf, publisher } from '../content-world.ts';

const CAPSULE = 'capsules/a-capsule.md';
const NO_TITLE =
  'title: is missing; write one, such as `title: Brakes that squeal`, or begin the text with a heading such as `# Brakes that squeal`';
const one = (text: string | Uint8Array): Files => ({ [CAPSULE]: text });
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
const hidden = (line: number, codePoint: string, file = CAPSULE): string =>
  `${file}:${line} contains the hidden character ${codePoint}; delete it`;
const lol = `${['a: &a [x, x, x, x, x, x, x, x, x]', ...['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, index) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[index]}`).join(', ')}]`)].join('\n')}\n`;

test('the small world that these tests break is valid', async () => {
  expect(await problemsOf({})).toEqual([]);
});

describe('a file is refused', () => {
  test.each<[name: string, files: Files, problems: string[]]>([
    ['that is empty', one(''), expect.arrayContaining([`${CAPSULE}:1 ${NO_TITLE}`]) as string[]],
    [
      'with front matter that is never closed',
      one('---\ntitle: A\n\nText.\n'),
      [`${CAPSULE}:1 has no line of three hyphens (---) below its front matter; add it`],
    ],
    [
      'with front matter in TOML',
      one('+++\ntitle = "A"\n+++\n\nText.\n'),
      [
        `${CAPSULE}:1 has front matter in TOML (+++); write it in YAML between two lines of three hyphens (---), such as \`title: A title\`, or convert whole folders with "npm run import"`,
      ],
    ],
    [
      'with a key twice',
      one(capsule({ summary: `${'s'.repeat(60)}\ntitle: Another title` })),
      [`${CAPSULE}:4 is not valid YAML: has the field "title" twice; delete one`],
    ],
    [
      'with a nested key twice',
      {
        'publisher.yaml': publisher({
          offers:
            '\n  order: [an-offer]\n  order: [an-offer]\n  recommended_first: an-offer\n  recommended_quick: an-offer\n  fast_paid_starts: [an-offer]',
        }),
      },
      ['publisher.yaml:13 is not valid YAML: has the field "order" twice; delete one'],
    ],
    [
      'with an unknown field',
      one(capsule({ author: 'me' })),
      [`${CAPSULE}:12 author: is not a known field; check its spelling, or delete it`],
    ],
    [
      'with an unknown nested field',
      one(capsule({ written_by: '{ type: Person, name: Me, mail: x }' })),
      [`${CAPSULE}:12 written_by.mail: is not a known field; check its spelling, or delete it`],
    ],
    [
      'with __proto__',
      one(capsule({ __proto__x: undefined, ['__proto__']: '{ draft: true }' })),
      [`${CAPSULE}:12 __proto__: is not a known field; check its spelling, or delete it`],
    ],
    ['with front matter that is a list', one(`---\n- a\n---\n${BODY}`), [`${CAPSULE}:1 must be fields, such as "title: A title"`]],
    [
      'with an alias',
      one(capsule({ title: '&t A capsule for tests', summary: '*t' })),
      [`${CAPSULE}:3 is not valid YAML: the alias *t is not allowed; write the value out`],
    ],
    [
      'with an alias of nothing',
      one(capsule({ summary: '*nothing' })),
      [expect.stringMatching(/^capsules\/a-capsule\.md:3 is not valid YAML: /) as unknown as string],
    ],
    [
      'with a value that grows without bound',
      one(`---\n${lol}---\n${BODY}`),
      [`${CAPSULE}:3 is not valid YAML: the alias *a is not allowed; write the value out`],
    ],
    ['with a missing field', one(capsule({ title: undefined })), [`${CAPSULE}:1 ${NO_TITLE}`]],
    ['with a field without a value', one(capsule({ title: '' })), [`${CAPSULE}:2 title: has no value; write one`]],
    [
      'with a version of two numbers',
      one(capsule({ version: '1.0' })),
      [`${CAPSULE}:6 version: must be three numbers, such as 1.0.0. Instead of \`version: 1.0\` write \`version: 1.0.0\``],
    ],
    [
      'with a number for a title',
      one(capsule({ title: '20261121' })),
      [`${CAPSULE}:2 title: must be text; put the value in quotes. Instead of \`title: 20261121\` write \`title: "20261121"\``],
    ],
    [
      'with a word that is not in the list',
      one(capsule({ type: 'opinion' })),
      [`${CAPSULE}:4 type: must be one of concept, protocol, practice, comparison, measurement, reference`],
    ],
    ['with a date that there is not', one(capsule({ created: '2026-02-30' })), [`${CAPSULE}:9 created: must be a date such as 2026-11-21`]],
    [
      'with dates before 1970',
      one(capsule({ created: '1968-05-01', updated: '1969-12-31' })),
      [`${CAPSULE}:9 created: must not be before 1970-01-01`, `${CAPSULE}:10 updated: must not be before 1970-01-01`],
    ],
    ['of bytes that are not UTF-8', one(bytes(capsule(), [0xc3, 0x28])), [`${CAPSULE}:1 is not UTF-8 text; save it as UTF-8`]],
    ['of UTF-16', one(bytes([0xff, 0xfe], [...Buffer.from(capsule(), 'utf16le')])), [`${CAPSULE}:1 is not UTF-8 text; save it as UTF-8`]],
    [
      'with the id of another one',
      { 'capsules/A capsule.md': capsule() },
      ['capsules/A capsule.md:1 has the same id "a-capsule" as content/capsules/a-capsule.md; rename one of them'],
    ],
  ])('%s', async (_name, files, problems) => {
    expect(await problemsOf(files)).toEqual(problems);
  });

  const FIELD = 'write each field as "name: value", indent with spaces, and close every quote and bracket';
  const COLON = 'put a value that contains ": " in quotes, and begin every field in the column of the field above it';
  const INDENTED = 'the field is indented too far; begin it in the column of the other fields';
  test.each<[name: string, title: string, problems: string[]]>([
    ['a quote that is never closed', '"never closed', [`${CAPSULE}:2 is not valid YAML: ${FIELD}. The line is \`title: "never closed\``]],
    ['a bracket that ends too early, once', '{ a: b\nc: d }\n}', [`${CAPSULE}:3 is not valid YAML: ${FIELD}. The line is \`c: d }\``]],
    [
      'two lines without a colon',
      'A title\nno field\nlanguage: en\nnone either',
      [3, 5].map((line) => `${CAPSULE}:${line} is not valid YAML: ${FIELD}. The line is \`${line === 3 ? 'no field' : 'none either'}\``),
    ],
    ['a line without a colon', 'A title\nno field', [`${CAPSULE}:3 is not valid YAML: ${FIELD}. The line is \`no field\``]],
    [
      'a colon in a value, once for its line',
      'A title: more: text',
      [`${CAPSULE}:2 is not valid YAML: ${COLON}. Instead of \`title: A title: more: text\` write \`title: "A title: more: text"\``],
    ],
    ['a field that is indented', 'A title\n  more: text', [`${CAPSULE}:3 is not valid YAML: ${INDENTED}. The line is \`more: text\``]],
    [
      'reserved characters on two lines',
      '@title\nlanguage: `en`',
      [2, 3].map(
        (line) =>
          `${CAPSULE}:${line} is not valid YAML: put the value in quotes, because it begins with a character that has a meaning in YAML. Instead of \`${line === 2 ? 'title: @title' : 'language: `en`'}\` write \`${line === 2 ? 'title: "@title"' : 'language: "`en`"'}\``,
      ),
    ],
  ])('with %s in its YAML, at its line and with a remedy', async (_name, title, problems) => {
    expect(await problemsOf(one(capsule({ title })))).toEqual(problems);
  });
});

describe('a hidden character is found on its line', () => {
  test.each<[name: string, character: string, codePoint: string]>([
    ['zero-width space', '\u200b', 'U+200B'],
    ['zero-width joiner', '\u200d', 'U+200D'],
    ['right-to-left override', '\u202e', 'U+202E'],
    ['left-to-right isolate', '\u2066', 'U+2066'],
    ['Arabic letter mark', '\u061c', 'U+061C'],
    ['soft hyphen', '\u00ad', 'U+00AD'],
    ['word joiner', '\u2060', 'U+2060'],
    ['invisible times', '\u2062', 'U+2062'],
    ['tag letter', '\u{e0061}', 'U+E0061'],
    ['variation selector', '\ufe0f', 'U+FE0F'],
    ['supplementary variation selector', '\u{e0100}', 'U+E0100'],
    ['Hangul filler', '\u3164', 'U+3164'],
    ['combining grapheme joiner', '\u034f', 'U+034F'],
    ['line separator', '\u2028', 'U+2028'],
    ['null', '\u0000', 'U+0000'],
    ['escape', '\u001b', 'U+001B'],
    ['delete', '\u007f', 'U+007F'],
    ['next line', '\u0085', 'U+0085'],
    ['byte order mark within', '\ufeff', 'U+FEFF'],
  ])('%s', async (_name, character, codePoint) => {
    const text = capsule({}, BODY.replace('Sentence 3 ', `Sentence${character} 3 `));
    expect(await problemsOf(one(text))).toContain(
      hidden(text.slice(0, text.indexOf(`Sentence${character}`)).split('\n').length, codePoint),
    );
  });

  test('in front matter, in the publisher and in offers', async () => {
    expect(await problemsOf(one(capsule({ title: 'A cap\u200bsule for tests' })))).toEqual([hidden(2, 'U+200B')]);
    expect(await problemsOf({ 'offers/an-offer.md': offer({ refund: 'Money is\u202e given back.' }) })).toEqual([
      hidden(10, 'U+202E', 'offers/an-offer.md'),
    ]);
    expect(await problemsOf({ 'publisher.yaml': publisher({ tagline: 'A publication\u{e0041} for tests' }) })).toEqual([
      hidden(2, 'U+E0041', 'publisher.yaml'),
    ]);
  });

  test('behind an escape of YAML, which only a parser sees', async () => {
    expect(await problemsOf(one(capsule({ title: '"A cap\\u200bsule for tests"' })))).toEqual([
      `${CAPSULE}:2 title: contains the hidden character U+200B; delete it`,
    ]);
    expect(await problemsOf(one(capsule({ tags: '["agents", "test\\xADing"]' })))).toContain(
      `${CAPSULE}:5 tags[1]: contains the hidden character U+00AD; delete it`,
    );
    expect(await problemsOf({ 'publisher.yaml': publisher({ name: '"Te\\u202Ests"' }) })).toEqual([
      'publisher.yaml:1 name: contains the hidden character U+202E; delete it',
    ]);
  });

  test.each(['&#8203;', '&#x200B;', '&ZeroWidthSpace;', '&shy;', '&#x202e;', '&lrm;'])(
    'behind the character reference %s, which only a parser sees',
    async (reference) => {
      const text = capsule({}, BODY.replace('Sentence 3 ', `Sentence 3${reference} `));
      expect(await problemsOf(one(text))).toEqual([
        expect.stringMatching(/^capsules\/a-capsule\.md:\d+ text: contains the hidden character U\+[0-9A-F]+; delete it$/),
      ]);
    },
  );

  test('every one, in order, also several on a line', async () => {
    const text = capsule({ title: 'A\u200b cap\u200csule for tests' }, BODY.replace('Sentence 1 ', 'Sentence 1\u200d '));
    expect(await problemsOf(one(text))).toEqual([hidden(2, 'U+200B'), hidden(2, 'U+200C'), hidden(16, 'U+200D')]);
  });
});

describe('a file is taken', () => {
  test.each<[name: string, text: string]>([
    ['with a byte order mark', `\ufeff${capsule()}`],
    ['with CRLF line ends', capsule().replaceAll('\n', '\r\n')],
    ['with white space behind the fences', capsule().replaceAll('---\n', '--- \t\n')],
    ['without a blank line below the front matter', capsule().replace('---\n\nThe', '---\nThe')],
    ['with a line of hyphens in its text', capsule({}, BODY.replace('Sentence 9', '\n---\n\nSentence 9'))],
    ['with accents, other scripts and emoji', capsule({ title: 'Über 東京 and عربى 🛒' })],
  ])('%s', async (_name, text) => {
    expect(await problemsOf(one(text))).toEqual([]);
  });

  test('with CRLF line ends as if they were LF: problems stand on the same lines', async () => {
    const broken = capsule({ evidence: 'guessed' }, BODY.replace('Sentence 5', '# Heading\n\nSentence\u200b 5'));
    expect(await problemsOf(one(broken.replaceAll('\n', '\r\n')))).toEqual(await problemsOf(one(broken)));
    const text = capsule({}, BODY.replace('Sentence 5', '\n# Heading\n\nSentence 5'));
    expect(await problemsOf(one(text.replaceAll('\n', '\r\n')))).toEqual(await problemsOf(one(text)));
  });
});

describe('a page', () => {
  const text = 'One sentence about this page, which is long enough for every rule of the editorial settings of a publication.';
  const page = `---\ntitle: A page\ndescription: ${text}\nupdated: 2026-11-01\n---\n${`${text} `.repeat(3)}\n`;

  test.each(['search', 'pricing', 'capsules', 'docs', 'mcp', 'index', '404'])('%s is refused: the engine has its address', async (id) => {
    expect(await problemsOf({ [`pages/${id}.md`]: page })).toContain(
      `pages/${id}.md:1 has the id "${id}", and /${id} is the address of another page; rename the file`,
    );
  });

  test.each(['about', 'contact', 'checkout', 'invoice', 'home', 'media', 'our-searches'])('%s is accepted', async (id) => {
    expect((await problemsOf({ [`pages/${id}.md`]: page })).filter((problem) => problem.includes('rename'))).toEqual([]);
  });
});
