import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PUBLIC_FOLDER } from '../../publication/appearance/check-look.ts';
import { readBrand } from '../../site/brand/read-brand.ts';
import { type ShownSite, shownSiteModule, showSite } from '../../site/shown-site.ts';
import type { SiteContent } from '../../site/site-content.ts';
import { pageMarkdown } from './page-markdown.ts';

/** The module in the folder of the pages on demand whose default export is Astro's server. */
export const PAGE_SERVER_FILE = 'page-server.mjs';

const SHOWN_FILE = 'shown-site.mjs';

/** Pages that Astro has written. */
interface MadePages {
  /** Folder of the site. */
  readonly folder: string;
  /** Folder of the pages on demand, which the function of the publication imports; absent without functions. */
  readonly server: string | undefined;
  /** Addresses of the pages. */
  readonly pages: readonly string[];
  /** Days of the last changes of pages, `YYYY-MM-DD`, by address. */
  readonly changes: ReadonlyMap<string, string>;
}

/**
 * Shows a site to pages: from now on they are rendered with its content.
 *
 * @returns Finishes the site once Astro has written its pages: markdown twins, pages on demand, icons, and the publication's `public/`.
 */
export async function openPages(root: string, content: SiteContent): Promise<(made: MadePages) => Promise<void>> {
  const { site, overview, openApi } = content;
  const { brand, files } = await readBrand(root, site.publisher);
  const shown: ShownSite = { site, overview, brand, pages: content.pages, openApi };
  showSite(() => shown);
  return async ({ folder, server, pages, changes }) => {
    await writeTwins(folder, pages, changes);
    if (server !== undefined) {
      await writeAt(server, SHOWN_FILE, shownSiteModule(shown));
      await writeAt(server, PAGE_SERVER_FILE, `import './${SHOWN_FILE}';\nexport { default } from './entry.mjs';\n`);
    }
    for (const [path, bytes] of files) await writeAt(folder, path, bytes);
    // The publication's own files win over pages.
    const isPublished = (path: string): boolean => basename(path) !== '.gitkeep';
    await cp(join(root, PUBLIC_FOLDER), folder, { recursive: true, filter: isPublished }).catch(ignoreMissing);
  };
}

async function writeTwins(folder: string, paths: readonly string[], changes: ReadonlyMap<string, string>): Promise<void> {
  for (const path of paths) {
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
