import type { AnalysedBatch } from '../../search/build/analyse-batch.ts';
import type { KeptAnalyses } from './index-capsules.ts';

/** Analyses of the index before, in the memory of a process that makes one after another of nearly the same capsules. */
export class AnalysisMemo implements KeptAnalyses {
  #known = new Map<string, AnalysedBatch>();
  #asked = new Map<string, AnalysedBatch>();

  has(from: string): boolean {
    return this.get(from) !== undefined;
  }

  get(from: string): AnalysedBatch | undefined {
    const analysed = this.#asked.get(from) ?? this.#known.get(from);
    if (analysed !== undefined) this.#asked.set(from, analysed);
    return analysed;
  }

  set(from: string, analysed: AnalysedBatch): void {
    this.#asked.set(from, analysed);
  }

  /** Forgets what was not asked for since the last call. */
  forgetUnused(): void {
    this.#known = this.#asked;
    this.#asked = new Map();
  }
}
