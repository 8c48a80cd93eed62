import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SiteBuildOptions } from '../../src/build/begin-build.ts';
import { buildSite } from '../../src/build/build-site.ts';
import { serveBuiltFiles } from './built-files.ts';
import { builtBlocks, type EdgeOptions } from './edge-gateway.ts';
import { PUBLICATION, ROOT, TEST_BASE_URL } from './paths.ts';

/** A publication of a test, in a folder of its own below the project, where Vite finds the pages of the engine. */
export interface BuiltPublication {
  readonly root: string;
  /** Writes files, by their paths in the folder. */
  readonly write: (files: Readonly<Record<string, string>>) => Promise<void>;
  readonly build: (mode: 'edge' | 'static', options?: Partial<SiteBuildOptions>) => Promise<void>;
  /** Functions, files and blocks of the last build with functions, for `startEdgeGateway`. */
  readonly service: () => Promise<Required<Pick<EdgeOptions, 'bundle' | 'blocks' | 'files'>>>;
  readonly remove: () => Promise<void>;
}

/** Makes the folder: without texts, with the function that the engine writes the Worker for. */
export async function makeBuiltPublication(name: string): Promise<BuiltPublication> {
  const root = join(ROOT, '.akg', `test-${name}`);
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  for (const entry of ['functions', 'wrangler.toml']) await cp(join(PUBLICATION, entry), join(root, entry), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const watch = new AbortController();
  return {
    root,
    write: async (files) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
      }
    },
    build: (mode, options) =>
      buildSite({
        root,
        output: root,
        mode,
        today: '2026-11-22',
        baseUrl: TEST_BASE_URL,
        mayBeUnsigned: true,
        isTrial: true,
        report: () => undefined,
        ...options,
      }),
    service: async () => {
      const site = join(root, 'dist');
      return {
        bundle: join(site, '_worker.js/index.js'),
        blocks: await builtBlocks(root),
        files: await serveBuiltFiles(site, watch.signal),
      };
    },
    remove: () => {
      watch.abort();
      return rm(root, { recursive: true, force: true });
    },
  };
}
