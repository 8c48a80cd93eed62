/** Worker thread of `indexCapsules`: receives the texts of groups of capsules and posts the analysis of each. */
import { parentPort } from 'node:worker_threads';
import { batchBuffers } from '../../search/build/analyse-batch.ts';
import { analyseTexts, type IndexedTexts } from './index-capsules.ts';

parentPort?.on('message', (texts: readonly IndexedTexts[]) => {
  const batch = analyseTexts(texts);
  parentPort?.postMessage(batch, batchBuffers(batch) as ArrayBuffer[]);
});
