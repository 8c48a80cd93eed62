import { finishIndex } from '../../src/build/corpus-blocks/index-capsules.ts';
import { runOnThreads, threadsForWork } from '../../src/publication/worker-threads.ts';
import { analyseBatch } from '../../src/search/build/analyse-batch.ts';
import { type BuildOptions, type EncodedIndex, IndexBuilder } from '../../src/search/build/build-index.ts';
import type { SearchDocument } from '../../src/search/search-document.ts';

interface SearchIndexOptions extends BuildOptions {
  /** Called after every few hundred documents with the number done. */
  readonly onProgress?: (done: number) => void;
  /**
   * Threads that analyse documents besides this one; 0 for none. By default those of {@link threadsForWork}, and none for fewer than
   * {@link THREADED_MIN_DOCUMENTS} documents.
   */
  readonly threads?: number;
}

const ANALYSIS = new URL('../../src/search/build/analyse-batch.ts', import.meta.url).href;

/** Documents of one batch: enough that their common words are transferred once. */
const BATCH_DOCUMENTS = 500;

const THREADED_MIN_DOCUMENTS = 3_000;

/**
 * Builds an index from a stream of documents, which are numbered in their order; holds only a few batches of them. The bytes do not
 * depend on the number of threads.
 *
 * @throws Whatever reading or analysing the documents throws; all threads are terminated then.
 */
export async function buildSearchIndex(
  documents: AsyncIterable<SearchDocument> | Iterable<SearchDocument>,
  { onProgress, threads, ...options }: SearchIndexOptions = {},
): Promise<EncodedIndex> {
  const builder = new IndexBuilder(options);
  const { batches, threadCount } = await readAhead(inBatches(documents), threads);
  // Analysis does not read attributes, so they are not transferred.
  const withoutAttributes = (batch: Batch) => batch.map(({ attributes: _attributes, ...texts }) => texts);
  let done = 0;
  for await (const { task: documents, result: analysed } of runOnThreads(analyseBatch, ANALYSIS, threadCount, batches, withoutAttributes)) {
    builder.add(documents, analysed);
    done += documents.length;
    onProgress?.(done);
  }
  return finishIndex(builder, threads);
}

type Batch = readonly SearchDocument[];

async function* inBatches(documents: AsyncIterable<SearchDocument> | Iterable<SearchDocument>): AsyncGenerator<Batch> {
  let batch: SearchDocument[] = [];
  for await (const document of documents) {
    if (batch.push(document) < BATCH_DOCUMENTS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Reads enough to choose the number of threads; the returned batches still include everything. */
async function readAhead(
  batches: AsyncGenerator<Batch>,
  threads: number | undefined,
): Promise<{ batches: AsyncGenerator<Batch>; threadCount: number }> {
  if (threads !== undefined) return { batches, threadCount: threads };
  const read: Batch[] = [];
  while (read.length * BATCH_DOCUMENTS < THREADED_MIN_DOCUMENTS) {
    const next = await batches.next();
    if (next.done) return { batches: inOrder(read, batches), threadCount: 0 };
    read.push(next.value);
  }
  return { batches: inOrder(read, batches), threadCount: threadsForWork() };
}

async function* inOrder(first: readonly Batch[], rest: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
