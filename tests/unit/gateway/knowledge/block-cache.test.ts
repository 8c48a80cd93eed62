import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BlockCache } from '../../../../src/gateway/knowledge/load-block.ts';
import { SimulatedTime } from '../../../support/simulated/time.ts';

describe('BlockCache', () => {
  test('loads a key once for everybody who asks at once, and not again afterwards', async () => {
    const cache = new BlockCache(100);
    let loads = 0;
    const get = (): Promise<string> => cache.get('a', async () => ({ value: `load ${++loads}`, bytes: 10 }));
    expect(new Set(await Promise.all(Array.from({ length: 50 }, get)))).toEqual(new Set(['load 1']));
    expect(await get()).toBe('load 1');
  });

  test('does not keep a load that failed, and tells everybody who waited', async () => {
    const cache = new BlockCache(100);
    let tries = 0;
    const load = async (): Promise<{ value: number; bytes: number }> => {
      tries += 1;
      if (tries === 1) throw new Error('down');
      return { value: tries, bytes: 1 };
    };
    const first = await Promise.allSettled([cache.get('a', load), cache.get('a', load)]);
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(tries).toBe(1);
    expect(await cache.get('a', load)).toBe(2);
    expect(await cache.get('a', load)).toBe(2);
  });

  test('does not keep a load that throws at once', async () => {
    const cache = new BlockCache(100);
    expect(() =>
      cache.get('a', () => {
        throw new RangeError('at once');
      }),
    ).toThrow(RangeError);
    expect(await cache.get('a', async () => ({ value: 1, bytes: 1 }))).toBe(1);
  });

  test('waits two seconds for what another caller is loading, which on Cloudflare is never over if its client went away', async () => {
    const time = new SimulatedTime(0);
    const cache = new BlockCache(100, time.timers);
    let loads = 0;
    const load = async (): Promise<{ value: number; bytes: number }> => {
      loads += 1;
      return loads === 1 ? new Promise<never>(() => undefined) : { value: loads, bytes: 1 };
    };
    void cache.get('a', load);
    const waiting = Array.from({ length: 5 }, () => cache.get('a', load));
    expect(await time.run(Promise.all(waiting))).toEqual([2, 2, 2, 2, 2]);
    expect([time.nowMs, loads]).toEqual([2_000, 2]);
    expect(await cache.get('a', load)).toBe(2);
    expect(time.nowMs).toBe(2_000);
  });

  test('keeps at most its bytes and the newest block, for any sequence of keys', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.tuple(fc.constantFrom(...'abcdefgh'), fc.integer({ min: 1, max: 40 })), { maxLength: 60, size: 'max' }),
        async (maxBytes, asked) => {
          const cache = new BlockCache(maxBytes);
          const sizes = new Map(asked.map(([key, bytes]) => [key, bytes]));
          const kept = new Map<string, number>();
          const weight = (): number => [...kept.values()].reduce((sum, bytes) => sum + bytes, 0);
          for (const [key] of asked) {
            const bytes = sizes.get(key) ?? 0;
            // A block that is found becomes the newest only while more than half of the bytes are used.
            const moves = 2 * weight() > maxBytes;
            await cache.get(key, async () => ({ value: key, bytes }));
            if (kept.has(key) && !moves) continue;
            kept.delete(key);
            kept.set(key, bytes);
            for (const oldest of kept.keys()) {
              if (oldest === key || weight() <= maxBytes) break;
              kept.delete(oldest);
            }
          }
          const hits: string[] = [];
          for (const key of [...kept.keys()].reverse()) {
            let loaded = false;
            await cache.get(key, async () => {
              loaded = true;
              return { value: key, bytes: 0 };
            });
            if (!loaded) hits.push(key);
          }
          expect(hits).toEqual([...kept.keys()].reverse());
        },
      ),
      { numRuns: 1000 },
    );
  });
});
