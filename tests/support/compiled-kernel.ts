import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.ts';

/** `kernel.wasm` compiled, as the bundler of the functions gives it to them. */
export function compiledKernel(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(join(ROOT, 'src/search/kernel/kernel.wasm')));
}
