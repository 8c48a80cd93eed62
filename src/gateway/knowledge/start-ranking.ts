import type { Kernel } from '../../search/kernel/kernel.ts';
import { startKernel } from '../../search/kernel/start-kernel.ts';
import { warmUp } from '../../search/query/warm-up.ts';

/** What ranks the queries of an isolate, of all generations of its corpus. */
export type Ranking = Kernel;

/**
 * Makes ranking ready, so that the first query takes no longer than others. To be called while an isolate starts, before there
 * is a request whose CPU it would be.
 *
 * @param module The compiled `src/search/kernel/kernel.wasm`; without it queries are slower and answered alike.
 * @param documents Of the index that will be asked, for which memory is laid ready.
 */
export function startRanking(module: WebAssembly.Module | undefined, documents = 0): Ranking {
  const kernel = startKernel(module);
  // Nothing in it waits for anything, so that it is over before the first request; what is not compiled by then is later.
  // What fails in it is met again, and answered for, by the first query.
  warmUp(kernel, documents).catch(() => undefined);
  return kernel;
}
