/** Worker thread of `finishIndex`: receives ranges of documents with the corpus that they belong to, and posts them refined. */
import { parentPort } from 'node:worker_threads';
import { type DocumentRange, type RefinementTask, refineDocuments } from '../../search/build/expand-documents.ts';

parentPort?.on('message', ({ task, range }: { readonly task: RefinementTask; readonly range: DocumentRange }) =>
  parentPort?.postMessage(refineDocuments(task, range)),
);
