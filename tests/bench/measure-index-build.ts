import { buildSearchIndex } from '../../src/build/generation/build-search-index.ts';
import type { BuildOptions } from '../../src/search/build/build-index.ts';
import { benchCorpus } from './bench-corpus.ts';
import { figuresOf, type IndexFigures } from './index-figures.ts';

/** What an index may hold, by the name under which it is measured. */
export const INDEX_VARIANTS = {
  base: { pairs: false, expansion: false, neighbours: false },
  pairs: { pairs: true, expansion: false, neighbours: false },
  whole: {},
} as const satisfies Record<string, BuildOptions>;
export type IndexVariant = keyof typeof INDEX_VARIANTS;

/** An index and what it took to build, from the first document that is read to the last block. */
export interface MeasuredBuild extends IndexFigures {
  readonly wallSeconds: number;
  /** Of all threads, user and system, making or reading the documents included. */
  readonly cpuSeconds: number;
  /** The process at its largest, in MB of 2^20 bytes. */
  readonly peakMegabytes: number;
}

/**
 * Builds the index of a corpus in this process, which should have done nothing before: the peak of memory is that of the
 * process.
 *
 * @param threads As `buildSearchIndex` takes it; chosen by it when absent.
 */
export async function measureIndexBuild(name: string, variant: IndexVariant, threads: number | undefined): Promise<MeasuredBuild> {
  const { documents, columns } = benchCorpus(name);
  const started = process.hrtime.bigint();
  let told = started;
  const onProgress = (done: number): void => {
    const now = process.hrtime.bigint();
    if (now - told < 2_000_000_000n) return;
    told = now;
    process.stderr.write(`\r${name} ${variant}: ${done} documents, ${(Number(now - started) / 1e9).toFixed(0)} s `);
  };
  const index = await buildSearchIndex(documents, {
    ...INDEX_VARIANTS[variant],
    columns,
    onProgress,
    ...(threads === undefined ? {} : { threads }),
  });
  const wallSeconds = Number(process.hrtime.bigint() - started) / 1e9;
  const { user, system } = process.cpuUsage();
  const peakMegabytes = process.resourceUsage().maxRSS / 1024;
  if (told !== started) process.stderr.write('\n');
  return { ...(await figuresOf(index)), wallSeconds, cpuSeconds: (user + system) / 1e6, peakMegabytes };
}
