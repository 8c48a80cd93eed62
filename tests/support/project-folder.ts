import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { buildSite } from '../../src/build/build-site.ts';
import { ROOT } from './paths.ts';

/** Files of the project that a build in this process needs besides `content`. */
const NEEDED = ['src', 'public', 'astro.config.mjs', 'package.json', 'tsconfig.base.json', 'tsconfig.json', 'tsconfig.search.json'];

/** A folder in which the site can be built, with the installed packages linked in, and nothing that it publishes unless it is named; `build` is that of its own source, which Astro wants below the root. */
export async function makeProjectFolder(
  name: string,
  also: readonly string[] = [],
): Promise<{ readonly root: string; readonly build: typeof buildSite; readonly remove: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), `akg-${name}-`));
  for (const entry of [...NEEDED, ...also]) await cp(join(ROOT, entry), join(root, entry), { recursive: true });
  // A folder of its own, so that caches of the build stay in it.
  await mkdir(join(root, 'node_modules'));
  for (const entry of await readdir(join(ROOT, 'node_modules')))
    if (!entry.startsWith('.') || entry === '.bin') await symlink(join(ROOT, 'node_modules', entry), join(root, 'node_modules', entry));
  const source = (await import(pathToFileURL(join(root, 'src/build/build-site.ts')).href)) as { readonly buildSite: typeof buildSite };
  return { root, build: source.buildSite, remove: () => rm(root, { recursive: true, force: true }) };
}
