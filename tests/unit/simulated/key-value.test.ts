import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalKv, startLocalKv } from '../../support/local-kv.ts';
import { simulatedKeyValue } from '../../support/simulated/key-value.ts';
import { SimulatedTime } from '../../support/simulated/time.ts';

let kv: LocalKv;
beforeAll(async () => {
  kv = await startLocalKv();
});
afterAll(() => kv.stop());

const HERE = 'here';
const THERE = 'there';
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('a simulated KV namespace', () => {
  it('gives bytes, text and several at once as the real one does', async () => {
    const entries = [
      ['a', text('Grüße')],
      ['b', Uint8Array.of(0, 255, 254, 128)],
      ['c/1', text('\ufeffmark')],
      ['c/2', text('')],
    ] as const;
    const real = kv.binding<KVNamespace>();
    const time = new SimulatedTime(0);
    const simulated = simulatedKeyValue(time).binding(HERE);
    for (const namespace of [real, simulated]) for (const [key, value] of entries) await namespace.put(key, value);
    const look = async (namespace: KVNamespace): Promise<unknown[]> => [
      await Promise.all(
        entries.map(async ([key]) => [...new Uint8Array((await namespace.get(key, { type: 'arrayBuffer' })) ?? new ArrayBuffer(9))]),
      ),
      await namespace.get('a'),
      await namespace.get('b', { type: 'text' }),
      await namespace.get('c/1'),
      await namespace.get('nothing', { type: 'arrayBuffer' }),
      [...(await namespace.get(['a', 'b', 'c/1', 'c/2', 'nothing'], { type: 'text', cacheTtl: 86_400 }))],
      (await namespace.list({ prefix: 'c/' })).keys.map(({ name }) => name),
      (await namespace.list({ limit: 2 })).list_complete,
    ];
    expect(await look(simulated)).toEqual(await look(real));
    const tooMany = Array.from({ length: 101 }, (_, at) => `k${at}`);
    for (const namespace of [real, simulated]) await expect(namespace.get(tooMany, { type: 'text' })).rejects.toThrow(/GET_BULK.*400/);
  });

  it('keeps values and the lack of them in a location for a minute, and values for as long as a reader says', async () => {
    const time = new SimulatedTime(0);
    const store = simulatedKeyValue(time);
    const here = store.binding(HERE);
    const read = (key: string): Promise<string | null> => here.get(key, { type: 'text' });
    await here.put('old', 'one');
    expect([await read('old'), await read('new')]).toEqual(['one', null]);
    await time.advance(30_000);
    await store.binding(THERE).put('old', 'two');
    await store.binding(THERE).put('new', 'two');
    expect([await read('old'), await read('new')]).toEqual(['one', null]);
    expect(await store.binding(THERE).get('old')).toBe('two');
    await time.advance(30_000);
    expect([await read('old'), await read('new')]).toEqual(['two', 'two']);
    const patient = (): Promise<string | null> => here.get('old', { type: 'text', cacheTtl: 86_400 });
    await here.delete('old');
    await time.advance(86_300_000);
    expect(await patient()).toBe('two');
    await time.advance(100_000);
    expect(await patient()).toBe(null);
  });
});
