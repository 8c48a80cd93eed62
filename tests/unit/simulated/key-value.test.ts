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

  it('lists page by page', async () => {
    const store = simulatedKeyValue(new SimulatedTime(0));
    store.fill(Array.from({ length: 5 }, (_, at) => [`k${at}`, text('x')] as const));
    const first = await store.binding(HERE).list({ limit: 3 });
    const second = await store.binding(HERE).list({ limit: 3, cursor: first.cursor ?? '' });
    expect([first.keys.length, first.list_complete, second.keys.map(({ name }) => name), second.list_complete]).toEqual([
      3,
      false,
      ['k3', 'k4'],
      true,
    ]);
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

  it('keeps the lack of a value for as long as a reader says, if it is told to', async () => {
    const time = new SimulatedTime(0);
    const store = simulatedKeyValue(time, { missing: 'cacheTtl' });
    const read = (): Promise<string | null> => store.binding(HERE).get('new', { type: 'text', cacheTtl: 3_600 });
    expect(await read()).toBe(null);
    await store.binding(HERE).put('new', 'one');
    await time.advance(3_599_000);
    expect(await read()).toBe(null);
    await time.advance(1_000);
    expect(await read()).toBe('one');
  });

  it('shows a write in a location once it has arrived there', async () => {
    const time = new SimulatedTime(0);
    const store = simulatedKeyValue(time, { propagationMs: (_, location) => (location === THERE ? 45_000 : 0) });
    await store.binding(HERE).put('k', 'v');
    expect(await store.binding(HERE).get('k')).toBe('v');
    await time.advance(45_000);
    expect(await store.binding(THERE).get('k')).toBe('v');
  });

  it('takes one write of a key a second', async () => {
    const time = new SimulatedTime(0);
    const here = simulatedKeyValue(time).binding(HERE);
    await here.put('k', 'one');
    await expect(here.put('k', 'two')).rejects.toThrow('429');
    await here.put('other', 'two');
    await time.advance(1_000);
    await here.put('k', 'three');
    expect(await here.get('k')).toBe('three');
  });
});
