import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runNode, wranglerProgram } from '../../../src/build/run-process.ts';
import { ROOT } from '../../support/paths.ts';

export type WorkerModules = Readonly<Record<string, { readonly type: 'esm' | 'wasm'; readonly contents: string | Uint8Array }>>;
export const MAIN_MODULE = 'entry.js';

/** The day whose behaviour of the platform is asked for, as in wrangler.toml. */
export const COMPATIBILITY_DATE = '2026-10-01';

/**
 * Bundles a file of the folder `workers` as wrangler does for a deploy, minified.
 *
 * @param packages Modules of the project that `engineWorker` of the file is given, by name.
 * @param folder Where the bundle is put; what it held is removed.
 * @throws {Error} With what wrangler said, if it fails.
 */
export async function bundleWorker(worker: string, packages: Readonly<Record<string, string>>, folder: string): Promise<WorkerModules> {
  const names = Object.keys(packages);
  const lines = [
    ...names.map((name) => `import * as ${name} from ${path(packages[name] ?? '')};`),
    `import { engineWorker } from ${path('tests/bench/query-peers/workers', `${worker}.ts`)};`,
    `export default engineWorker({ ${names.join(', ')} });`,
  ];
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'entry.ts'), lines.join('\n'));
  await writeFile(
    join(folder, 'wrangler.json'),
    JSON.stringify({ name: worker, main: 'entry.ts', compatibility_date: COMPATIBILITY_DATE }),
  );
  const { exitCode, output } = await runNode([await wranglerProgram(), 'deploy', '--dry-run', '--minify', '--outdir', 'out'], {
    cwd: folder,
  });
  if (exitCode !== 0) throw new Error(`The worker ${worker} could not be bundled:\n${output}`);
  return readModules(join(folder, 'out'));
}

function path(...parts: readonly string[]): string {
  return JSON.stringify(join(ROOT, ...parts));
}

async function readModules(folder: string): Promise<WorkerModules> {
  const modules: Record<string, WorkerModules[string]> = {};
  for (const name of await readdir(folder)) {
    if (name.endsWith('.js')) modules[name] = { type: 'esm', contents: await readFile(join(folder, name), 'utf8') };
    if (name.endsWith('.wasm')) modules[name] = { type: 'wasm', contents: new Uint8Array(await readFile(join(folder, name))) };
  }
  return modules;
}
