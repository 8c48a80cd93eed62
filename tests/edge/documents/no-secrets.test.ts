import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';
import { filesBelow } from '../../support/files-below.ts';
import { PUBLICATION, ROOT } from '../../support/paths.ts';

/** What a build writes: both sites, and what functions are made from. */
const FOLDERS = ['dist', 'dist-static', '.akg/blocks', '.akg/functions'];
const FILES = ['.akg/generated.js'];

/** What only the development server has: its preview, as a file or as an address, and the class of its bar in pages. */
const OF_DEVELOPMENT = /\/dist(?:-static)?\/preview|(?<![\w-])\/preview(?![\w-])|akg-dev-bar/;

/** What has the form of a secret, wherever it comes from. The key of examples opens nothing. */
const SECRET_FORMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['an API key', /akg_(?:live|test)_(?!0{60})[0-9A-Za-z]{60}/],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/]{16}/],
  ['a private JSON web key', /"d"\s*:\s*"[A-Za-z0-9_-]{43}"/],
  ['signing secrets', /SIGNING_SECRETS\s*[=:]\s*["'`]?[1-9]\d{0,2}:[A-Za-z0-9_-]{43}/],
];

/** Secrets that this machine has: those of tests, of `.dev.vars`, and those that builds and functions read from the environment. */
async function secretsHere(): Promise<[name: string, text: string][]> {
  const path = join(PUBLICATION, '.dev.vars');
  const lines = existsSync(path) ? (await readFile(path, 'utf8')).split('\n') : [];
  const values = [
    ...lines.map((line) =>
      line
        .slice(line.indexOf('=') + 1)
        .trim()
        .replaceAll('"', ''),
    ),
    process.env['SIGNING_SECRETS'] ?? '',
    process.env['LINEAGE_KEY'] ?? '',
  ];
  return [
    ['the signing secret of tests', TEST_SIGNING_SECRETS.slice(2)],
    ...values.filter((value) => value.length >= 16).map((value): [string, string] => ['a secret of this machine', value]),
    ['a path of this machine', `${ROOT}/`],
  ];
}

function secretsIn(text: string, own: readonly (readonly [string, string])[]): string[] {
  return [
    ...SECRET_FORMS.filter(([, pattern]) => pattern.test(text)).map(([name]) => name),
    ...own.filter(([, secret]) => text.includes(secret)).map(([name]) => name),
  ];
}

async function writtenFiles(): Promise<string[]> {
  const inFolder = async (folder: string): Promise<string[]> =>
    (await filesBelow(join(PUBLICATION, folder))).map((file) => join(folder, file));
  const paths = [...(await Promise.all(FOLDERS.map(inFolder))).flat(), ...FILES].map((path) => join(PUBLICATION, path));
  expect(paths.length).toBeGreaterThan(300);
  return paths;
}

describe('what a build writes', () => {
  test('has no preview, and nothing else of the development server', async () => {
    const found: string[] = [];
    for (const path of await writtenFiles())
      if (OF_DEVELOPMENT.test(path) || OF_DEVELOPMENT.test(await readFile(path, 'latin1'))) found.push(path.slice(ROOT.length));
    expect(found).toEqual([]);
  });

  test('holds no key, no secret and no path of the machine that built it', async () => {
    const own = await secretsHere();
    const found: string[] = [];
    for (const path of await writtenFiles())
      found.push(...secretsIn(await readFile(path, 'latin1'), own).map((name) => `${path.slice(ROOT.length)}: ${name}`));
    expect(found).toEqual([]);
  });

  test('would be seen to hold one', async () => {
    const own = await secretsHere();
    for (const [text, name] of [
      [`key: akg_test_${'4fG'.repeat(20)}`, 'an API key'],
      [`{"kty":"OKP","crv":"Ed25519", "d": "${'x'.repeat(43)}"}`, 'a private JSON web key'],
      [`SIGNING_SECRETS=1:${'A_'.repeat(21)}a`, 'signing secrets'],
      [`-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIE`, 'a private key'],
      [`// ${ROOT}/src/routes/mount.ts`, 'a path of this machine'],
      [`var a = "${TEST_SIGNING_SECRETS}";`, 'the signing secret of tests'],
    ] as const)
      expect(secretsIn(text, own)).toContain(name);
    expect(secretsIn(`akg_test_${'0'.repeat(60)} "d":"day" -----BEGIN PRIVATE KEY----- and so on`, own)).toEqual([]);
  });
});
