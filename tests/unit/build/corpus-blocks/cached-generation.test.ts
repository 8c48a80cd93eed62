import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { cachedParts } from '../../../../src/build/corpus-blocks/build-generation.ts';
import { GenerationStore } from '../../../../src/build/corpus-blocks/generation-store.ts';
import { makeGeneration } from '../../../../src/build/make-publication.ts';
import type { Signing } from '../../../../src/build/sign-publication.ts';
import { signerOf } from '../../../../src/provenance/sign.ts';
import type { AuthoredCapsule, AuthoredContent } from '../../../../src/publication/authored-content.ts';
import { BuildCache } from '../../../../src/publication/build-cache.ts';
import { saveGeneration } from '../../../support/generations.ts';
import { PRINTED_SECRETS } from '../../../support/signed-site.ts';
import { realContent } from '../../gateway/real-generation.ts';
import { temporaryFolder } from '../../publication/content-world.ts';

const SETTINGS = { mode: 'edge', capsulePages: 'edge' } as const;
let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

async function build(content: AuthoredContent, signing?: Signing) {
  const store = new GenerationStore(folder);
  const cache = new BuildCache(join(folder, 'kept'), 'this test');
  const lines: string[] = [];
  const options = { signing, cache: cachedParts(cache), blocks: store.newBlocks(), report: (line: string) => void lines.push(line) };
  const { generation } = await makeGeneration(content, SETTINGS, options);
  cache.save();
  cache.close();
  await saveGeneration(folder, generation);
  return { generation, store, line: lines.join() };
}

function edited(content: AuthoredContent, count: number, changed: readonly number[]): AuthoredContent {
  const withSentence = (capsule: AuthoredCapsule, at: number): AuthoredCapsule =>
    changed.includes(at) ? { ...capsule, markdown: `${capsule.markdown}\nAgain, ${changed.length}.\n` } : capsule;
  // Short texts, as quickly analysed; relations may only name capsules that are there.
  const short = content.capsules.toSorted((a, b) => a.markdown.length - b.markdown.length).slice(0, count);
  const alone = short
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((capsule) => ({ ...capsule, frontMatter: { ...capsule.frontMatter, derived_from: [], cites: [], supersedes: [] }, frozen: [] }));
  return { ...content, capsules: alone.map(withSentence) };
}

function namesAndBytes({ blocks }: { readonly blocks: Iterable<[string, Uint8Array]> }): Record<string, string> {
  return Object.fromEntries([...blocks].map(([name, bytes]) => [name, Buffer.from(bytes).toString('latin1')]));
}

describe('a generation with cached results', () => {
  it('has the bytes of one that is made from nothing, after any edits', async () => {
    const content = await realContent();
    const states = fc.tuple(fc.integer({ min: 4, max: 7 }), fc.uniqueArray(fc.nat(6), { maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.array(states, { minLength: 2, maxLength: 3 }), async (sequence) => {
        for (const [count, changed] of sequence) {
          const now = edited(content, count, changed);
          const { generation } = await build(now);
          const fresh = await makeGeneration(now, SETTINGS);
          expect(generation.version).toBe(fresh.generation.version);
          expect(namesAndBytes(generation)).toEqual(namesAndBytes(fresh.generation));
        }
      }),
      { numRuns: 3 },
    );
  });

  it('does only what changed again, and says how much', async () => {
    const content = edited(await realContent(), 20, []);
    expect((await build(content)).line).toBe('made anew: 20 of 20 texts as HTML, 20 of 20 for the search; the rest is of earlier builds');
    expect((await build(content)).line).toBe('made anew: 0 of 20 texts as HTML, 0 of 20 for the search; the rest is of earlier builds');
    expect((await build(edited(content, 20, [3]))).line).toMatch(/^made anew: 1 of 20 texts as HTML, \d+ of 20 for the search;/);
  });

  it('signs only what no build has signed with the same key, and gives the same signatures', async () => {
    const content = edited(await realContent(), 8, []);
    const signingWith = async (secret: string): Promise<Signing> => ({
      signer: await signerOf(secret),
      today: '2026-11-23',
      validDays: 90,
    });
    const [one, other] = await Promise.all(PRINTED_SECRETS.slice(0, 2).map(signingWith));
    expect((await build(content, one)).line).toContain('16 of 16 signatures');
    const again = await build(edited(content, 8, [3]), one);
    expect(again.line).toContain('2 of 16 signatures');
    const fresh = await makeGeneration(edited(content, 8, [3]), SETTINGS, { signing: one });
    expect(again.generation.version).toBe(fresh.generation.version);
    expect((await build(content, other)).line).toContain('16 of 16 signatures');
  });

  it('makes blocks again that are missing or damaged', async () => {
    const content = edited(await realContent(), 8, []);
    const { generation, store } = await build(content);
    const [reference] = generation.manifest.blocks.articles ?? [];
    for (const damage of [(path: string) => rm(path), (path: string) => writeFile(path, 'damaged')]) {
      await damage(join(folder, '.akg/blocks', reference?.sha256 ?? ''));
      expect((await build(content)).generation.version).toBe(generation.version);
      expect((await store.block(reference?.sha256 ?? ''))?.length).toBe(reference?.bytes);
    }
  });

  it('leaves only blocks in the folder, each once', async () => {
    const { generation } = await build(edited(await realContent(), 8, []));
    expect((await readdir(join(folder, '.akg/blocks'))).sort()).toEqual([...generation.blocks.keys()].sort());
  });
});
