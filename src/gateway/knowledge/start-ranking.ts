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
  // Nothing in it waits for anything, so that it is over before the first request; what is not compiled by then is later.
  // What fails in it is met again, and answered for, by the first query.
  warmUp(kernel, documents).catch(() => undefined);
  return kernel;
}
