import { availableParallelism } from 'node:os';
import { type AnalysedBatch, analyseBatch } from '../../search/build/analyse-batch.ts';
import { type BuildOptions, type EncodedIndex, IndexBuilder } from '../../search/build/build-index.ts';
import type { SearchDocument } from '../../search/search-document.ts';
import { AnalysisThreads } from './analysis-threads.ts';

/** What an index holds, and how it is built. */
export interface SearchIndexOptions extends BuildOptions {
  /** Called after every few hundred documents with the number that is done. */
  readonly onProgress?: (done: number) => void;
  /**
   * Threads that analyse documents besides this one; 0 for none. By default as many as there are cores but at most {@link THREADS_MAX}, and
   * none for fewer than {@link THREADED_MIN_DOCUMENTS} documents.
   */
  readonly threads?: number;
}

/** Documents of one batch: enough that their common words are transferred once. */
const BATCH_DOCUMENTS = 500;

/** Fewer documents are analysed before other threads have started. */
const THREADED_MIN_DOCUMENTS = 3_000;

/** With more, the thread that collects their results would be the bottleneck. */
const THREADS_MAX = 4;

/** Batches of one thread at a time: one in work and one waiting. */
const BATCHES_PER_THREAD = 2;

/**
 * Builds an index from documents as they come, in the order in which they will be numbered, and holds no more than a few batches of them.
 * The bytes do not depend on the number of threads.
 *
 * @throws Whatever reading the documents or analysing one of them throws; no thread is left then.
 */
export async function buildSearchIndex(
  documents: AsyncIterable<SearchDocument> | Iterable<SearchDocument>,
  { onProgress, threads, ...options }: SearchIndexOptions = {},
): Promise<EncodedIndex> {
  const builder = new IndexBuilder(options);
  const { batches, threadCount } = await readAhead(inBatches(documents), threads);
  let done = 0;
  for await (const { documents, analysed } of analyseOn(threadCount, batches)) {
    builder.add(documents, analysed);
    done += documents.length;
    onProgress?.(done);
  }
  return builder.finish();
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

/** Reads as far as is needed to choose the number of threads; the returned batches still include everything. */
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
  return { batches: inOrder(read, batches), threadCount: Math.min(THREADS_MAX, availableParallelism()) };
}

async function* inOrder(first: readonly Batch[], rest: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Batches with their analysis, in their order. */
async function* analyseOn(
  threadCount: number,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<{ documents: Batch; analysed: AnalysedBatch }> {
  if (threadCount === 0) {
    for await (const documents of batches) yield { documents, analysed: analyseBatch(documents) };
    return;
  }
  const threads = new AnalysisThreads(threadCount);
  const started: { documents: Batch; analysed: Promise<AnalysedBatch> }[] = [];
  try {
    for await (const documents of batches) {
      started.push({ documents, analysed: threads.analyse(documents) });
      const oldest = started.length < threadCount * BATCHES_PER_THREAD ? undefined : started.shift();
      if (oldest) yield { documents: oldest.documents, analysed: await oldest.analysed };
    }
    for (const { documents, analysed } of started) yield { documents, analysed: await analysed };
  } finally {
    await threads.close();
  }
}
