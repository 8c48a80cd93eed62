import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kernel } from '../../src/search/scoring-wasm/kernel.ts';
import { ROOT } from './paths.ts';

let ranking: Kernel | undefined;

/** `kernel.wasm` compiled, as the bundler of the functions gives it to them. */
export function compiledKernel(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(join(ROOT, 'src/search/scoring-wasm/kernel.wasm')));
}

/** What ranks queries wherever a test needs no isolate of its own. */
export function testRanking(): Kernel {
  ranking ??= new Kernel(compiledKernel());
  return ranking;
}
