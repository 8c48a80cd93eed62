import type { EncodedIndex } from '../../src/search/build/build-index.ts';
import { mean, percentile } from '../eval/statistics.ts';
import type { SyntheticQuery } from './synthetic-corpus.ts';
import { bundleWorker, WorkerdIsolate } from './workerd-isolate.ts';

/** CPU of ranking one query, in milliseconds. */
export interface QueryCpu {
  readonly mean: number;
  readonly p95: number;
}

/** The cost of ranking in workerd. */
export interface MeasuredRanking {
  /** After many queries of an isolate, by the style of the query. */
  readonly steady: Readonly<Record<SyntheticQuery['style'], QueryCpu>>;
  /** Means of the first, second and third query of fresh isolates. */
  readonly fresh: readonly number[];
  /** Blocks and bytes that one query of a cold isolate reads. */
  readonly reads: { readonly mean: number; readonly p95: number; readonly max: number };
  readonly bytes: { readonly mean: number; readonly p95: number; readonly max: number };
  /** Memory of the process with all blocks, before the first and after the last query, in bytes. */
  readonly memoryBefore: number;
  readonly memoryAfter: number;
}

export interface Effort {
  readonly isolates: number;
  /** Queries of each style, for the warm-up and the measurement of one isolate. */
  readonly queries: number;
  /** Repetitions of each query in a measurement. */
  readonly times: number;
}

/** Rounds of an isolate before it is steady. */
const WARM_UP_ROUNDS = 3;

/**
 * Measures an index in fresh isolates.
 *
 * @param queries Alternately of both styles.
 */
export async function measureQueryCpu(index: EncodedIndex, queries: readonly SyntheticQuery[], effort: Effort): Promise<MeasuredRanking> {
  const worker = await bundleWorker(index.head.documents);
  const fresh: number[][] = [];
  let steady: Omit<MeasuredRanking, 'fresh'> | undefined;
  for (let number = 0; number < effort.isolates; number++) {
    const isolate = new WorkerdIsolate(worker, index);
    try {
      await isolate.load();
      const memoryBefore = isolate.memory();
      const empty = await emptyRequest(isolate);
      const first = queries.filter(({ style }) => style === 'sentence').slice(number * 3, number * 3 + 3);
      const costs: number[] = [];
      for (const { text } of first) costs.push(Math.max(0, (await isolate.cpuOf([text], 1)) - empty));
      fresh.push(costs);
      if (number === effort.isolates - 1) steady = await measureSteady(isolate, queries, effort, memoryBefore);
    } finally {
      await isolate.close();
    }
  }
  if (steady === undefined) throw new Error('Nothing is measured without an isolate');
  return { ...steady, fresh: [0, 1, 2].map((place) => mean(fresh.map((costs) => costs[place] ?? 0))) };
}

async function measureSteady(
  isolate: WorkerdIsolate,
  queries: readonly SyntheticQuery[],
  { queries: count, times }: Effort,
  memoryBefore: number,
): Promise<Omit<MeasuredRanking, 'fresh'>> {
  const texts = (style: SyntheticQuery['style']): string[] =>
    queries
      .filter((query) => query.style === style)
      .slice(0, count)
      .map(({ text }) => text);
  const [titles, sentences] = [texts('title'), texts('sentence')];
  const answers = await isolate.rank([...titles, ...sentences], 1);
  // Each in its own request: a connection is closed after seconds without a response.
  for (let round = 0; round < WARM_UP_ROUNDS; round++) for (const text of [...titles, ...sentences]) await isolate.rank([text], times);
  const measure = async (style: readonly string[]): Promise<QueryCpu> => {
    const empty = await emptyRequest(isolate);
    const each: number[] = [];
    for (const text of style) each.push(((await isolate.cpuOf([text], times)) - empty) / times);
    return { mean: mean(each), p95: percentile(each, 0.95) };
  };
  const spread = (values: readonly number[]) => ({ mean: mean(values), p95: percentile(values, 0.95), max: Math.max(...values) });
  return {
    steady: { title: await measure(titles), sentence: await measure(sentences) },
    reads: spread(answers.map(({ reads }) => reads)),
    bytes: spread(answers.map(({ bytes }) => bytes)),
    memoryBefore,
    memoryAfter: isolate.memory(),
  };
}

/** CPU of a request without queries. */
async function emptyRequest(isolate: WorkerdIsolate): Promise<number> {
  await isolate.cpuOf([], 1);
  const costs: number[] = [];
  for (let turn = 0; turn < 9; turn++) costs.push(await isolate.cpuOf([], 1));
  return percentile(costs, 0.5);
}
