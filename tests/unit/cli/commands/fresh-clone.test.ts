import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../../../package.json' with { type: 'json' };
import { copyProject, type ProjectCopy } from '../../../support/project-copy.ts';

/** Scripts of this project that are no commands of `akg`, with their programs; nothing is built where they run. */
const PROGRAMS = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
  const [program, ...args] = /^node ((?:--\S+ (?:\S+\.mjs )?)*tests\/\S+\.ts.*)$/.exec(script)?.[1]?.split(' ') ?? [];
  return program === undefined ? [] : [[name, [program, ...args]] as const];
});

/** Processes at a time: most of the time of each is its start. */
const PROCESSES = 4;

let clone: ProjectCopy;
beforeAll(async () => {
  clone = await copyProject();
});
afterAll(() => clone.remove());

test('every program of package.json explains itself in a fresh clone, before anything is built', { timeout: 120_000 }, async () => {
  expect(PROGRAMS.length).toBeGreaterThan(30);
  const failures: string[] = [];
  const left = [...PROGRAMS];
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [name, args] = next;
      try {
        const { stdout } = await promisify(execFile)(process.execPath, [...args, '--help'], { cwd: clone.folder });
        if (!stdout.startsWith('Usage: ')) failures.push(`${name}: ${stdout.slice(0, 200)}`);
      } catch (error) {
        failures.push(`${name}: ${String(error).slice(0, 600)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
  expect(failures).toEqual([]);
});

test('a command that needs a build says so in one sentence', async () => {
  const { stderr, code } = (await promisify(execFile)(process.execPath, [join(clone.folder, 'src/cli/akg.mjs'), 'publish'], {
    cwd: clone.folder,
    // Vitest sets it to a path.
    env: { ...process.env, BASE_URL: undefined },
  }).catch((error: unknown) => error)) as { stderr: string; code: number };
  expect([code, stderr.trim()]).toEqual([1, expect.stringMatching(/^[^\n]*run "npm run build" first$/)]);
});
