/** Program of the threads of `runOnThreads`: calls a function of a module with each message, one after another, and posts what it returns. */
import { parentPort, workerData } from 'node:worker_threads';

const { module, name } = workerData as { readonly module: string; readonly name: string };
const { [name]: work } = (await import(module)) as Readonly<Record<string, (message: unknown) => unknown>>;
let last = Promise.resolve();

parentPort?.on('message', (message: unknown) => {
  last = last.then(async () => {
    const result = await work?.(message);
    parentPort?.postMessage(result, buffersOf(result));
  });
});

/** The memory of typed arrays among the members of a result, which moves to the other thread: copying a large one takes long. */
function buffersOf(result: unknown): ArrayBuffer[] {
  const buffers = Object.values(result ?? {}).flatMap((member) => (ArrayBuffer.isView(member) ? [member.buffer] : []));
  return [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer);
}
