import { afterEach, describe, expect, it, vi } from 'vitest';
import { locationDocuments } from '../../../src/platform/document-cache.ts';
import { systemRuntime } from '../../../src/platform/runtime.ts';

const DOCUMENT = { contentType: 'text/html; charset=utf-8', body: '<p>Täxt</p>', etag: '"abc"' };

/** A cache as workerd has it, over a map. */
function stubCache(): Map<string, Response> {
  const kept = new Map<string, Response>();
  const put = async (address: string, response: Response): Promise<void> => void kept.set(address, response);
  vi.stubGlobal('caches', { default: { match: async (address: string) => kept.get(address)?.clone(), put } });
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
