import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type AnalysedBatch, analyseBatch } from '../../search/build/analyse-batch.ts';
import { type BuildOptions, type EncodedIndex, IndexBuilder } from '../../search/build/build-index.ts';
import type { SearchDocument } from '../../search/search-document.ts';
import type { AnalysisMemo } from './analysis-memo.ts';

/** How an index is built. */
interface SearchIndexOptions extends BuildOptions {
  /** Called after every few hundred documents with the number done. */
  readonly onProgress?: (done: number) => void;
  /**
   * Threads that analyse documents besides this one; 0 for none. By default one per core, at most {@link THREADS_MAX}, and none for fewer
   * than {@link THREADED_MIN_DOCUMENTS} documents.
   */
  readonly threads?: number;
  /** Analyses of earlier indexes: what they have is not analysed again, and no thread is started. */
  readonly analyses?: AnalysisMemo;
}

/** Documents of one batch: enough that their common words are transferred once. */
const BATCH_DOCUMENTS = 500;

/** Fewer documents are analysed before a thread has started. */
const THREADED_MIN_DOCUMENTS = 3_000;

/** With more, the thread that collects their results would be the bottleneck. */
const THREADS_MAX = 4;

/** Batches of one thread at a time: one in progress and one waiting. */
const BATCHES_PER_THREAD = 2;

/**
 * Builds an index from a stream of documents, which are numbered in their order; holds only a few batches of them. The bytes do not
 * depend on the number of threads.
 *
 * @throws Whatever reading or analysing the documents throws; all threads are terminated then.
 */
export async function buildSearchIndex(
  documents: AsyncIterable<SearchDocument> | Iterable<SearchDocument>,
  { onProgress, threads, analyses, ...options }: SearchIndexOptions = {},
): Promise<EncodedIndex> {
  const builder = new IndexBuilder(options);
  if (analyses !== undefined) {
    const all: SearchDocument[] = [];
    for await (const document of documents) all.push(document);
    for (const { documents: group, analysed } of analyses.analyse(all)) builder.add(group, analysed);
    return builder.finish();
  }
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

/** A batch that a thread is analysing. */
interface Waiting {
  readonly resolve: (batch: AnalysedBatch) => void;
  readonly reject: (reason: unknown) => void;
}

/** Worker threads that analyse documents for the thread that reads and collects them. */
class AnalysisThreads {
  readonly #workers: readonly Worker[];
  readonly #waiting: readonly Waiting[][];
  #turn = 0;
  #failure: { readonly reason: unknown } | undefined;

  constructor(count: number) {
    this.#waiting = Array.from({ length: count }, () => []);
    this.#workers = this.#waiting.map((waiting) => {
      const worker = new Worker(new URL(`./analyse-worker${extname(import.meta.filename)}`, import.meta.url));
      worker.on('message', (batch: AnalysedBatch) => waiting.shift()?.resolve(batch));
      worker.on('messageerror', (error) => this.#fail(error));
      worker.on('error', (error) => this.#fail(error));
      worker.on('exit', (code) => this.#fail(new Error(`A thread that analyses documents ended early (exit code ${code})`)));
      return worker;
    });
  }

  /**
   * Analyses documents on the next thread in turn; a thread returns its batches in order. Attributes are not transferred, because analysis
   * does not read them.
   *
   * @throws The first failure of any batch: after it nothing more is analysed.
   */
  analyse(documents: readonly SearchDocument[]): Promise<AnalysedBatch> {
    const thread = this.#turn++ % this.#workers.length;
    const result = new Promise<AnalysedBatch>((resolve, reject) => {
      if (this.#failure) return reject(this.#failure.reason);
      this.#workers[thread]?.postMessage(documents.map(({ attributes: _attributes, ...texts }) => texts));
      this.#waiting[thread]?.push({ resolve, reject });
    });
    // A failure rejects every waiting batch; those that are not awaited must not be unhandled rejections.
    result.catch(() => undefined);
    return result;
  }

  /** Terminates the threads; batches that are still waiting fail. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    for (const { reject } of this.#waiting.flatMap((waiting) => waiting.splice(0))) reject(this.#failure.reason);
  }
}
