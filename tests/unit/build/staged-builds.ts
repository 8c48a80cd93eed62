import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { commitBuild, stageBuild } from '../../../src/build/atomic-build-output.ts';
import { withBuildLock } from '../../../src/build/build-lock.ts';

/** Parts of a build without pages; each holds the number of its build. */
export const PARTS = [
  'dist/index.html',
  'dist/capsules/one.html',
  '.akg/server/entry.mjs',
  '.akg/generated.js',
  '.akg/built.json',
] as const;

/** Numbers of the parts that are in place; `undefined` for those that are missing. */
export function placedNumbers(output: string): Promise<(string | undefined)[]> {
  return Promise.all(PARTS.map((part) => readFile(join(output, part), 'utf8').catch(() => undefined)));
}

async function build(output: string, number: number): Promise<void> {
  await withBuildLock(output, 'build', console.error, async () => {
    const staged = await stageBuild(output);
    for (const folder of ['dist/capsules', '.akg/server']) await mkdir(join(staged, folder), { recursive: true });
    for (const part of PARTS) await writeFile(join(staged, part), String(number));
    console.log(number);
    await commitBuild(
      output,
      ['dist', '.akg/server', '.akg/generated.js', '.akg/built.json'].map((path) => ({ from: path, to: path })),
    );
  });
}

/** Builds from a number on, in a process of its own, and kills it some time after its first build is complete. */
export async function buildUntilKilled(output: string, first: number, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, [import.meta.filename, output, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let last = first;
  await once(
    createInterface({ input: child.stdout }).on('line', (line) => (last = Number(line))),
    'line',
  );
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  await ended;
  return last;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [output = '.', first = '1'] = process.argv.slice(2);
  for (let number = Number(first); ; number += 1) await build(output, number);
}
