/** Worker thread of `buildSearchIndex`: receives arrays of documents and posts the result of `analyseBatch` for each. */
import { parentPort } from 'node:worker_threads';
import { analyseBatch, batchBuffers } from '../../src/search/build/analyse-batch.ts';
import type { SearchDocument } from '../../src/search/search-document.ts';

parentPort?.on('message', (documents: readonly SearchDocument[]) => {
  const batch = analyseBatch(documents);
  parentPort?.postMessage(batch, batchBuffers(batch) as ArrayBuffer[]);
});
