import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { SearchEntry } from '../../../../src/schemas/knowledge/search-entries.ts';
import { rankEntries } from '../../../../src/site/search/rank-entries.ts';

const entry = (path: string, title: string, summary: string, tags?: readonly string[]): SearchEntry => ({
  kind: 'capsule',
  path,
  title,
  summary,
  ...(tags ? { tags } : {}),
});
const ENTRIES = [
  entry('/a', 'Workers KV is eventually consistent', 'A write is seen elsewhere after a minute.', ['cloudflare', 'storage']),
  entry('/b', 'Freshness of responses', 'How long a cache may reuse a response without asking.', ['http']),
  entry('/c', 'Rotating keys', 'An agent replaces its key before the key expires.', ['security']),
  entry('/d', 'Über uns', 'Wer diese Website schreibt, in der Straße der Quellen.'),
  entry('/e', '缓存的新鲜度', '响应可以重用多久。'),
  entry('/f', 'Price list', 'What an agent pays, and how long the price holds.'),
];
const found = (query: string): string[] => rankEntries(query, ENTRIES).map(({ entry: { path } }) => path);

describe('rankEntries()', () => {
  it.each([
    ['kv', ['/a']],
    ['CLOUDFLARE storage', ['/a']],
    ['key', ['/c']],
    ['keys', ['/c']],
    ['cache', ['/b']],
    ['uber', ['/d']],
    ['STRASSE', ['/d']],
    ['新鲜度', ['/e']],
    ['how long may a cache reuse it', ['/b']],
    ['xyzzy', []],
    ['', []],
    ['?!', []],
  ])('finds by %j %j', (query, paths) => {
    expect(found(query)).toEqual(paths);
  });

  it('puts a word of the title before a word of the summary, and rare words before frequent ones', () => {
    expect(found('price')[0]).toBe('/f');
    expect(found('agent key')[0]).toBe('/c');
  });

  it('puts what was withdrawn last, and third where the query is its title or id', () => {
    const withdrawn = { ...entry('/capsules/old-keys', 'Keys never end', 'A key is kept for ever.'), status: 'retracted' as const };
    const others = ['/1', '/2', '/3', '/4'].map((path) => entry(path, 'Keys that never end', 'A key of an agent.'));
    const paths = (query: string) => rankEntries(query, [withdrawn, ...others]).map(({ entry: { path } }) => path);
    expect(paths('never end key').at(-1)).toBe(withdrawn.path);
    for (const query of ['keys never end', 'Keys never end.']) expect(paths(query).indexOf(withdrawn.path)).toBe(2);
  });

  it('takes few bytes of a page: the analysis of texts is not loaded', async () => {
    const entryPoints = [new URL('../../../../src/site/search/rank-entries.ts', import.meta.url).pathname];
    const { outputFiles } = await build({ entryPoints, bundle: true, minify: true, format: 'esm', write: false });
    expect(outputFiles[0]?.contents.length).toBeLessThan(5_000);
  });

  it('ignores a word that no page has, if there are others', () => {
    expect(found('freshness xyzzy')).toEqual(['/b']);
  });

  it('does not take every word for one that begins with a single letter', () => {
    expect(found('i')).toEqual([]);
  });

  it('marks the words of the query in the summary, and loses nothing of it', () => {
    const [first] = rankEntries('rotate the keys', ENTRIES);
    expect(first?.passage.map(({ text }) => text).join('')).toBe(ENTRIES[2]?.summary);
    expect(first?.passage.filter(({ isHighlighted }) => isHighlighted).map(({ text }) => text)).toEqual(['key', 'the', 'key']);
  });
});
