import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** With more threads, the one that collects their results would be the bottleneck. */
const THREADS_MAX = 4;

/** Tasks of one thread at a time: one in progress and one waiting. */
const TASKS_PER_THREAD = 2;

export function threadsForWork(): number {
  return Math.min(THREADS_MAX, availableParallelism());
}

interface Waiting<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/** Worker threads that each run the same program, which posts one message with the result of each message that it gets. */
export class WorkerThreads<Task, Result> {
  readonly #workers: readonly Worker[];
  readonly #waiting: readonly Waiting<Result>[][];
  readonly #messageOf: (task: Task) => unknown;
  #turn = 0;
  #failure: { readonly reason: unknown } | undefined;

  /** @param messageOf What a thread gets of a task; the task itself by default. */
  constructor(program: URL, count: number, messageOf: (task: Task) => unknown = (task) => task) {
    this.#messageOf = messageOf;
    this.#waiting = Array.from({ length: count }, () => []);
    this.#workers = this.#waiting.map((waiting) => {
      const worker = new Worker(program);
      worker.on('message', (result: Result) => waiting.shift()?.resolve(result));
      worker.on('messageerror', (error) => this.#fail(error));
      worker.on('error', (error) => this.#fail(error));
      worker.on('exit', (code) => this.#fail(new Error(`A thread of the build ended early (exit code ${code})`)));
      return worker;
    });
  }

  /** Tasks with their results, in order, a few at a time; terminates the threads at the end. @throws The first failure: nothing more is done then. */
  async *inOrder(tasks: AsyncIterable<Task> | Iterable<Task>): AsyncGenerator<{ task: Task; result: Result }> {
    const started: { task: Task; result: Promise<Result> }[] = [];
    try {
      for await (const task of tasks) {
        started.push({ task, result: this.#run(task) });
        const oldest = started.length < this.#workers.length * TASKS_PER_THREAD ? undefined : started.shift();
        if (oldest) yield { task: oldest.task, result: await oldest.result };
      }
      for (const { task, result } of started) yield { task, result: await result };
    } finally {
      await Promise.all(this.#workers.map((worker) => worker.terminate()));
    }
  }

  #run(task: Task): Promise<Result> {
    const thread = this.#turn++ % this.#workers.length;
    const result = new Promise<Result>((resolve, reject) => {
      if (this.#failure) return reject(this.#failure.reason);
      this.#workers[thread]?.postMessage(this.#messageOf(task));
      this.#waiting[thread]?.push({ resolve, reject });
    });
    // A failure rejects every waiting task; those that are not awaited must not be unhandled rejections.
    result.catch(() => undefined);
    return result;
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    for (const { reject } of this.#waiting.flatMap((waiting) => waiting.splice(0))) reject(this.#failure.reason);
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
