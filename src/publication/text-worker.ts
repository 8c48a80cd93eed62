/** Worker thread of `readTextFiles`: receives batches of files and posts what is read of each. */
import { parentPort } from 'node:worker_threads';
import { type RawText, type ReadingRules, readTextFile } from './text-reading.ts';

/** Files to read by the same rules. */
export interface TextBatch {
  readonly rules: ReadingRules;
  readonly texts: readonly RawText[];
}

parentPort?.on('message', ({ rules, texts }: TextBatch) => parentPort?.postMessage(texts.map((text) => readTextFile(text, rules))));
