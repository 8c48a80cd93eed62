import { finishIndex } from '../../src/build/corpus-blocks/index-capsules.ts';
import { runOnThreads, threadsForWork } from '../../src/publication/worker-threads.ts';
import { analyseBatch } from '../../src/search/build/analyse-batch.ts';
import { type BuildOptions, type EncodedIndex, IndexBuilder } from '../../src/search/build/build-index.ts';
import type { SearchDocument } from '../../src/search/search-document.ts';

interface SearchIndexOptions extends BuildOptions {
  /** Called after every few hundred documents with the number done. */
  readonly onProgress?: (done: number) => void;
}

const ANALYSIS = new URL('../../src/search/build/analyse-batch.ts', import.meta.url).href;

/** Documents of one batch: enough that their common words are transferred once. */
const BATCH_DOCUMENTS = 500;

/** Builds an index from a stream of documents, which are numbered in their order; holds only a few batches of them. */
export async function buildSearchIndex(
  documents: Iterable<SearchDocument>,
  { onProgress, ...options }: SearchIndexOptions = {},
): Promise<EncodedIndex> {
  const builder = new IndexBuilder(options);
  // Analysis does not read attributes, so they are not transferred.
  const withoutAttributes = (batch: readonly SearchDocument[]) => batch.map(({ attributes: _attributes, ...texts }) => texts);
  let done = 0;
  const batches = inBatches(documents, BATCH_DOCUMENTS);
  const all = runOnThreads(analyseBatch, ANALYSIS, threadsForWork(), batches, withoutAttributes);
  for await (const { task: batch, result: analysed } of all) {
    builder.add(batch, analysed);
    done += batch.length;
    onProgress?.(done);
  }
  return finishIndex(builder);
}

export function* inBatches<T>(values: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const value of values) {
    if (batch.push(value) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
