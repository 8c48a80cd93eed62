import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PUBLICATION } from '../support/paths.ts';

const KILOBYTE = 1_000;

async function filesOf(folder: string, ending: string): Promise<{ path: string; bytes: number }[]> {
  const entries = await readdir(join(PUBLICATION, folder), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile() && entry.name.endsWith(ending)).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(paths.map(async (path) => ({ path: path.slice(PUBLICATION.length + 1), bytes: (await stat(path)).size })));
}

/** Budgets of what is sent to readers and run at the edge; the figures are printed. */
describe('sizes', () => {
  it('keeps the functions small', async () => {
    const modules = [...(await filesOf('dist/_worker.js', '.js')), ...(await filesOf('dist/_worker.js', '.wasm'))];
    const texts = await Promise.all(modules.map(({ path }) => readFile(join(PUBLICATION, path))));
    const [raw, compressed] = [texts, texts.map((text) => gzipSync(text))].map((all) => all.reduce((sum, { length }) => sum + length, 0));
    console.log(`functions: ${((raw ?? 0) / KILOBYTE).toFixed(0)} kB, ${((compressed ?? 0) / KILOBYTE).toFixed(0)} kB gzip`);
    // A markdown parser and the renderer of Astro are half of it.
    expect(compressed).toBeLessThan(640 * KILOBYTE);
  });

  it('keeps every page, the styles, the script and the fonts small', async () => {
    const pages = (await filesOf('dist', '.html')).sort((a, b) => b.bytes - a.bytes);
    const [heaviest] = pages;
    const sum = (files: { bytes: number }[]): number => files.reduce((total, { bytes }) => total + bytes, 0);
    const isOfDialog = ({ path }: { path: string }): boolean => path.includes('/search-dialog.');
    const [css, js] = [await filesOf('dist/_astro', '.css'), await filesOf('dist/_astro', '.js')];
    const withoutDialog = (files: { path: string; bytes: number }[]): number => sum(files.filter((file) => !isOfDialog(file)));
    const [styles, scripts, fonts] = [withoutDialog(css), withoutDialog(js), sum(await filesOf('dist/_astro', '.woff2'))];
    console.log(
      `${pages.length} pages; heaviest ${heaviest?.path} ${((heaviest?.bytes ?? 0) / KILOBYTE).toFixed(1)} kB; styles ${(styles / KILOBYTE).toFixed(1)} kB, scripts ${(scripts / KILOBYTE).toFixed(1)} kB, fonts ${(fonts / KILOBYTE).toFixed(1)} kB`,
    );
    expect(heaviest?.bytes).toBeLessThan(64 * KILOBYTE);
    // One file for all pages: what a text may contain, from notes to coloured code, formulas and diagrams, is 3.4 kB of it, the search 2 kB.
    expect(styles).toBeLessThan(33.5 * KILOBYTE);
    // The verification panel, the tools for agents, and what loads the search, each a script.
    expect(scripts).toBeLessThan(9.5 * KILOBYTE);
    expect(fonts).toBeLessThan(100 * KILOBYTE);
    // What the first key of a search loads, without blocks of the index.
    const dialog = [...js, ...css].filter(isOfDialog).concat(await filesOf('dist/_astro', '.wasm'));
    const texts = await Promise.all(dialog.map(({ path }) => readFile(join(PUBLICATION, path))));
    const compressed = texts.reduce((bytes, text) => bytes + gzipSync(text).length, 0);
    console.log(`search dialog: ${(compressed / KILOBYTE).toFixed(1)} kB gzip`);
    expect(texts.length).toBe(3);
    expect(compressed).toBeLessThan(60 * KILOBYTE);
  });
});
