import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { PUBLIC_FOLDER } from '../../publication/appearance/check-look.ts';
import { pageMarkdownPath } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { type Brand, readBrand } from '../../site/brand/read-brand.ts';
import { pageMarkdown } from './page-markdown.ts';

/** Pages that Astro has written. */
interface MadePages {
  /** Folder of the site. */
  readonly folder: string;
  /** Addresses of the pages. */
  readonly pages: readonly string[];
  /** Days of the last changes of pages, `YYYY-MM-DD`, by address. */
  readonly changes: ReadonlyMap<string, string>;
  /** Addresses of documents, which no file of the publication replaces: digests and headers are of theirs. */
  readonly documents: ReadonlySet<string>;
}

/** What a publication shows of itself on every page, and what finishes a site once Astro has written its pages: markdown twins, icons, and `public/`. */
export async function openPages(
  root: string,
  publisher: Publisher,
): Promise<{ readonly brand: Brand; readonly finish: (made: MadePages) => Promise<void> }> {
  const { brand, files } = await readBrand(root, publisher);
  return {
    brand,
    finish: async ({ folder, pages, changes, documents }) => {
      await writeTwins(folder, pages, changes);
      for (const [path, bytes] of files) await writeAt(folder, path, bytes);
      // The publication's own files win over pages.
      const own = join(root, PUBLIC_FOLDER);
      const isPublished = (path: string): boolean =>
        basename(path) !== '.gitkeep' && !documents.has(`/${relative(own, path).split(sep).join('/')}`);
      await cp(own, folder, { recursive: true, filter: isPublished }).catch(ignoreMissing);
    },
  };
}

async function writeTwins(folder: string, paths: readonly string[], changes: ReadonlyMap<string, string>): Promise<void> {
  for (const path of paths) {
    // Many pages have a document in markdown.
    if (existsSync(join(folder, pageMarkdownPath(path)))) continue;
    const twin = pageMarkdown(await readFile(join(folder, fileOf(path)), 'utf8'), changes);
    if (twin !== undefined && !existsSync(join(folder, twin.path))) await writeAt(folder, twin.path, twin.body);
  }
}

/** File of a page: static hosts answer `/x` with `x.html`. */
function fileOf(pathname: string): string {
  const path = pathname.replace(/\/$/, '');
  return path === '' ? 'index.html' : `${path}.html`;
}

async function writeAt(folder: string, path: string, body: string | Uint8Array): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, body);
}

function ignoreMissing(error: unknown): void {
  if ((error as { readonly code?: string }).code !== 'ENOENT') throw error;
}
