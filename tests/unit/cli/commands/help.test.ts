import { spawnSync } from 'node:child_process';
import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import packageJson from '../../../../package.json' with { type: 'json' };
import { ROOT } from '../../../support/paths.ts';
import { refusalOf } from '../../../support/run-akg.ts';
import { temporaryFolder } from '../../publication/content-world.ts';

function akg(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return akgIn(ROOT, ...args);
}

function akgIn(cwd: string, ...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'src/cli/akg.mjs'), ...args], { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const COMMANDS = readdirSync(join(ROOT, 'src/cli/commands'))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort();

test('akg --help lists every command', () => {
  const { status, stdout } = akg('--help');
  expect(status).toBe(0);
  const listed = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].flatMap(([, name]) => (name === 'help' ? [] : [name]));
  expect(listed.sort()).toEqual(COMMANDS);
});

test('akg --version prints the version of the engine', () => {
  expect(akg('--version')).toEqual({ status: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

test.each(COMMANDS)('akg %s has a help of its own', async (name) => {
  const { command } = (await import(`../../../../src/cli/commands/${name}.ts`)) as { command: Command };
  expect(command.helpInformation()).toMatch(/^Usage: /);
  expect(command.options.filter(({ description }) => description === '')).toEqual([]);
});

test('akg revise --help prints the usage, the arguments and examples', () => {
  const { status, stdout } = akg('revise', '--help');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Usage: akg revise \[options\] \[capsule\] \[step\]\n[\s\S]*Examples:\n {2}npm run revise http-caching\n/);
});

test('every npm script that runs akg names a command of it', () => {
  const named = Object.values(packageJson.scripts).flatMap((script) => /akg\.mjs ([a-z-]+)/.exec(script)?.[1] ?? []);
  expect(COMMANDS).toEqual(expect.arrayContaining(named));
  expect(named.length).toBeGreaterThan(10);
});

test.each([['start'], ['import', 'verify'], ['rename', 'init', 'verify']])(
  'leaves nothing in a folder that is no publication, and says where commands run: akg %s %s',
  async (...args) => {
    const folder = await temporaryFolder();
    const { status, stderr } = akgIn(folder, ...args);
    expect([status, stderr, readdirSync(folder)]).toEqual([
      1,
      `${realpathSync(folder)} has no content/publisher.yaml: go to the folder of your publication, or write one with "akg init <folder>"\n`,
      [],
    ]);
  },
);

test('refuses an unknown command on standard error with exit code 1, and suggests one', () => {
  const { status, stdout, stderr } = akg('bild');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain("error: unknown command 'bild'\n(Did you mean build?)");
});

test.each([
  ['publish', ['--dry-rum'], "error: unknown option '--dry-rum'\n(Did you mean --dry-run?)"],
  ['new', ['capsul', 'http-caching'], "error: 'capsul' is not a valid kind: use capsule or offer\n"],
  ['revise', ['Not An Id'], "error: 'Not An Id' is not a valid capsule: An id must be "],
  ['agents', ['lst'], "error: unknown command 'lst'\n(Did you mean list?)"],
  ['agents', ['show'], "error: missing required argument 'agent'"],
  ['agents', ['show', '00000000000000aa'], 'An agent id looks like agt_0123456789abcdef.'],
  ['agents', ['grant', 'agt_00000000000000aa', 'read'], 'use submit, buy or metrics'],
  ['agents', ['list', '--limit', 'x'], 'It must be a whole number from 1 to 10000.'],
  ['intake', ['reject', '4'], "error: required option '--reason <text>' not specified"],
])('akg %s %j is refused with the reason alone, and the way to the help', async (name, args, message) => {
  const output = await refusalOf(name, args);
  expect(output).toContain(message);
  expect(output.trim().split('\n').length).toBeLessThan(4);
  expect(output).toContain('--help shows what is possible.');
});
