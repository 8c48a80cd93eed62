import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitBuild, dropStagedBuild, finishReadyBuild, stageBuild } from '../../../src/build/atomic-build-output.ts';
import { seededRandom } from '../../eval/random.ts';
import { temporaryFolder } from '../publication/content-world.ts';
import { buildUntilKilled, PARTS, placedNumbers } from './staged-builds.ts';

const silent = (): void => undefined;

async function stage(output: string, text: string): Promise<string> {
  const staged = await stageBuild(output);
  await mkdir(join(staged, 'dist'));
  await writeFile(join(staged, 'dist/index.html'), text);
  await writeFile(join(staged, 'built.json'), text);
  return staged;
}

const MOVES = [
  { from: 'dist', to: 'dist' },
  { from: 'built.json', to: '.akg/built.json' },
];

const placed = (output: string): Promise<string[]> =>
  Promise.all(['dist/index.html', '.akg/built.json'].map((path) => readFile(join(output, path), 'utf8')));

describe('a staged build', () => {
  it('replaces the build before it, and nothing is left of that', async () => {
    const output = await temporaryFolder();
    for (const text of ['one', 'two']) {
      await stage(output, text);
      if (text === 'two') expect(await placed(output)).toEqual(['one', 'one']);
      await commitBuild(output, MOVES);
      await writeFile(join(output, 'dist', text), '');
    }
    expect(await placed(output)).toEqual(['two', 'two']);
    expect(await readdir(join(output, 'dist'))).toEqual(['index.html', 'two']);
    expect(await readdir(join(output, '.akg'))).toEqual(['built.json']);
  });

  it('leaves the build before it in place if it is dropped or never finished', async () => {
    const output = await temporaryFolder();
    await stage(output, 'one');
    await commitBuild(output, MOVES);
    await stage(output, 'two');
    await dropStagedBuild(output);
    await writeFile(join(await stage(output, 'three'), 'more'), '');
    await finishReadyBuild(output, silent);
    expect(await placed(output)).toEqual(['one', 'one']);
    expect(await readdir(await stageBuild(output))).toEqual([]);
  });

  it('is put in place by the next command wherever putting it in place was interrupted', async () => {
    const prepared = await temporaryFolder();
    await stage(prepared, 'one');
    await commitBuild(prepared, MOVES);
    const staged = await stage(prepared, 'two');
    await writeFile(join(staged, 'moves.json'), JSON.stringify(MOVES));
    const steps: (readonly [from: string, to: string])[] = [
      ['.akg/next', '.akg/ready'],
      ['dist', '.akg/replaced/0'],
      ['.akg/ready/dist', 'dist'],
      ['.akg/built.json', '.akg/replaced/1'],
      ['.akg/ready/built.json', '.akg/built.json'],
    ];
    for (let done = 1; done <= steps.length; done += 1) {
      const output = await temporaryFolder();
      await cp(prepared, output, { recursive: true });
      await mkdir(join(output, '.akg/replaced'));
      for (const [from, to] of steps.slice(0, done)) await rename(join(output, from), join(output, to));
      await finishReadyBuild(output, silent);
      expect(await placed(output)).toEqual(['two', 'two']);
      expect(await readdir(join(output, '.akg'))).toEqual(['built.json']);
    }
  });

  it('is served and deployed with wrangler.toml, although a killed compilation has left another configuration', async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, '.wrangler/deploy'), { recursive: true });
    await writeFile(join(root, '.wrangler/deploy/config.json'), '{}');
    await finishReadyBuild(root, silent);
    expect(await readdir(join(root, '.wrangler'))).toEqual([]);
  });

  it('is there whole or not at all after its process was killed', async () => {
    const output = await temporaryFolder();
    const random = seededRandom(1);
    let last = 0;
    let before = 0;
    for (let kill = 0; kill < 5; kill += 1) {
      last = await buildUntilKilled(output, last + 1, Math.floor(random() * 40));
      await finishReadyBuild(output, silent);
      const [number, ...others] = await placedNumbers(output);
      expect(others).toEqual(PARTS.slice(1).map(() => number));
      expect(Number(number ?? 0)).toBeGreaterThanOrEqual(before);
      // The line of the build that was killed may not have arrived.
      expect(Number(number ?? 0)).toBeLessThanOrEqual(last + 1);
      before = Number(number ?? 0);
    }
    expect(before).toBeGreaterThan(0);
  });
});
