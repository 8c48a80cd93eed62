import { Worker } from 'node:worker_threads';
import type { LoadOutcome, LoadPlan } from './run-load.ts';

/** What a thread that asks gave, and the share of the time in which it was busy: at 1 it, and not the service, was the bound. */
export type ThreadOutcome = LoadOutcome & { readonly generatorBusy: number };

/** Runs a load in a thread of its own, so that nothing else of this process delays what is sent or when an answer is seen. */
export function runLoadInThread(plan: LoadPlan): Promise<ThreadOutcome> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./load-worker.ts', import.meta.url), { workerData: plan });
    thread.once('message', (outcome: ThreadOutcome) => resolve(outcome));
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the thread that asks ended with ${code} and said nothing`)));
  });
}
