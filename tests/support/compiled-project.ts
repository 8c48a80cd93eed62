import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runNode, wranglerProgram } from '../../src/build/run-process.ts';
import { serveBuiltFiles } from './built-files.ts';
import type { EdgeOptions } from './edge-gateway.ts';
import { PUBLICATION } from './paths.ts';

/**
 * The functions and files of a built project, and its blocks, for `startEdgeGateway`.
 *
 * @param root Folder of the project, built with functions.
 * @param signal Ends the watch over its files.
 */
export async function compileProject(
  root: string,
  signal: AbortSignal,
): Promise<Required<Pick<EdgeOptions, 'bundle' | 'blocks' | 'files'>>> {
  await cp(join(PUBLICATION, 'functions'), join(root, 'functions'), { recursive: true });
  await cp(join(PUBLICATION, 'wrangler.toml'), join(root, 'wrangler.toml'));
  const outcome = await runNode([wranglerProgram(), 'pages', 'functions', 'build', '--outdir', '.akg/functions'], { cwd: root });
  if (outcome.exitCode !== 0) throw new Error(`the functions could not be compiled:\n${outcome.output}`);
  const folder = join(root, '.akg/blocks');
  const names = await readdir(folder);
  const blocks = new Map(await Promise.all(names.map(async (name) => [name, new Uint8Array(await readFile(join(folder, name)))] as const)));
  return { bundle: join(root, '.akg/functions/index.js'), blocks, files: await serveBuiltFiles(join(root, 'dist'), signal) };
}
