import type { Kernel } from './kernel.ts';
import { TypeScriptKernel } from './typescript-kernel.ts';
import { WasmKernel } from './wasm-kernel.ts';

/** The kernel of a compiled `kernel.wasm`; without one, or where it cannot be instantiated, that of TypeScript. */
export function startKernel(module: WebAssembly.Module | undefined): Kernel {
  if (module === undefined) return new TypeScriptKernel();
  try {
    return new WasmKernel(module);
  } catch {
    return new TypeScriptKernel();
  }
}
