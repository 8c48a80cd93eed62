import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makePrivateKey } from '../../../../src/provenance/sign.ts';
import type { ContentProblem } from '../../../../src/publication/content-problem.ts';
import { parseKeys, readKeys } from '../../../../src/publication/read/read-keys.ts';
import { readContent } from '../../../../src/publication/read-content.ts';
import { problemsOf, publisher, TODAY, writeWorld } from '../content-world.ts';

const { publicKey: first } = await makePrivateKey();
const { publicKey: second, secret } = await makePrivateKey();

function entry(fields: Readonly<Record<string, string | undefined>> = {}): string {
  const all: Record<string, string | undefined> = { kid: `"${first.kid}"`, x: `"${first.x}"`, created: '2026-11-01', ...fields };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\n`]));
  return lines.map((line, index) => `  ${index === 0 ? '- ' : '  '}${line}`).join('');
}

const SECOND = { kid: `"${second.kid}"`, x: `"${second.x}"` };
const file = (...entries: string[]): string => `# Keys.\nkeys:\n${entries.join('')}`;
const problems = (text: string): Promise<string[]> => problemsOf({ 'keys.yaml': text });
const UNKNOWN = 'has an unknown field; the file has keys, and a key has kid, x, created and optionally retired';
const NO_YAML = 'is not valid YAML with a list of keys: check brackets, quotes, colons and indents, and do not use aliases (*name)';
const FORM = 'must be 32 bytes in base64url, which are 43 characters';
const PRIVATE = 'is a private key: delete it and replace the key, because anyone with the repository or its history can sign with it';

describe('content/keys.yaml', () => {
  test('may be absent, or list nothing', async () => {
    for (const files of [{}, { 'keys.yaml': 'keys: []\n' }]) {
      const { content } = await readContent(await writeWorld(files), { today: TODAY });
      expect(content?.keys).toEqual([]);
    }
  });

  test('is read in its order, with retired keys', async () => {
    const text = file(entry({ retired: '2026-11-20' }), entry({ ...SECOND, created: TODAY }));
    const { content } = await readContent(await writeWorld({ 'keys.yaml': text }), { today: TODAY });
    expect(content?.keys).toEqual([
      { ...first, created: '2026-11-01', retired: '2026-11-20' },
      { ...second, created: TODAY },
    ]);
  });

  test.each<[name: string, text: string, found: string[]]>([
    ['an unknown member', file(entry({ note: 'mine' })), [`keys.yaml:6 ${UNKNOWN}`]],
    ['an unknown field of the file', `${file(entry())}more: 1\n`, [`keys.yaml:6 ${UNKNOWN}`]],
    ['no list', '# Keys.\n', ['keys.yaml:1 keys: is missing']],
    ['another value than a list', 'keys:\n', ['keys.yaml:1 keys: must be a list']],
    ['a missing key', file(entry({ x: undefined })), ['keys.yaml:3 keys[0].x: is missing']],
    ['a key that is too short', file(entry({ x: 'abc' })), [`keys.yaml:4 keys[0].x: ${FORM}`]],
    ['bits to spare in a key', file(entry({ x: `"${first.x.slice(0, 42)}B"` })), [`keys.yaml:4 keys[0].x: ${FORM}`]],
    ['a key with padding', file(entry({ x: `"${first.x}="` })), [`keys.yaml:4 keys[0].x: ${FORM}`]],
    ['an id of another form', file(entry({ kid: 'first' })), [`keys.yaml:3 keys[0].kid: ${FORM}`]],
    [
      'the id of another key',
      file(entry({ kid: SECOND.kid })),
      [`keys.yaml:3 keys[0].kid: must be ${first.kid}, the RFC 7638 thumbprint of x; correct it, or copy x again`],
    ],
    [
      'a key twice',
      file(entry(), entry(SECOND), entry({ created: '2026-11-02' })),
      ['keys.yaml:10 keys[2].x: repeats keys[0]; list a key once'],
    ],
    ['no date', file(entry({ created: 'yesterday' })), ['keys.yaml:5 keys[0].created: must be a date such as 2026-11-21']],
    ['a key of tomorrow', file(entry({ created: '2026-11-22' })), ['keys.yaml:5 keys[0].created: must not be after today, 2026-11-21']],
    ['a retirement to come', file(entry({ retired: '2026-11-22' })), ['keys.yaml:6 keys[0].retired: must not be after today, 2026-11-21']],
    ['a retirement before the key', file(entry({ retired: '2026-10-31' })), ['keys.yaml:6 keys[0].retired: must not be before created']],
    ['a private member', file(entry({ d: `"${secret}"` })), [`keys.yaml:6 ${PRIVATE}`]],
    ['a private member in JSON', `{"keys":[{"kid":"${first.kid}","d":"${secret}"}]}\n`, [`keys.yaml:1 ${PRIVATE}`]],
    ['a private member under another spelling', file(entry({ '"\\x64"': secret })), [`keys.yaml:6 ${PRIVATE}`]],
    ['a private member in a comment', `${file(entry())}# d: ${secret}\n`, [`keys.yaml:6 ${PRIVATE}`]],
    ['the line of a new key', `${file(entry())}LINEAGE_KEY=${secret}\n`, [`keys.yaml:6 ${PRIVATE}`]],
    ['the line of a new key, made a field', `${file(entry())}LINEAGE_KEY: ${secret}\n`, [`keys.yaml:6 ${PRIVATE}`]],
    ['the line of a new key in a comment', `# LINEAGE_KEY=${secret}\r\n${file(entry())}`, [`keys.yaml:1 ${PRIVATE}`]],
    ['an alias', `keys: &all []\nmore: *all\n`, [`keys.yaml:2 ${NO_YAML}`]],
    ['a text alone', `${secret}\n`, [`keys.yaml:1 ${NO_YAML}`]],
    ['more than 20 keys', file(...Array.from({ length: 21 }, () => entry())), ['keys.yaml:2 keys: must have at most 20 items']],
    ['no YAML', 'keys: [\n', [`keys.yaml:2 ${NO_YAML}`]],
  ])('is refused with %s', async (_name, text, found) => expect(await problems(text)).toEqual(found));

  test('tells everything at once, besides what is wrong elsewhere', async () => {
    const text = file(entry({ kid: SECOND.kid, created: '2026-11-30', retired: '2026-11-29' }));
    const found = await problemsOf({ 'keys.yaml': text, 'publisher.yaml': publisher({ proof_days: '61' }) });
    expect(found).toEqual([
      `keys.yaml:3 keys[0].kid: must be ${first.kid}, the RFC 7638 thumbprint of x; correct it, or copy x again`,
      'keys.yaml:5 keys[0].created: must not be after today, 2026-11-21',
      'keys.yaml:6 keys[0].retired: must not be after today, 2026-11-21',
      'keys.yaml:6 keys[0].retired: must not be before created',
      'publisher.yaml:12 proof_days: must be at least 62',
    ]);
  });

  test('is refused with hidden characters, if it is no text, and if it is no file', async () => {
    expect(await problems(`# \u200b\n${file(entry())}`)).toEqual(['keys.yaml:1 contains the hidden character U+200B; delete it']);
    expect(await problemsOf({ 'keys.yaml': Uint8Array.of(0xff, 0xfe) })).toEqual(['keys.yaml:1 is not UTF-8 text; save it as UTF-8']);
    const root = await writeWorld();
    await mkdir(join(root, 'content/keys.yaml'));
    const found: ContentProblem[] = [];
    expect(await readKeys(root, TODAY, found)).toEqual([]);
    expect(found.map(({ message }) => message)).toEqual(['cannot be read; make it a readable file']);
  });

  const places: ((key: string) => string)[] = [
    (key) => file(entry({ d: `"${key}"` })),
    (key) => file(entry({ kid: `"${key}"` })),
    (key) => file(entry({ x: `"${key}"` })),
    (key) => file(entry({ x: key })),
    (key) => file(entry({ created: `"${key}"`, retired: `"${key}"` })),
    (key) => file(entry({ secret: `"${key}"` })),
    (key) => file(entry({ [`"${key}"`]: '1' })),
    (key) => file(entry({ [`? ["${key}"]\n    `]: '1' })),
    (key) => file(entry({ [`a.${key}`]: '"\\u200b"' })),
    (key) => file(`  - *${key}\n`),
    (key) => file(`  - &${key} 1\n`),
    (key) => file(`  - !${key} { kid: 1 }\n`),
    (key) => file(`  - "${key}"\n`),
    (key) => `keys: *${key}\n`,
    (key) => `keys: "${key}"\n`,
    (key) => `"${key}"\n`,
    (key) => `%${key}\n---\n${file(entry())}more: 1\n`,
    (key) => `${file(entry())}"${key}": 1\n`,
    (key) => `${file(entry())}"${key}": { a: 1 }\n"${key}": 2\n`,
    (key) => `${file(entry())}}${key}\n`,
    (key) => `${file(entry())}"${key}\n`,
    (key) => `${file(entry())}"\\${key}"\n`,
    (key) => `${file(entry())}[${key}\n`,
    (key) => `${file(entry())}${key}\n`,
    (key) => `${file(entry())}@${key}: 1\n`,
    (key) => `${file(entry())}LINEAGE_KEY=${key}\n`,
    (key) => `${file(entry())}# LINEAGE_KEY=${key}\n`,
    (key) => `# LINEAGE_KEY=${key}\n`,
    (key) => `{"keys":[{"kty":"OKP","crv":"Ed25519","d":"${key}","x":"${first.x}"}]}\n`,
  ];

  test('shows no piece of a private key in any problem or warning, wherever it stands', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constantFrom(...places), async (bytes, place) => {
        const key = Buffer.from(bytes).toString('base64url');
        const outcome = await parseKeys(place(key), TODAY);
        expect('problems' in outcome && outcome.problems.length).toBeGreaterThan(0);
        const shown = JSON.stringify([outcome, warn.mock.calls]);
        const pieces = Array.from({ length: 36 }, (_, start) => key.slice(start, start + 8));
        // `kid` and `x` of the entry, which are public, may be named.
        expect(pieces.filter((piece) => shown.includes(piece) && !first.kid.includes(piece))).toEqual([]);
      }),
      { numRuns: 600, examples: places.map((place): [Uint8Array, typeof place] => [new Uint8Array(32).fill(0xa7), place]) },
    );
  });
});

test('proof_days is 180 unless the publisher says otherwise', async () => {
  const daysOf = async (fields: Record<string, string>): Promise<number | undefined> =>
    (await readContent(await writeWorld({ 'publisher.yaml': publisher(fields) }), { today: TODAY })).content?.publisher.proof_days;
  expect(await daysOf({})).toBe(180);
  expect(await daysOf({ proof_days: '62' })).toBe(62);
  expect(await daysOf({ proof_days: '730' })).toBe(730);
  for (const proof_days of ['61', '731', '62.5', 'often'])
    expect(await problemsOf({ 'publisher.yaml': publisher({ proof_days }) })).toHaveLength(1);
});

test('the sample publication ships no key that anybody could sign with', async () => {
  const found: ContentProblem[] = [];
  const root = join(import.meta.dirname, '../../../..');
  await readKeys(root, '9999-12-31', found);
  expect(found).toEqual([]);
  expect(await readFile(join(root, 'content/keys.yaml'), 'utf8').catch(() => '')).not.toMatch(/\bd:/);
});
