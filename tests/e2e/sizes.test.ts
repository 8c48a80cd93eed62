import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { filesBelow } from '../support/files-below.ts';
import { PUBLICATION } from '../support/paths.ts';

const KILOBYTE = 1_000;

async function filesOf(folder: string, ending: string): Promise<{ path: string; bytes: number }[]> {
  const files = (await filesBelow(join(PUBLICATION, folder))).filter((file) => file.endsWith(ending));
  const paths = files.map((file) => join(folder, file));
  return Promise.all(paths.map(async (path) => ({ path, bytes: (await stat(join(PUBLICATION, path))).size })));
}

/** Budgets of what is sent to readers and run at the edge; the figures are printed. */
describe('sizes', () => {
  it('keeps the functions small', async () => {
    const modules = [...(await filesOf('dist/_worker.js', '.js')), ...(await filesOf('dist/_worker.js', '.wasm'))];
    const texts = await Promise.all(modules.map(({ path }) => readFile(join(PUBLICATION, path))));
    const [raw, compressed] = [texts, texts.map((text) => gzipSync(text))].map((all) => all.reduce((sum, { length }) => sum + length, 0));
    console.log(`functions: ${((raw ?? 0) / KILOBYTE).toFixed(0)} kB, ${((compressed ?? 0) / KILOBYTE).toFixed(0)} kB gzip`);
    // The renderer of Astro, the library of MCP and a markdown parser are a third of it.
    expect(compressed).toBeLessThan(560 * KILOBYTE);
  });

  it('keeps the description for agents at about 15,000 tokens', async () => {
    const { size } = await stat(join(PUBLICATION, 'dist/openapi.agent.json'));
    console.log(`openapi.agent.json: ${size} bytes`);
    expect(size).toBeLessThanOrEqual(60 * KILOBYTE);
  });

  it('keeps every page, the styles, the script and the fonts small', async () => {
    const pages = (await filesOf('dist', '.html')).sort((a, b) => b.bytes - a.bytes);
    const [heaviest] = pages;
    const sum = (files: { bytes: number }[]): number => files.reduce((total, { bytes }) => total + bytes, 0);
    const isOfDialog = ({ path }: { path: string }): boolean => path.includes('/search-dialog.');
    const [css, js] = [await filesOf('dist/_astro', '.css'), await filesOf('dist/_astro', '.js')];
    const bytesOf = new Map([...css, ...js].map(({ path, bytes }) => [path.slice('dist'.length), bytes]));
    const texts = await Promise.all(pages.map(({ path }) => readFile(join(PUBLICATION, path), 'utf8')));
    const loaded = texts.map(
      (text) => new Set([...text.matchAll(/(?:href|src)="([^"]*\/_astro\/[^"]+\.(?:css|js))"/g)].map(([, path]) => path ?? '')),
    );
    const shared = [...(loaded[0] ?? [])].filter((path) => loaded.every((paths) => paths.has(path)));
    const sizeOf = (paths: Iterable<string>, ending: string): number =>
      [...paths].reduce((bytes, path) => bytes + (path.endsWith(ending) ? (bytesOf.get(path) ?? Number.NaN) : 0), 0);
    const own = (ending: string): number => Math.max(...loaded.map((paths) => sizeOf(paths, ending) - sizeOf(shared, ending)));
    const [styles, scripts, fonts] = [sizeOf(shared, '.css'), sizeOf(shared, '.js'), sum(await filesOf('dist/_astro', '.woff2'))];
    const kilobytes = (bytes: number): string => `${(bytes / KILOBYTE).toFixed(1)} kB`;
    console.log(
      `${pages.length} pages; heaviest ${heaviest?.path} ${kilobytes(heaviest?.bytes ?? 0)}; of all pages: styles ${kilobytes(styles)}, scripts ${kilobytes(scripts)}; a page's own at most: ${kilobytes(own('.css'))}, ${kilobytes(own('.js'))}; fonts ${kilobytes(fonts)}`,
    );
    expect(heaviest?.bytes).toBeLessThan(64 * KILOBYTE);
    // One file for all pages: what a text may contain, from notes and tabs to coloured code, formulas and diagrams, is 4 kB of it, the search 2 kB.
    expect(styles).toBeLessThan(34 * KILOBYTE);
    expect(own('.css')).toBeLessThan(8 * KILOBYTE);
    // What loads the search, the choice of colours, the way back to the cart, and tools for an agent in the browser.
    expect(scripts).toBeLessThan(4.1 * KILOBYTE);
    // The verification panel, or what another type of page needs.
    expect(own('.js')).toBeLessThan(9 * KILOBYTE);
    expect(fonts).toBeLessThan(100 * KILOBYTE);
    // What the first key of a search loads, without blocks of the index. The quick way through texts of Chinese, Japanese and Korean is 0.3 kB of it.
    const dialog = [...js, ...css].filter(isOfDialog).concat(await filesOf('dist/_astro', '.wasm'));
    const parts = await Promise.all(dialog.map(({ path }) => readFile(join(PUBLICATION, path))));
    const compressed = parts.reduce((bytes, text) => bytes + gzipSync(text).length, 0);
    console.log(`search dialog: ${(compressed / KILOBYTE).toFixed(1)} kB gzip`);
    expect(parts.length).toBe(3);
    expect(compressed).toBeLessThan(60.5 * KILOBYTE);
  });
});
