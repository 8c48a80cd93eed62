import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { exists } from '../build/local/local-stores.ts';

/** Runs a script of tests/commerce, whose packages it installs first, with the arguments of this process; sets its exit code. */
export async function runCommerceScript(name: string): Promise<void> {
  const folder = join(process.cwd(), 'tests/commerce');
  const isInstalled = await exists(join(folder, 'node_modules'));
  const installed = isInstalled ? 0 : (spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' }).status ?? 1);
  if (installed !== 0) {
    console.error('The packages of tests/commerce could not be installed.');
    process.exitCode = 1;
    return;
  }
  const flags = process.features.typescript ? [] : ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, join(folder, name), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}
