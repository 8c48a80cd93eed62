import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withBuildLock } from './build-lock.ts';
import { BUILD_FOLDER } from './corpus-blocks/generation-store.ts';

/** Folders in `.akg/`: of a build that is being made, of a whole one that is being put in place, and of what that replaces. */
const FOLDERS = { next: 'next', ready: 'ready', replaced: 'replaced' } as const;

const MOVES_FILE = 'moves.json';

/** A file or folder of a build, by its path in the folder of the build, and where it belongs, relative to the output. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** The folder of a new build in an output, without what a killed build has left there. Under the lock of the output, like the others. */
export async function stageBuild(output: string): Promise<string> {
  await placeReadyBuild(output);
  const folder = join(output, BUILD_FOLDER, FOLDERS.next);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

export async function dropStagedBuild(output: string): Promise<void> {
  await rm(join(output, BUILD_FOLDER, FOLDERS.next), { recursive: true, force: true });
}

/** Puts a whole build in the place of the one before. From the first rename on it will be there, even if this process is killed. */
export async function commitBuild(output: string, moves: readonly Move[]): Promise<void> {
  const folder = join(output, BUILD_FOLDER, FOLDERS.next);
  await writeFile(join(folder, MOVES_FILE), JSON.stringify(moves));
  await rename(folder, join(output, BUILD_FOLDER, FOLDERS.ready));
  await placeReadyBuild(output);
}

/** Finishes putting a build in place, if a process was killed while it did. What reads a build calls it first; it waits for a running one. */
export async function finishReadyBuild(output: string, report: (line: string) => void): Promise<void> {
  await removeDeployRedirect(output);
  if (!existsSync(join(output, BUILD_FOLDER, FOLDERS.ready))) return;
  await withBuildLock(output, 'build', report, () => placeReadyBuild(output));
}

async function placeReadyBuild(output: string): Promise<void> {
  const ready = join(output, BUILD_FOLDER, FOLDERS.ready);
  const replaced = join(output, BUILD_FOLDER, FOLDERS.replaced);
  const moves = await readFile(join(ready, MOVES_FILE), 'utf8').catch(() => undefined);
  if (moves !== undefined) {
    for (const [at, { from, to }] of (JSON.parse(moves) as Move[]).entries()) {
      const source = join(ready, from);
      const target = join(output, to);
      // What is not there any more is in its place.
      if (!existsSync(source)) continue;
      await mkdir(replaced, { recursive: true });
      await rm(join(replaced, String(at)), { recursive: true, force: true });
      await rename(target, join(replaced, String(at))).catch(ignoreMissing);
      await mkdir(dirname(target), { recursive: true });
      await rename(source, target);
    }
  }
  await rm(ready, { recursive: true, force: true });
  await rm(replaced, { recursive: true, force: true });
}

/** Rethrows an error, unless it says that a file is missing. */
export function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * Removes a folder of a publication that makes wrangler read another configuration than wrangler.toml. Astro's adapter writes it, for
 * Workers, so it is removed after a compilation, and before wrangler runs, because a compilation may have been killed.
 */
export async function removeDeployRedirect(root: string): Promise<void> {
  await rm(join(root, '.wrangler/deploy'), { recursive: true, force: true });
}
