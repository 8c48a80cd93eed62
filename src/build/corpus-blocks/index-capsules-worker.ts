/** Worker thread of `indexCapsules` and `finishIndex`: posts the analysis of the texts of a group of capsules, or a range of documents refined. */
import { parentPort } from 'node:worker_threads';
import { batchBuffers } from '../../search/build/analyse-batch.ts';
import { type DocumentRange, type RefinementTask, refineDocuments } from '../../search/build/expand-documents.ts';
import { analyseTexts, type IndexedTexts } from './index-capsules.ts';

parentPort?.on('message', (message: readonly IndexedTexts[] | { readonly task: RefinementTask; readonly range: DocumentRange }) => {
  if ('task' in message) return parentPort?.postMessage(refineDocuments(message.task, message.range));
  const batch = analyseTexts(message);
  parentPort?.postMessage(batch, batchBuffers(batch) as ArrayBuffer[]);
});
