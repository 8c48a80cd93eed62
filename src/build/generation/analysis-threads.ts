import { Worker } from 'node:worker_threads';
import type { AnalysedBatch } from '../../search/build/analyse-batch.ts';
import type { SearchDocument } from '../../search/search-document.ts';

/** A batch that a thread is analysing. */
interface Waiting {
  readonly resolve: (batch: AnalysedBatch) => void;
  readonly reject: (reason: unknown) => void;
}

/** Worker threads that analyse documents for the thread that reads and collects them. */
export class AnalysisThreads {
  readonly #workers: readonly Worker[];
  readonly #waiting: readonly Waiting[][];
  #turn = 0;
  #failure: { readonly reason: unknown } | undefined;

  constructor(count: number) {
    this.#waiting = Array.from({ length: count }, () => []);
    this.#workers = this.#waiting.map((waiting) => {
      const worker = new Worker(new URL('./analyse-worker.ts', import.meta.url));
      worker.on('message', (batch: AnalysedBatch) => waiting.shift()?.resolve(batch));
      worker.on('messageerror', (error) => this.#fail(error));
      worker.on('error', (error) => this.#fail(error));
      worker.on('exit', (code) => this.#fail(new Error(`A thread that analyses documents ended early (exit code ${code})`)));
      return worker;
    });
  }

  /**
   * Analyses documents on the next thread in turn; a thread returns its batches in order. Attributes are not transferred, since analysis
   * does not look at them.
   *
   * @throws Whatever made the analysis fail, of these documents or of others: after a failure nothing more is analysed.
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
