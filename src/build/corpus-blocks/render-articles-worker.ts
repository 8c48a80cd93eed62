/** Worker thread of `renderArticles`: receives batches of capsules and posts the articles of each. */
import { parentPort } from 'node:worker_threads';
import { type ArticleBatch, renderBatch } from './render-articles.ts';

parentPort?.on('message', async (batch: ArticleBatch) => parentPort?.postMessage(await renderBatch(batch)));
