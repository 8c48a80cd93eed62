import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { BuildCache, type CachedResults, digestOf } from '../../../src/publication/build-cache.ts';
import { temporaryFolder } from './content-world.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

interface Result {
  readonly text: string;
  readonly terms?: Uint32Array;
}

/** One run of a program: what it asks for, and what it makes because it is not there. */
function run(names: readonly string[], { madeBy = 'engine 1', saves = true } = {}): string[] {
  const kept = new BuildCache(folder, madeBy);
  const results = kept.results<Result>('texts');
  const made: string[] = [];
  for (const name of names) {
    const known = results.get(name);
    if (known === undefined) {
      made.push(name);
      results.set(name, { text: name.repeat(100) });
    } else expect(known.text).toBe(name.repeat(100));
  }
  if (saves) kept.save();
  kept.close();
  return made;
}

/** Another run, which does as `work` says and stores it. */
function runWith(work: (results: CachedResults<Result>) => void): void {
  const kept = new BuildCache(folder, 'engine 1');
  work(kept.results('texts'));
  kept.save();
  kept.close();
}

async function packs(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `text ${index}`);

describe('results of earlier builds', () => {
  it('are there in the next run, also typed arrays and bytes', () => {
    const first = new BuildCache(folder, 'engine 1');
    first.results<Result>('texts').set('a', { text: 'A', terms: new Uint32Array([1, 2, 3]) });
    first.results<Uint8Array>('pages').set('a', new Uint8Array([4, 5]));
    first.save();
    const second = new BuildCache(folder, 'engine 1');
    expect(second.results<Result>('texts').get('a')).toEqual({ text: 'A', terms: new Uint32Array([1, 2, 3]) });
    expect([...(second.results<Uint8Array>('pages').get('a') ?? [])]).toEqual([4, 5]);
    expect(second.results<Result>('texts').get('b')).toBeUndefined();
  });

  it('are made again where they are of other code', () => {
    expect(run(['a', 'b'])).toEqual(['a', 'b']);
    expect(run(['a', 'b'])).toEqual([]);
    expect(run(['a', 'b'], { madeBy: 'engine 2' })).toEqual(['a', 'b']);
    expect(run(['a', 'b'])).toEqual(['a', 'b']);
  });

  it('of an edit are one small file more', async () => {
    run(many(1_000));
    const before = await packs();
    run([...many(1_000), 'edited']);
    const added = (await packs()).filter((file) => !before.includes(file));
    expect(added).toHaveLength(1);
    expect((await stat(added[0] ?? '')).size).toBeLessThan(2_000);
  });

  it('do not fill the folder with results that are not read', async () => {
    for (let edit = 0; edit < 40; edit += 1) run([...many(20), `edit ${edit}`]);
    const files = await packs();
    expect(files.length).toBeLessThanOrEqual(8);
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2.5 * 21 * 1_000);
    expect(run(many(20))).toEqual([]);
  });

  it('stay in a run that only adds others', async () => {
    run(many(20));
    for (let edit = 0; edit < 20; edit += 1) runWith((results) => results.set(`edit ${edit}`, { text: 'x'.repeat(10_000) }));
    expect((await packs()).length).toBeLessThanOrEqual(8);
    expect(run(many(20))).toEqual([]);
  });

  it('count as read where only their presence was asked', () => {
    run(many(10));
    for (let edit = 0; edit < 20; edit += 1)
      runWith((results) => {
        expect(many(10).every((name) => results.has(name))).toBe(true);
        results.set(`edit ${edit}`, { text: 'x'.repeat(10_000) });
      });
    expect(run(many(10))).toEqual([]);
  });

  it('of a run that ends early are not there, and leave nothing wrong', async () => {
    run(['a']);
    const kept = new BuildCache(folder, 'engine 1');
    kept.results<Result>('texts').set('b', { text: 'x'.repeat(3_000_000) });
    const [unfinished] = (await packs()).filter((file) => file.endsWith('.tmp'));
    expect(unfinished).toBeDefined();
    // Of a process that has ended.
    await writeFile(`${unfinished?.replace(/\.\d+\.tmp$/, '')}.4194305.tmp`, 'half a pack');
    expect(run(['a', 'b'])).toEqual(['b']);
    expect((await packs()).filter((file) => file.endsWith('.4194305.tmp'))).toEqual([]);
    kept.close();
    expect((await packs()).filter((file) => file.endsWith('.tmp'))).toEqual([]);
  });

  it('of two runs at once do not harm each other', () => {
    run(many(50));
    const one = new BuildCache(folder, 'engine 1');
    const other = new BuildCache(folder, 'engine 1');
    const [first, second] = [one.results<Result>('texts'), other.results<Result>('texts')];
    first.set('b', { text: 'B' });
    second.set('b', { text: 'B' });
    second.set('c', { text: 'C' });
    // The first run asked for one of fifty: it drops the others, which the second one still reads.
    first.get('text 1');
    one.save();
    expect(many(50).every((name) => second.get(name)?.text === name.repeat(100))).toBe(true);
    other.save();
    const next = new BuildCache(folder, 'engine 1').results<Result>('texts');
    expect([next.get('b')?.text, next.get('c')?.text, next.get('text 1')?.text]).toEqual(['B', 'C', 'text 1'.repeat(100)]);
  });

  it.each([0, 1, 7, 8, 20, 60, 300, 2_000])('are absent from a pack that was cut after %i bytes', async (length) => {
    run(['a', 'b', 'c']);
    const [file = ''] = await packs();
    await truncate(file, Math.min(length, (await stat(file)).size - 1));
    run(['a', 'b', 'c']);
    expect(run(['a', 'b', 'c'])).toEqual([]);
    expect(await packs()).toHaveLength(1);
  });

  it('are never wrong, whatever byte of a pack is flipped', async () => {
    run(['a', 'b', 'c']);
    const [file = ''] = await packs();
    const bytes = await readFile(file);
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      await writeFile(file, damaged);
      run(['a', 'b', 'c'], { saves: false });
    }
  });

  it('are made again where a folder cannot be written', async () => {
    await writeFile(join(folder, 'file'), 'not a folder');
    const kept = new BuildCache(join(folder, 'file'), 'engine 1');
    const results = kept.results<Result>('texts');
    results.set('a', { text: 'A' });
    expect(() => kept.save()).not.toThrow();
    expect(results.get('a')).toBeUndefined();
  });

  it('have other names for other parts', () => {
    const digests = [digestOf('ab'), digestOf('a', 'b'), digestOf('b', 'a'), digestOf('', 'ab'), digestOf('ab', ''), digestOf()];
    expect(new Set(digests).size).toBe(digests.length);
    expect(digestOf('ü', 'b')).toBe(digestOf(new TextEncoder().encode('ü'), 'b'));
  });
});
