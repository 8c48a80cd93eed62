import { describe, expect, test } from 'vitest';
import { BODY, capsule, type Files, offer, problemsOf, publisher } from '../content-world.ts';

const CAPSULE = 'capsules/a-capsule.md';
const one = (text: string | Uint8Array): Files => ({ [CAPSULE]: text });
const hidden = (line: number, codePoint: string, file = CAPSULE): string =>
  `${file}:${line} contains the hidden character ${codePoint}; delete it`;

test('the small world that these tests break is valid', async () => expect(await problemsOf({})).toEqual([]));

test.each([
  ['bytes that are not UTF-8', Buffer.concat([Buffer.from(capsule()), Buffer.from([0xc3, 0x28])])],
  ['UTF-16', Buffer.from(`\ufeff${capsule()}`, 'utf16le')],
])('a file of %s is refused', async (_name, bytes) => {
  expect(await problemsOf(one(bytes))).toEqual([`${CAPSULE}:1 is not UTF-8 text; save it as UTF-8`]);
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
  ])('%s', async (_name, text) => expect(await problemsOf(one(text))).toEqual([]));

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
