import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { today } from '../../../../src/build/describe-deployment.ts';
import { makeKey, retireKey } from '../../../../src/cli/commands/new-key.ts';
import { makePrivateKey, makeSigner } from '../../../../src/provenance/sign.ts';
import { type ContentProblem, InvalidContentError, UserError } from '../../../../src/publication/content-problem.ts';
import { readKeys } from '../../../../src/publication/read/read-keys.ts';
import type { LineageKey } from '../../../../src/schemas/knowledge/lineage.ts';
import { callAkg, refusalOf } from '../../../support/run-akg.ts';
import { TODAY, writeWorld } from '../../publication/content-world.ts';

const PROGRAM = join(import.meta.dirname, '../../../../src/cli/akg.mjs');
const keysNew = (root: string, ...args: string[]): ReturnType<typeof callAkg> => callAkg(['new-key', ...args], root);
const textOf = (root: string): Promise<string> => readFile(join(root, 'content/keys.yaml'), 'utf8');

async function keysOf(root: string, day = TODAY): Promise<readonly LineageKey[]> {
  const problems: ContentProblem[] = [];
  const keys = await readKeys(root, day, problems);
  expect(problems).toEqual([]);
  return keys;
}

/** The private key of a run, which must be the only line on standard output. */
function secretOf({ stdout }: { stdout: string }): string {
  const [, secret] = /^LINEAGE_KEY=([A-Za-z0-9_-]{43})\n$/.exec(stdout) ?? [];
  if (secret === undefined) throw new Error('standard output is not one line with a key');
  return secret;
}

const { publicKey: known } = await makePrivateKey();
const LISTED: LineageKey = { ...known, created: '2026-11-01' };

describe('npm run keys:new', () => {
  test('makes keys one after another and retires one; files and reports hold no private key', async () => {
    const root = await writeWorld();
    const first = await keysNew(root);
    const second = await keysNew(root);
    const signers = [await makeSigner(secretOf(first)), await makeSigner(secretOf(second))];
    const day = today();
    const [old, fresh] = await keysOf(root, day);
    expect([old, fresh]).toEqual(signers.map(({ publicKey }) => ({ ...publicKey, created: day })));
    expect(first.stderr).toContain(`Created the key ${old?.kid}`);
    expect(second.stderr).toContain(`npm run keys:new -- --retire ${old?.kid}`);

    const kid = old?.kid ?? '';
    const retired = await keysNew(root, '--retire', kid);
    expect(retired).toMatchObject({ exit: 0, stdout: '' });
    expect(retired.stderr).toContain(`Active: ${fresh?.kid}`);
    expect(await keysOf(root, day)).toEqual([{ ...old, retired: day }, fresh]);

    const again = await keysNew(root, `--retire=${kid}`);
    expect(again).toMatchObject({ exit: 1, stdout: '' });
    expect(again.stderr).toContain('was retired on');
    const last = await keysNew(root, '--retire', fresh?.kid ?? '');
    expect(last).toMatchObject({ exit: 0, stdout: '' });
    expect(last.stderr).toContain('Warning: it was the only active key');

    const written = (await textOf(root)) + [first, second, retired, again, last].map(({ stderr }) => stderr).join('');
    for (const run of [first, second]) {
      const secret = secretOf(run);
      expect(written).not.toContain(secret);
      expect(written).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));
      for (let start = 0; start <= 43 - 8; start += 1) expect(written).not.toContain(secret.slice(start, start + 8));
    }
  });

  test.each([[['--force']], [['a-key']], [['--retire']], [['--retire', '']], [['--retire', 'a', 'b']], [['--retire=a', 'b']], [['']]])(
    'refuses the arguments %j in plain words, without showing them',
    async (args) => {
      const { secret } = await makePrivateKey();
      const output = await refusalOf('new-key', [...args, ...(args[0] === '--retire' && args.length === 1 ? [] : [secret])]);
      expect(output).toMatch(/^error: unexpected argument \(not shown, .*\)\n\n?--help shows/);
      expect(output).not.toContain(secret);
    },
  );

  test('refuses to retire a key that is not listed, and does not show what it was given', async () => {
    const { secret } = await makePrivateKey();
    const root = await writeWorld({ 'keys.yaml': JSON.stringify({ keys: [LISTED] }) });
    const run = await keysNew(root, '--retire', secret);
    expect(run).toMatchObject({ exit: 1, stdout: '' });
    expect(run.stderr).toBe(`content/keys.yaml has no key with that id; active: ${known.kid}\n`);
  });

  test('refuses to do anything while keys.yaml has a mistake', async () => {
    const text = `keys:\n  - { kid: "${known.kid}", x: "${known.x}", created: 2026-11-01, d: x }\n`;
    const root = await writeWorld({ 'keys.yaml': text });
    for (const args of [[], ['--retire', known.kid]]) {
      const run = await keysNew(root, ...args);
      expect(run).toMatchObject({ exit: 1, stdout: '' });
      expect(run.stderr).toContain('content/keys.yaml:2 is a private key');
    }
    expect(await textOf(root)).toBe(text);
    await expect(makeKey(root, TODAY)).rejects.toThrow(InvalidContentError);
  });
});

