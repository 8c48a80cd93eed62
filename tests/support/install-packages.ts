import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of a folder with a lock file of its own, unless they are there as the lock file has them. npm writes its own list into
 * `node_modules` last, so an installation that was stopped half-way is made again.
 *
 * @param more Further options of `npm ci`.
 * @throws {Error} If npm fails, which prints the reason.
 */
export function installPackages(folder: string, ...more: readonly string[]): void {
  const writtenMs = (path: string): number | undefined => statSync(join(folder, path), { throwIfNoEntry: false })?.mtimeMs;
  if ((writtenMs('node_modules/.package-lock.json') ?? 0) >= (writtenMs('package-lock.json') ?? 0)) return;
  // npm prints to standard error: standard output is for tables.
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', ...more], {
    cwd: folder,
    env: { ...process.env, SCARF_ANALYTICS: 'false', DO_NOT_TRACK: '1' },
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`the packages of ${folder} could not be installed; run "npm ci" there`);
}
