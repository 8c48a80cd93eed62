import { parentPort, workerData } from 'node:worker_threads';
import { tryKeys } from './try-keys.ts';

/** A thread that tries its share of the counterfeits. */
const { count, seed } = workerData as { count: number; seed: number };
parentPort?.postMessage(await tryKeys(count, seed));
