import { execFileSync } from 'node:child_process';
import { lstat, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newScript } from '../support/campaign.ts';
import { filesBelow } from '../support/files-below.ts';
import { ROOT } from '../support/paths.ts';

/** Largest installs in megabytes, as sums of the sizes of files. */
const GOALS = { 'with functions': 365, 'files alone': 200 } as const;

newScript(
  'bench:install',
  'Measure what npm installs for a new publication with the packed engine: megabytes and packages. Exits with 1 above the goals.',
).parse();

const folder = await mkdtemp(join(tmpdir(), 'akg-bench-install-'));
try {
  for (const [name, goalMb] of Object.entries(GOALS)) {
    const site = join(folder, name.replaceAll(' ', '-'));
    const options = name === 'files alone' ? ['--static'] : [];
    execFileSync(process.execPath, ['src/cli/akg.mjs', 'init', site, '--yes', ...options], { cwd: ROOT, stdio: 'ignore' });
    const startedMs = performance.now();
    execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: site, stdio: ['ignore', 'ignore', 'inherit'] });
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    const lock = await readFile(join(site, 'node_modules/.package-lock.json'), 'utf8');
    const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, unknown>> };
    const mb = Math.round((await bytesOf(join(site, 'node_modules'))) / 1e6);
    console.log(`${name.padEnd(15)} ${mb} MB (at most ${goalMb}), ${Object.keys(packages).length} packages, installed in ${seconds} s`);
    if (mb > goalMb) process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function bytesOf(place: string): Promise<number> {
  const sizes = await Promise.all((await filesBelow(place)).map(async (path) => (await lstat(join(place, path))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
