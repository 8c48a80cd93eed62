import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of this folder if they are missing.
 *
 * @throws {Error} If npm fails, which prints the reason.
 */
export function installPeers(): void {
  const folder = import.meta.dirname;
  if (existsSync(join(folder, 'node_modules'))) return;
  // npm prints to standard error: standard output is for tables.
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    env: { ...process.env, SCARF_ANALYTICS: 'false', DO_NOT_TRACK: '1' },
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`Cannot install the packages of ${folder}`);
}
