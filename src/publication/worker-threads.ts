import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** With more threads, the one that collects their results would be the bottleneck. */
const THREADS_MAX = 4;

/** Tasks of one thread at a time: one in progress and one waiting. */
const TASKS_PER_THREAD = 2;

export function threadsForWork(): number {
  return Math.min(THREADS_MAX, availableParallelism());
}

const PROGRAM = new URL(`./thread-program${extname(import.meta.filename)}`, import.meta.url);

/**
 * Runs tasks on threads, or without threads on this one, which lets others act in between, such as a listener of signals. Yields tasks with
 * their results, in order, a few at a time; terminates the threads at the end.
 *
 * @param work What is called with the message of each task.
 * @param module Address of the module that exports `work`: its `import.meta.url`.
 * @throws The first failure: nothing more is done then.
 */
export async function* runOnThreads<Task, Message, Result>(
  work: (message: Message) => Result | Promise<Result>,
  module: string,
  count: number,
  tasks: AsyncIterable<Task> | Iterable<Task>,
  messageOf: (task: Task) => Message,
): AsyncGenerator<{ task: Task; result: Result }> {
  if (count === 0) {
    for await (const task of tasks) {
      await setImmediate();
      yield { task, result: await work(messageOf(task)) };
    }
    return;
  }
  let failure: { readonly reason: unknown } | undefined;
  const fail = (reason: unknown): void => {
    failure ??= { reason };
    for (const { reject } of threads.flatMap(({ waiting }) => waiting.splice(0))) reject(failure.reason);
  };
  const threads = Array.from({ length: count }, () => {
    const waiting: { readonly resolve: (result: Result) => void; readonly reject: (reason: unknown) => void }[] = [];
    const worker = new Worker(PROGRAM, { workerData: { module, name: work.name } });
    worker.on('message', (result: Result) => waiting.shift()?.resolve(result));
    worker.on('messageerror', fail);
    worker.on('error', fail);
    worker.on('exit', (code) => fail(new Error(`A thread of the build ended early (exit code ${code})`)));
    return { worker, waiting };
  });
  let turn = 0;
  const run = (task: Task): Promise<Result> => {
    const thread = threads[turn++ % count];
    const result = new Promise<Result>((resolve, reject) => {
      if (failure) return reject(failure.reason);
      thread?.worker.postMessage(messageOf(task));
      thread?.waiting.push({ resolve, reject });
    });
    // A failure rejects every waiting task; those that are not awaited must not be unhandled rejections.
    result.catch(() => undefined);
    return result;
  };
  const started: { task: Task; result: Promise<Result> }[] = [];
  try {
    for await (const task of tasks) {
      started.push({ task, result: run(task) });
      const oldest = started.length < count * TASKS_PER_THREAD ? undefined : started.shift();
      if (oldest) yield { task: oldest.task, result: await oldest.result };
    }
    for (const { task, result } of started) yield { task, result: await result };
  } finally {
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }
}

/**
 * Told how far a step of a long command is, as often as the step likes.
 *
 * @param step What is being done, as a user reads it: `Reading`.
 * @param done Left out where things are not counted.
 */
export type OnProgress = (step: string, done?: number, total?: number) => void;

/** Counts what is done in a step, and tells `onProgress` each time: call the result after each thing, or with the number of several. */
export function countProgress(step: string, total: number, onProgress: OnProgress | undefined): (done?: number) => void {
  let sum = 0;
  onProgress?.(step, 0, total);
  return (done = 1) => {
    sum += done;
    onProgress?.(step, sum, total);
  };
}
