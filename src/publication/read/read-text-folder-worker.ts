/** Worker thread of `readTextFiles`: receives batches of files and posts what is read of each. */
import { parentPort } from 'node:worker_threads';
import { readBatch, type TextBatch } from './read-text-file.ts';

parentPort?.on('message', (batch: TextBatch) => parentPort?.postMessage(readBatch(batch)));
