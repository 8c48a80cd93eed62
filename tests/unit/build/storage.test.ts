import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { buildGeneration } from '../../../src/build/corpus-blocks/build-generation.ts';
import { GenerationStore, writeAssetBlocks } from '../../../src/build/corpus-blocks/generation-store.ts';
import { storageOf } from '../../../src/build/describe-deployment.ts';
import { builtSiteProblem } from '../../../src/build/host-limits.ts';
import { UserError } from '../../../src/publication/content-problem.ts';
import { ownBlocks, saveGeneration } from '../../support/generations.ts';
import { realCapsules, realContent } from '../gateway/real-generation.ts';
import { temporaryFolder } from '../publication/content-world.ts';
import { edition } from './published-corpus.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

it('storageOf() is what the publisher says, KV if nothing is said, and STORAGE in the place of both', async () => {
  const { publisher } = await realContent();
  expect(storageOf(publisher, undefined)).toBe('kv');
  expect(storageOf({ ...publisher, storage: 'assets' }, '')).toBe('assets');
  expect(storageOf({ ...publisher, storage: 'assets' }, 'kv')).toBe('kv');
  expect(() => storageOf(publisher, 'r2')).toThrow(UserError);
});

it('writeAssetBlocks() writes every block of the newest generation and of those it lists, byte for byte', async () => {
  const capsules = await realCapsules();
  const store = new GenerationStore(folder);
  const first = await buildGeneration(edition(capsules, 1), []);
  await saveGeneration(folder, first);
  const second = await buildGeneration(edition(capsules, 2), await store.wholeHistory());
  const site = join(folder, 'dist');
  const count = await writeAssetBlocks(site, second, store);
  const names = await readdir(join(site, '_blocks'));
  expect(names.sort()).toEqual(
    [...new Set([...(await ownBlocks(first)), ...(await ownBlocks(second))].map(({ sha256 }) => sha256))].sort(),
  );
  expect(count).toBe(names.length);
  const blocks = new Map([...first.blocks, ...second.blocks]);
  for (const name of names) expect(new Uint8Array(await readFile(join(site, '_blocks', name)))).toEqual(blocks.get(name));
});

it('a text that is not free to read is never a file, neither of the newest generation nor of one that it lists', async () => {
  const capsules = edition(await realCapsules(), 1);
  const [first, ...rest] = capsules;
  if (first === undefined) throw new Error('no capsules');
  const paid = await buildGeneration([{ ...first, metadata: { ...first.metadata, access: 'paid' } }, ...rest], []);
  const store = new GenerationStore(folder);
  await saveGeneration(folder, paid);
  await expect(writeAssetBlocks(join(folder, 'dist'), paid, store)).rejects.toThrow(/access: paid/);
  const free = await buildGeneration(rest, await store.wholeHistory());
  await saveGeneration(folder, free);
  await expect(writeAssetBlocks(join(folder, 'dist'), free, store)).rejects.toThrow(/access: paid/);
});

it('builtSiteProblem() says which limit of the host a site exceeds and what to do', async () => {
  await mkdir(join(folder, '_blocks'));
  for (const name of ['index.html', '_blocks/a', '_blocks/b']) await writeFile(join(folder, name), 'x');
  const site = { mode: 'edge', capsules: 1 } as const;
  expect(await builtSiteProblem(folder, site, { max_files: 3 })).toBeUndefined();
  expect(await builtSiteProblem(folder, site, { max_files: 2 })).toMatch(/3 files for 1 capsule, 2 of them blocks.*takes 2\..*storage: kv/);
  await truncate(join(folder, '_blocks/b'), 25 * 1024 * 1024 + 1);
  expect(await builtSiteProblem(folder, site, { max_files: 3 })).toMatch(/^\/_blocks\/b has 26214401 bytes.*at most 26214400/);
});
