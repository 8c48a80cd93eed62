/** Worker thread of `readTextFiles`: receives batches of files and posts what is read of each. */
import { parentPort } from 'node:worker_threads';
import { readTextFile, type TextBatch } from './read-text-file.ts';

parentPort?.on('message', ({ rules, texts }: TextBatch) => parentPort?.postMessage(texts.map((text) => readTextFile(text, rules))));
