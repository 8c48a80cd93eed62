import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BlockReads, blockKey, kvBlockStore } from '../../../src/platform/block-stores.ts';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import type { BlockReference } from '../../../src/schemas/knowledge/generation-manifest.ts';
import { type LocalKv, startLocalKv } from '../../support/local-kv.ts';
import { simulatedKeyValue } from '../../support/simulated/key-value.ts';
import { SimulatedTime } from '../../support/simulated/time.ts';

let kv: LocalKv;
beforeAll(async () => {
  kv = await startLocalKv();
});
afterAll(() => kv.stop());

interface Binding extends BlockReads {
  put(key: string, value: Uint8Array): Promise<void>;
}

function counted() {
  const binding = kv.binding<Binding>();
  const asked: number[] = [];
  const lifetimes: number[] = [];
  const counting = {
    get: (keys: string | string[], options: { type: 'text' | 'arrayBuffer'; cacheTtl: number }) => {
      asked.push(Array.isArray(keys) ? keys.length : 1);
      lifetimes.push(options.cacheTtl);
      return (binding.get as (keys: unknown, options: unknown) => Promise<unknown>)(keys, options);
    },
  };
  return { store: kvBlockStore(counting as unknown as BlockReads), asked, lifetimes };
}

async function put(value: Uint8Array): Promise<BlockReference> {
  const sha256 = await sha256Hex(value);
  await kv.binding<Binding>().put(blockKey(sha256), value);
  return { sha256, bytes: value.length };
}

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

describe('kvBlockStore()', () => {
  it('reads several blocks of text in one operation, without missing ones', async () => {
    const values = ['["a"]\n{"x":"Grüße, 日本 🎈"}\n', '["b"]\n"\\u0000 \u2028"\n', '["bom"]\n"\ufeff"\n'].map(text);
    const references = await Promise.all(values.map(put));
    const missing = { sha256: '0'.repeat(64), bytes: 5 };
    const { store, asked, lifetimes } = counted();
    const found = await store.readMany?.([...references, missing]);
    expect(found?.size).toBe(3);
    for (const [at, { sha256 }] of references.entries()) expect(found?.get(sha256)).toEqual(values[at]);
    expect([asked, lifetimes]).toEqual([
      [4, 1],
      [86_400, 30],
    ]);
  });

  it('reads a single block as bytes', async () => {
    const bytes = Uint8Array.from([0, 255, 254, 10, 128]);
    const reference = await put(bytes);
    const { store, asked } = counted();
    expect(await store.read(reference.sha256)).toEqual(bytes);
    expect((await store.readMany?.([reference]))?.get(reference.sha256)).toEqual(bytes);
    expect(asked).toEqual([1, 1]);
  });

  it('rereads a missing block past a cached miss', async () => {
    const time = new SimulatedTime(0);
    const namespace = simulatedKeyValue(time, { missing: 'cacheTtl' });
    const store = kvBlockStore(namespace.binding('one') as BlockReads);
    const [block, other] = [text('block'), text('other')];
    const [first, second] = await Promise.all([block, other].map(sha256Hex));
    const references = [first, second].map((sha256 = '') => ({ sha256, bytes: 5 }));
    expect([await store.read(first ?? ''), (await store.readMany?.(references))?.size]).toEqual([undefined, 0]);
    namespace.fill([block, other].map((bytes, at) => [blockKey(references[at]?.sha256 ?? ''), bytes] as const));
    await time.advance(61_000);
    expect([await store.read(first ?? ''), (await store.readMany?.(references))?.size]).toEqual([block, 2]);
  });

  it('reads at most 100 keys and 24 MiB at a time', async () => {
    const references = await Promise.all(Array.from({ length: 230 }, (_, number) => put(text(`block ${number}`))));
    const many = counted();
    expect((await many.store.readMany?.(references))?.size).toBe(230);
    expect(many.asked.sort((a, b) => a - b)).toEqual([30, 100, 100]);
    const large = counted();
    await large.store.readMany?.(references.slice(0, 5).map((reference) => ({ ...reference, bytes: 10 * 1024 * 1024 })));
    expect(large.asked.sort((a, b) => a - b)).toEqual([1, 2, 2]);
  });
});
