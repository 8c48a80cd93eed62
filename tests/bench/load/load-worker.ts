import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { type LoadPlan, runLoad } from './run-load.ts';

/** The thread of `load-thread.ts`. */
const before = performance.eventLoopUtilization();
const outcome = await runLoad(workerData as LoadPlan);
parentPort?.postMessage({ ...outcome, generatorBusy: performance.eventLoopUtilization(before).utilization });
