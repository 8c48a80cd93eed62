import { describe, expect, test } from 'vitest';
import { BlockCache, BlockLoader, BlockUnavailableError } from '../../../../src/gateway/knowledge/load-block.ts';
import { sha256Hex } from '../../../../src/provenance/bytes-and-sha256.ts';
import type { BlockReference } from '../../../../src/schemas/knowledge/generation-manifest.ts';
import { batchingStore } from '../real-generation.ts';

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function blocksOf<const Texts extends readonly string[]>(...texts: Texts) {
  const values = texts.map((text) => new TextEncoder().encode(text));
  const digests = await Promise.all(values.map((value) => sha256Hex(value)));
  const references = digests.map((sha256, at) => ({ sha256, bytes: values[at]?.length ?? 0 }));
  return {
    references: references as { [Place in keyof Texts]: BlockReference },
    blocks: new Map<string, Uint8Array>(digests.map((sha256, at) => [sha256, values[at] ?? new Uint8Array()])),
  };
}

function counted(blocks: ReadonlyMap<string, Uint8Array>) {
  const store = batchingStore(blocks);
  return { loader: new BlockLoader(store, new BlockCache(1_000_000)), operations: store.operations };
}

describe('BlockLoader.loadTexts()', () => {
  test('reads what the cache lacks in one operation, each block once, and keeps it', async () => {
    const { references, blocks } = await blocksOf('a', 'b', 'c');
    const [a, b, c] = references;
    const { loader, operations } = counted(blocks);
    expect(await loader.load(a, 'sha256', decode)).toBe('a');
    expect(await loader.loadTexts([b, a, c, b], decode)).toEqual(['b', 'a', 'c', 'b']);
    expect(operations).toEqual([[a.sha256], [b.sha256, c.sha256]]);
    expect(await loader.loadTexts([c, a], decode)).toEqual(['c', 'a']);
    expect(await loader.loadTexts([], decode)).toEqual([]);
    expect(operations).toHaveLength(2);
  });

  test('asks for a block once however many ask for it at once, alone or among others', async () => {
    const { references, blocks } = await blocksOf('a', 'b', 'c');
    const { loader, operations } = counted(blocks);
    await Promise.all(Array.from({ length: 20 }, (_, number) => loader.loadTexts(references.slice(number % 3), decode)));
    expect(operations.flat().sort()).toEqual([...blocks.keys()].sort());
  });

  test('tells of a missing and of a changed block, keeps neither, and keeps the others', async () => {
    const { references, blocks } = await blocksOf('a', 'b', 'c');
    const [a, b, c] = references;
    const stored = new Map(blocks);
    stored.delete(a.sha256);
    stored.set(b.sha256, new TextEncoder().encode('x'));
    const { loader, operations } = counted(stored);
    const outcomes = await Promise.allSettled([[a], [b], [c]].map((wanted) => loader.loadTexts(wanted, decode)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await expect(loader.loadTexts([a, c], decode)).rejects.toBeInstanceOf(BlockUnavailableError);
    stored.set(a.sha256, blocks.get(a.sha256) as Uint8Array);
    operations.length = 0;
    expect(await loader.loadTexts([a, c], decode)).toEqual(['a', 'c']);
    expect(operations).toEqual([[a.sha256]]);
  });

  test('is unavailable while the store is', async () => {
    const { references } = await blocksOf('a', 'b');
    const loader = new BlockLoader(
      { read: async () => undefined, readMany: () => Promise.reject(new Error('down')) },
      new BlockCache(1_000),
    );
    await expect(loader.loadTexts(references, decode)).rejects.toBeInstanceOf(BlockUnavailableError);
  });
});

describe('BlockLoader over the cache of a location', () => {
  function location(blocks: ReadonlyMap<string, Uint8Array>) {
    const near = new Map<string, Uint8Array>();
    const store = batchingStore(blocks);
    const entries = {
      read: async (sha256: string) => near.get(sha256),
      write: (sha256: string, bytes: Uint8Array) => void near.set(sha256, bytes),
      remove: async (sha256: string) => void near.delete(sha256),
    };
    return { near, operations: store.operations, isolate: () => new BlockLoader(store, new BlockCache(1_000_000), entries) };
  }

  test('reads the store once for all isolates, alone or in one operation', async () => {
    const { references, blocks } = await blocksOf('a', 'b', 'c');
    const [a, b, c] = references;
    const { operations, isolate } = location(blocks);
    expect(await isolate().load(a, 'sha256', decode)).toBe('a');
    expect(await isolate().loadTexts([b, a, c, b], decode)).toEqual(['b', 'a', 'c', 'b']);
    expect(await isolate().loadTexts([c, a], decode)).toEqual(['c', 'a']);
    expect(await isolate().load(b, 'sha256', decode)).toBe('b');
    expect(operations).toEqual([[a.sha256], [b.sha256, c.sha256]]);
  });

  test('takes what is damaged or foreign there for missing, and replaces it', async () => {
    const { references, blocks } = await blocksOf('a', 'b');
    const [a, b] = references;
    const { near, operations, isolate } = location(blocks);
    near.set(a.sha256, new TextEncoder().encode('x')).set(b.sha256, new TextEncoder().encode('<h1>Not found</h1>'));
    expect(await isolate().loadTexts([a, b], decode)).toEqual(['a', 'b']);
    near.set(a.sha256, new Uint8Array());
    expect(await isolate().load(a, 'sha256', decode)).toBe('a');
    expect(operations).toEqual([[a.sha256, b.sha256], [a.sha256]]);
    expect([...near]).toEqual([...blocks]);
  });

  test('keeps nothing that is damaged in the store, cannot be decoded, or is sold', async () => {
    const { references, blocks } = await blocksOf('a', 'b', 'c');
    const [a, b, c] = references;
    const { near, operations, isolate } = location(new Map([...blocks, [a.sha256, new TextEncoder().encode('x')]]));
    await expect(isolate().load(a, 'sha256', decode)).rejects.toThrow('is damaged');
    const fail = (): never => {
      throw new Error('of another format');
    };
    await expect(isolate().load(b, 'sha256', fail)).rejects.toThrow('does not match');
    expect(await isolate().load(c, 'sha256', decode, true)).toBe('c');
    expect(near.size).toBe(0);
    near.set(c.sha256, blocks.get(c.sha256) as Uint8Array);
    expect(await isolate().load(c, 'sha256', decode, true)).toBe('c');
    expect(operations.map(([name]) => name)).toEqual([a, b, c, c].map(({ sha256 }) => sha256));
  });
});
