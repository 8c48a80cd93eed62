import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { buildIfChanged } from '../../src/publish/build-if-changed.ts';
import { exists, wranglerProgram } from '../../src/publish/local-stores.ts';
import { runNode } from '../../src/publish/run-process.ts';
import { FUNCTIONS_BUNDLE, ROOT, TEST_BASE_URL } from './paths.ts';

/** Builds both modes and compiles the functions, unless they are up to date. */
export default async function buildOnce(): Promise<void> {
  const report = (): void => undefined;
  const rebuilt = await buildIfChanged(ROOT, 'edge', { baseUrl: TEST_BASE_URL }, report);
  await buildIfChanged(ROOT, 'static', { baseUrl: TEST_BASE_URL }, report);
  if (!rebuilt && (await exists(FUNCTIONS_BUNDLE))) return;
  await rm(dirname(FUNCTIONS_BUNDLE), { recursive: true, force: true });
  const outcome = await runNode([wranglerProgram(ROOT), 'pages', 'functions', 'build', '--outdir', '.akg/functions'], { cwd: ROOT });
  if (outcome.exitCode !== 0) throw new Error(`the functions could not be compiled:\n${outcome.output}`);
}
