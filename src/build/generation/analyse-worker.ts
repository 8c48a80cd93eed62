/** Thread of `buildSearchIndex`: takes arrays of documents and answers each with what `analyseBatch` says of it. */
import { parentPort } from 'node:worker_threads';
import { analyseBatch, batchBuffers } from '../../search/build/analyse-batch.ts';
import type { SearchDocument } from '../../search/search-document.ts';

parentPort?.on('message', (documents: readonly SearchDocument[]) => {
  const batch = analyseBatch(documents);
  parentPort?.postMessage(batch, batchBuffers(batch) as ArrayBuffer[]);
});
