import { afterAll, beforeAll } from 'vitest';

/**
 * What is started before the tests of a file or a block and stopped after them, unless others share it.
 *
 * @returns Gives it, inside of tests.
 */
export function duringTests<T extends { readonly stop: () => unknown }>(start: () => Promise<T>, { isShared = false } = {}): () => T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => {
    if (!isShared) await started?.stop();
  });
  return () => {
    if (started === undefined) throw new Error('it runs only inside of tests');
    return started;
  };
}
