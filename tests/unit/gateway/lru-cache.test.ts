import { describe, expect, it } from 'vitest';
import { LruCache } from '../../../src/gateway/memory-caches.ts';

describe('LruCache', () => {
  it('gives what was kept under a key, and nothing under another', () => {
    const values = new LruCache<string, object>(10);
    const value = {};
    values.set('a', value);
    expect(values.get('a')).toBe(value);
    expect(values.get('b')).toBeUndefined();
  });

  it('forgets what was not used for longest once the sizes are above the bound together', () => {
    const values = new LruCache<string, number>(250);
    values.set('a', 1, 100);
    values.set('b', 2, 100);
    values.get('a');
    values.set('c', 3, 100);
    expect([values.get('a'), values.get('b'), values.get('c')]).toEqual([1, undefined, 3]);
  });

  it('counts the size of what is replaced no more', () => {
    const values = new LruCache<string, number>(250);
    values.set('a', 1, 200);
    values.set('a', 2, 100);
    values.set('b', 3, 150);
    expect([values.get('a'), values.get('b')]).toEqual([2, 3]);
    values.set('c', 4, 1);
    expect([values.get('a'), values.get('b'), values.get('c')]).toEqual([undefined, 3, 4]);
  });

  it('keeps the newest value even if it exceeds the bound alone, until the next one is stored', () => {
    const values = new LruCache<string, number>(10);
    values.set('before', 0);
    values.set('large', 1, 11);
    expect([values.get('before'), values.get('large')]).toEqual([undefined, 1]);
    values.set('small', 2, 10);
    expect([values.get('large'), values.get('small')]).toEqual([undefined, 2]);
  });

  it('never evicts values without weight', () => {
    const values = new LruCache<string, number>(1);
    values.set('loading', 0, 0);
    values.set('a', 1);
    values.set('b', 2);
    expect([values.get('loading'), values.get('a'), values.get('b')]).toEqual([0, undefined, 2]);
    values.delete('loading');
    expect(values.get('loading')).toBeUndefined();
  });
});
