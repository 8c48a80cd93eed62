import { Kernel } from '../../search/kernel/kernel.ts';
import { warmUp } from '../../search/query/warm-up.ts';

/** What ranks the queries of an isolate, of all generations of its corpus. */
export type Ranking = Kernel;

/**
 * Prepares ranking, so that the first query takes no longer than others. Call it while an isolate starts, before a request pays for the
 * CPU.
 *
 * @param module The compiled `src/search/kernel/kernel.wasm`.
 * @param documents Of the index that will be searched, for which memory is reserved.
 */
export function startRanking(module: WebAssembly.Module, documents = 0): Ranking {
  const kernel = new Kernel(module);
  // It awaits no I/O, so it ends before the first request. An error recurs in the first query, which reports it.
  warmUp(kernel, documents).catch(() => undefined);
  return kernel;
}
