import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PUBLIC_FOLDER } from '../../publication/appearance/check-look.ts';
import { readBrand } from '../../site/brand/read-brand.ts';
import { RENDERER_FILE } from '../../site/compilation.ts';
import { componentError } from '../../site/component-error.ts';
import { type ShownSite, shownSiteModule, showSite } from '../../site/shown-site.ts';
import type { SiteContent } from '../../site/site-content.ts';
import type * as siteRenderer from '../../site/site-renderer.ts';
import type { CompiledSite } from './compile-site.ts';
import { pageMarkdown } from './page-markdown.ts';

/** The module in the folder of the pages on demand whose default export is Astro's server. */
export const PAGE_SERVER_FILE = 'page-server.mjs';

const SHOWN_FILE = 'shown-site.mjs';

/** Where the parts of a site are written. */
interface SiteFolders {
  /** Folder of the site. */
  readonly site: string;
  /** Folder of the pages on demand, which the function of the publication imports; absent without functions. */
  readonly server?: string | undefined;
}

/**
 * Writes the pages of a publication with their style sheets and scripts, the pages on demand, icons, and the publication's `public/`.
 *
 * @param changes Days of the last changes of pages, `YYYY-MM-DD`, by address.
 * @throws {InvalidContentError} If a component of the publication cannot be rendered.
 */
export async function writeSite(
  root: string,
  content: SiteContent,
  compiled: CompiledSite,
  folders: SiteFolders,
  changes: ReadonlyMap<string, string>,
): Promise<void> {
  const { site, overview, pages, openApi } = content;
  const { brand, files } = await readBrand(root, site.publisher);
  await cp(compiled.assets, folders.site, { recursive: true });
  const shown: ShownSite = { site, overview, brand, pages, openApi };
  if (folders.server !== undefined) {
    await cp(compiled.server, folders.server, { recursive: true });
    await writeAt(folders.server, SHOWN_FILE, shownSiteModule(shown));
    await writeAt(folders.server, PAGE_SERVER_FILE, `import './${SHOWN_FILE}';\nexport { default } from './entry.mjs';\n`);
  }
  showSite(() => shown);
  try {
    await writePages(compiled, folders.site, changes);
  } catch (error) {
    throw componentError(root, error) ?? error;
  }
  for (const [path, bytes] of files) await writeAt(folders.site, path, bytes);
  // The publication's own files win over pages.
  const isPublished = (path: string): boolean => basename(path) !== '.gitkeep';
  await cp(join(root, PUBLIC_FOLDER), folders.site, { recursive: true, filter: isPublished }).catch(ignoreMissing);
}

async function writePages({ renderer }: CompiledSite, folder: string, changes: ReadonlyMap<string, string>): Promise<void> {
  const { renderPath, sitePaths } = (await import(
    /* @vite-ignore */ pathToFileURL(join(renderer, RENDERER_FILE)).href
  )) as typeof siteRenderer;
  const paths = await sitePaths();
  const made = new Set(paths.map(({ pathname }) => pathname));
  for (const path of paths) {
    const response = await renderPath(path);
    if (response.status !== 200 && response.status !== 404) throw new Error(`${path.pathname} answers ${response.status}`);
    const text = await response.text();
    if (path.pathname.endsWith('.md')) {
      await writeAt(folder, path.pathname, text);
      continue;
    }
    await writeAt(folder, fileOf(path.pathname), text);
    const twin = pageMarkdown(text, changes);
    if (twin !== undefined && !made.has(twin.path)) await writeAt(folder, twin.path, twin.body);
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
