import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type BuiltGeneration, buildGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import { GenerationStore } from '../../../../src/build/corpus-blocks/generation-store.ts';
import { UserError } from '../../../../src/publication/content-problem.ts';
import type { PublishedCapsule } from '../../../../src/text/publication-model.ts';
import { saveGeneration } from '../../../support/generations.ts';
import { realCapsules } from '../../gateway/real-generation.ts';
import { temporaryFolder } from '../../publication/content-world.ts';
import { edition } from '../published-corpus.ts';

let root: string;
beforeEach(async () => {
  root = await temporaryFolder();
});

async function publish(store: GenerationStore, capsules: readonly PublishedCapsule[]): Promise<BuiltGeneration> {
  const built = await buildGeneration(capsules, await store.history());
  await saveGeneration(root, built);
  return built;
}

describe('GenerationStore', () => {
  it('lists the three generations before the newest one, and holds every block of those it lists', async () => {
    const capsules = await realCapsules();
    const store = new GenerationStore(root);
    const versions: string[] = [];
    for (let number = 0; number < 7; number += 1) {
      const { version, manifest } = await publish(store, edition(capsules, number));
      expect(manifest.previous).toEqual(versions.slice(0, 3));
      versions.unshift(version);
      const listed = new Set([version, ...manifest.previous]);
      const held = await store.history();
      for (const earlier of listed) expect(held.map((generation) => generation.version)).toContain(earlier);
      const names = await readdir(join(root, '.akg/blocks'));
      const needed = await Promise.all((await store.listed()).map((generation) => store.blocksOf(generation)));
      expect(new Set(names)).toEqual(new Set(needed.flat().map(({ sha256 }) => sha256)));
      expect(await store.wholeHistory()).toEqual(held);
    }
    expect(new Set(versions).size).toBe(7);
  });

  it('knows which generations are complete, and lists the others too', async () => {
    const capsules = await realCapsules();
    const store = new GenerationStore(root);
    const first = await publish(store, edition(capsules, 1));
    const second = await publish(store, edition(capsules, 2));
    const [only] = [...first.blocks.keys()].filter((sha256) => !second.blocks.has(sha256) && sha256 !== first.version);
    await rm(join(root, '.akg/blocks', only ?? ''));
    expect((await store.history()).map(({ version }) => version)).toEqual([second.version, first.version]);
    expect((await store.wholeHistory()).map(({ version }) => version)).toEqual([second.version]);
  });

  it('does not return a damaged block, manifest or page of the log', async () => {
    const store = new GenerationStore(root);
    const { version, manifest } = await publish(store, edition(await realCapsules(), 1));
    const damage = async (sha256: string): Promise<void> => {
      const path = join(root, '.akg/blocks', sha256);
      await writeFile(path, (await readFile(path, 'utf8')).replace(/2026/, '2025'));
    };
    const [page] = manifest.blocks.changes;
    await damage(page?.sha256 ?? '');
    expect(await store.block(page?.sha256 ?? '')).toBeUndefined();
    await expect(store.changes()).rejects.toThrow(UserError);
    await damage(version);
    expect(await store.block(version)).toBeUndefined();
    expect(await store.history()).toEqual([]);
  });

  it('keeps the generation when the same content is published again', async () => {
    const capsules = await realCapsules();
    const store = new GenerationStore(root);
    await publish(store, edition(capsules, 1));
    const { version } = await publish(store, edition(capsules, 2));
    expect((await publish(store, edition(capsules, 2))).version).toBe(version);
    expect(await store.history()).toHaveLength(2);
  });
});
