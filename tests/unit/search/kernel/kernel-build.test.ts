import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runNode } from '../../../../src/build/run-process.ts';
import { compiledKernel } from '../../../support/compiled-kernel.ts';
import { ROOT } from '../../../support/paths.ts';

it('kernel.wasm is what its source compiles to', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-'));
  try {
    const built = join(folder, 'kernel.wasm');
    const program = join(ROOT, 'node_modules/assemblyscript/bin/asc.js');
    const outcome = await runNode([program, '--config', 'src/search/kernel/asconfig.json', '--outFile', built], { cwd: ROOT });
    expect(outcome.output).toBe('');
    expect(outcome.exitCode).toBe(0);
    expect(await readFile(built)).toEqual(await readFile(join(ROOT, 'src/search/kernel/kernel.wasm')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('the kernel imports nothing, and all of its memory is the caller’s', () => {
  const module = compiledKernel();
  expect(WebAssembly.Module.imports(module)).toEqual([]);
  expect(
    WebAssembly.Module.exports(module)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['addPoints', 'addRecord', 'clear', 'findFollowers', 'findMatching', 'findStrongest', 'keepMarked', 'memory']);
});
