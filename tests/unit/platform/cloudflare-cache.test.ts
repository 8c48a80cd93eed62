import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemRuntime } from '../../../src/platform/clock-and-deadlines.ts';
import { locationBlocks, locationDocuments } from '../../../src/platform/cloudflare-cache.ts';

const DOCUMENT = { contentType: 'text/html; charset=utf-8', body: '<p>Täxt</p>', etag: '"abc"' };

function stubCache(): Map<string, Response> {
  const kept = new Map<string, Response>();
  const put = async (address: string, response: Response): Promise<void> => void kept.set(address, response);
  const remove = async (address: string): Promise<boolean> => kept.delete(address);
  vi.stubGlobal('caches', { default: { match: async (address: string) => kept.get(address)?.clone(), put, delete: remove } });
  return kept;
}

const documentsOf = (scope: string) => locationDocuments(`https://site.example/${scope}`, systemRuntime.timers);

afterEach(() => vi.unstubAllGlobals());

describe('locationDocuments()', () => {
  it('is absent where there is no cache', () => {
    vi.stubGlobal('caches', undefined);
    expect(documentsOf('a')).toBeUndefined();
  });

  it('returns what was written, for a day, and to no other deployment', async () => {
    const kept = stubCache();
    await documentsOf('a')?.write('/capsules/x', DOCUMENT);
    expect([...kept.keys()]).toEqual(['https://site.example/a/capsules/x']);
    expect(kept.get('https://site.example/a/capsules/x')?.headers.get('cache-control')).toBe('public, max-age=86400');
    expect(await documentsOf('a')?.read('/capsules/x')).toEqual(DOCUMENT);
    expect(await documentsOf('b')?.read('/capsules/x')).toBeUndefined();
    expect(await documentsOf('a')?.read('/capsules/y')).toBeUndefined();
  });

  it('takes a cache that fails, or does not respond in time, for one without the document', async () => {
    const over = Promise.resolve();
    const timers = { wait: () => ({ over, cancel: () => undefined }) };
    vi.stubGlobal('caches', { default: { match: () => Promise.reject(new Error('broken')) } });
    expect(await documentsOf('a')?.read('/capsules/x')).toBeUndefined();
    vi.stubGlobal('caches', { default: { match: () => new Promise(() => undefined) } });
    expect(await locationDocuments('https://site.example/a', timers)?.read('/capsules/x')).toBeUndefined();
  });
});

describe('locationBlocks()', () => {
  const SHA256 = 'a'.repeat(64);
  const BYTES = Uint8Array.of(0, 255, 10, 128);
  const blocks = () => locationBlocks('https://site.example/_location/', systemRuntime.timers);

  it('is absent where there is no cache', () => {
    vi.stubGlobal('caches', undefined);
    expect(blocks()).toBeUndefined();
  });

  it('writes when it is told to, once, for every isolate of the location, and forgets what is removed', async () => {
    const kept = stubCache();
    const [one, other] = [blocks(), blocks()];
    one?.write(SHA256, BYTES);
    expect([kept.size, await one?.read(SHA256)]).toEqual([0, undefined]);
    await one?.flush();
    expect([...kept.keys()]).toEqual([`https://site.example/_location/${SHA256}`]);
    expect([await one?.read(SHA256), await other?.read(SHA256)]).toEqual([BYTES, BYTES]);
    await other?.remove(SHA256);
    await one?.flush();
    expect(await one?.read(SHA256)).toBeUndefined();
    one?.write(SHA256, BYTES);
    await one?.remove(SHA256);
    await one?.flush();
    expect(kept.size).toBe(0);
  });

  it('takes every failure for a missing block', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('broken'));
    vi.stubGlobal('caches', { default: { match: fail, put: fail, delete: fail } });
    const broken = blocks();
    broken?.write(SHA256, BYTES);
    await broken?.flush();
    await broken?.remove(SHA256);
    expect(await broken?.read(SHA256)).toBeUndefined();
    const timers = { wait: () => ({ over: Promise.resolve(), cancel: () => undefined }) };
    vi.stubGlobal('caches', { default: { match: () => new Promise(() => undefined) } });
    expect(await locationBlocks('https://site.example/', timers)?.read(SHA256)).toBeUndefined();
  });
});