const item = `kid: "${known.kid}"`;
const FILES: [name: string, text: string][] = [
  ['a block list', `keys:\n  - ${item}\n    x: "${known.x}"\n    created: 2026-11-01\n`],
  ['a list at the margin', `keys:\n- ${item}\n  x: "${known.x}"\n  created: 2026-11-01\n`],
  [
    'comments everywhere',
    `# One.\nkeys: # Two.\n  # Three.\n  - ${item} # Four.\n    x: "${known.x}"\n    created: 2026-11-01 # Five.\n# Six.\n`,
  ],
  ['no line break at its end', `keys:\n  - ${item}\n    x: "${known.x}"\n    created: 2026-11-01`],
  ['CRLF line ends', `keys:\r\n  - ${item}\r\n    x: "${known.x}"\r\n    created: 2026-11-01\r\n`],
  ['wide indents', `keys:\n    -   ${item}\n        x: "${known.x}"\n        created: 2026-11-01\n`],
  ['items in braces', `keys:\n  - { ${item}, x: "${known.x}", created: 2026-11-01 }\n`],
  ['a list in brackets', `keys: [{ ${item}, x: "${known.x}", created: 2026-11-01 }] # End.\n`],
  ['a list in brackets over lines', `keys: [\n  { ${item}, x: "${known.x}", created: 2026-11-01 },\n]\n`],
  ['JSON', `${JSON.stringify({ keys: [LISTED] }, undefined, 2)}\n`],
];

test.each(FILES)('keys.yaml with %s takes one more key, notes that each is retired, and stays as it is besides', async (_name, text) => {
  const root = await writeWorld({ 'keys.yaml': text });
  const { kid, active } = await makeKey(root, TODAY);
  expect(active).toEqual([known.kid]);
  const [, fresh] = await keysOf(root);
  expect(await keysOf(root)).toEqual([LISTED, { kid, x: fresh?.x, created: TODAY }]);
  const before = await textOf(root);
  expect(isSubsequence(text, before)).toBe(true);
  expect(await retireKey(root, known.kid, TODAY)).toEqual([kid]);
  expect(await keysOf(root)).toEqual([{ ...LISTED, retired: TODAY }, fresh]);
  const after = await textOf(root);
  expect(isSubsequence(before, after)).toBe(true);
  expect(after.length - before.length).toBeLessThan(50);
  expect(await retireKey(root, kid, TODAY)).toEqual([]);
  expect((await keysOf(root)).map(({ retired }) => retired)).toEqual([TODAY, TODAY]);
});

/** Whether all characters of a text stand in another one in their order: something was added, and nothing taken away. */
function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at += 1;
  return at === part.length;
}

test('an empty list takes a key', async () => {
  const root = await writeWorld({ 'keys.yaml': '# Mine.\nkeys: [] # None yet.\n' });
  const { kid } = await makeKey(root, TODAY);
  expect((await keysOf(root)).map((key) => key.kid)).toEqual([kid]);
  expect(await textOf(root)).toMatch(/^# Mine\.\nkeys: \[\{ .* \}\] # None yet\.\n$/);
});

test('a file that cannot be added to stays as it is', async () => {
  const text = `keys:\n  -\n    ${item}\n    x: "${known.x}"\n    created: 2026-11-01\n`;
  const root = await writeWorld({ 'keys.yaml': text });
  await expect(makeKey(root, TODAY)).rejects.toThrow(UserError);
  expect(await textOf(root)).toBe(text);
});

test('no more than 20 keys are listed', async () => {
  const root = await writeWorld();
  for (let count = 0; count < 20; count += 1) await makeKey(root, TODAY);
  const text = await textOf(root);
  await expect(makeKey(root, TODAY)).rejects.toThrow('content/keys.yaml lists 20 keys, the maximum');
  expect(await textOf(root)).toBe(text);
});

test('a retired key goes back into use only by hand', async () => {
  const root = await writeWorld();
  const { kid } = await makeKey(root, TODAY);
  expect(await retireKey(root, kid, TODAY)).toEqual([]);
  await expect(retireKey(root, kid, TODAY)).rejects.toThrow(`the key ${kid} was retired on ${TODAY}`);
  await writeFile(join(root, 'content/keys.yaml'), (await textOf(root)).replace(/ *retired: .*\n/, ''));
  expect((await keysOf(root))[0]?.retired).toBeUndefined();
});

test('only commands that sign keep the private key in their environment', () => {
  const keeps = (...words: readonly string[]): boolean => {
    const shown = 'process.on("exit", () => process.stdout.write(String(process.env.LINEAGE_KEY)))';
    const env = {
      ...process.env,
      LINEAGE_KEY: 'the private key',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shown)}`,
    };
    return spawnSync(process.execPath, [PROGRAM, ...words, '--help'], { env, encoding: 'utf8' }).stdout.endsWith('the private key');
  };
  expect(['build', 'import', 'orders'].filter((command) => keeps(command))).toEqual(['build']);
  expect(keeps('import', 'build')).toBe(false);
});
