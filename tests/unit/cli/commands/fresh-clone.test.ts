import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../../../package.json' with { type: 'json' };
import { copyProject, type ProjectCopy } from '../../../support/project-copy.ts';

/** Scripts of this project that are no commands of `akg`: their names, modules and arguments. */
const PROGRAMS = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
  const words = /^node ((?:--\S+ (?:\S+\.mjs )?)*tests\/\S+\.ts.*)$/.exec(script)?.[1]?.split(' ');
  const args = words?.filter((word) => !word.startsWith('--')) ?? [];
  return words === undefined ? [] : [{ name, modules: args.filter(isModule), args: args.filter((word) => !isModule(word)) }];
});

function isModule(word: string): boolean {
  return /^(\.\/)?tests\/.*\.m?[jt]s$/.test(word);
}

/** Asks all programs for help in one process, which loads what they share once, and prints what does not explain itself. */
const ASK_FOR_HELP = `
const ENDED = Symbol();
process.exit = () => { throw ENDED; };
const write = process.stdout.write.bind(process.stdout);
const failures = [];
for (const { name, modules, args } of ${JSON.stringify(PROGRAMS)}) {
  let output = '';
  process.stdout.write = (text) => (output += text);
  process.argv = [process.execPath, process.cwd() + '/' + modules.at(-1), ...args, '--help'];
  try {
    for (const module of modules) await import(new URL(module + '?' + name, 'file://' + process.cwd() + '/').href);
    failures.push(name + ' goes on after its help');
  } catch (error) {
    if (error !== ENDED) failures.push(name + ': ' + (error?.stack ?? error));
    else if (!output.startsWith('Usage: ')) failures.push(name + ': ' + output.slice(0, 200));
  }
}
write(JSON.stringify(failures));
`;

let clone: ProjectCopy;
beforeAll(async () => {
  clone = await copyProject();
});
afterAll(() => clone.remove());

test('every program of package.json explains itself in a fresh clone, before anything is built', { timeout: 120_000 }, async () => {
  expect(PROGRAMS.length).toBeGreaterThan(25);
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', ASK_FOR_HELP], { cwd: clone.folder });
  expect(JSON.parse(stdout)).toEqual([]);
});

test('a command that needs a build says so in one sentence', async () => {
  const { stderr, code } = (await promisify(execFile)(process.execPath, [join(clone.folder, 'src/cli/akg.mjs'), 'publish'], {
    cwd: clone.folder,
    // Vitest sets it to a path.
    env: { ...process.env, BASE_URL: undefined },
  }).catch((error: unknown) => error)) as { stderr: string; code: number };
  expect([code, stderr.trim()]).toEqual([1, expect.stringMatching(/^[^\n]*run "npm run build" first$/)]);
});
