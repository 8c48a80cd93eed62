import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuiltState } from '../../../../src/build/publishing/publishing-state.ts';
import { makePublisherFolder, type PublisherFolder } from '../../../support/publisher-folder.ts';
import { type CommandOutcome, runAkg } from '../../../support/run-akg.ts';

const BUILT: BuiltState = {
  generation: 'a'.repeat(64),
  baseUrl: 'https://a.test',
  storage: 'kv',
  mode: 'static',
  versions: [],
  offers: [],
  log: [],
};

let publisher: PublisherFolder;
beforeAll(async () => {
  publisher = await makePublisherFolder(['content']);
  await mkdir(join(publisher.folder, '.akg'));
});
afterAll(() => publisher.remove());

// Vitest sets BASE_URL.
const publish = (...args: string[]): Promise<CommandOutcome> => runAkg(['publish', ...args], publisher.folder, { BASE_URL: '' });
const noteBuilt = (built: BuiltState): Promise<void> => writeFile(join(publisher.folder, '.akg/built.json'), JSON.stringify(built));

describe('akg publish', () => {
  it.each(['http://127.0.0.1:8788', 'http://localhost'])('refuses a build for %s, which nobody else can open', async (baseUrl) => {
    await noteBuilt({ ...BUILT, baseUrl });
    const { exit, output } = await publish('--static', '--dry-run');
    expect([exit, output]).toEqual([
      1,
      expect.stringContaining(`the newest build is for this machine: its addresses begin with ${baseUrl}`),
    ]);
  });

  it('refuses without a build with functions, and accepts a frontend-only build for a site', async () => {
    await noteBuilt(BUILT);
    expect(await publish()).toEqual({
      exit: 1,
      output: expect.stringContaining('the newest build is not one with functions: run "npm run build" first'),
    });
    expect(await publish('--static', '--dry-run')).toMatchObject({ exit: 0 });
  });
});
