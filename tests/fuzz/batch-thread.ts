import { parentPort, workerData } from 'node:worker_threads';
import type { Batch } from './batches.ts';
import { fuzzService } from './fuzz-service.ts';

/** A thread that sends the requests of one batch. */
const { part, seed, requests, seconds } = workerData as Batch & { readonly seconds: number };
parentPort?.postMessage(await fuzzService(part, seed, { requests, seconds }));
