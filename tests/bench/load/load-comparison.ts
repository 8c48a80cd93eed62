import { textTable } from '../../eval/text-table.ts';
import { latenciesOf, perSecond } from './load-figures.ts';
import type { RouteCost } from './load-report.ts';

/** One route of a corpus, alone. */
export interface ComparedRoute extends RouteCost {
  /** Blocks a request that the memory of the isolate lacked. */
  readonly missingBlocks: number;
  /** Share of requests that the cache of the location answered with a document that it had. */
  readonly cachedShare: number;
}

/** A corpus under load. */
export interface ComparedCorpus {
  readonly capsules: number;
  readonly routes: readonly ComparedRoute[];
}

/** How many times the rate of the smaller corpus may be that of the larger. */
const RATIO_MAX = 2;

/** Rate of each route of a small corpus, divided by that of a large one. */
function ratiosOf(small: ComparedCorpus, large: ComparedCorpus): number[] {
  return small.routes.map(({ outcome }, at) => perSecond(outcome) / perSecond((large.routes[at] as ComparedRoute).outcome));
}

/** Whether a large corpus serves every route at least at half the rate of a small one, and both respond as expected. */
export function isComparable(small: ComparedCorpus, large: ComparedCorpus): boolean {
  const outcomes = [...small.routes, ...large.routes].map(({ outcome }) => outcome);
  return (
    ratiosOf(small, large).every((ratio) => ratio <= RATIO_MAX) &&
    outcomes.every(({ unexpected, socketErrors }) => unexpected + socketErrors === 0)
  );
}

/** Two corpora side by side, for a terminal. */
export function comparisonText(small: ComparedCorpus, large: ComparedCorpus, connections: number): string {
  const ratios = ratiosOf(small, large);
  const rows = small.routes.map((route, at) => {
    const other = large.routes[at] as ComparedRoute;
    const pair = (figureOf: (of: ComparedRoute) => string): string => `${figureOf(route)} | ${figureOf(other)}`;
    const latency = (percentile: 'p50' | 'p99') => pair(({ outcome }) => latenciesOf(outcome)[percentile].toFixed(1));
    return [
      route.route,
      pair(({ outcome }) => perSecond(outcome).toFixed(0)),
      (ratios[at] ?? Number.NaN).toFixed(2),
      pair(({ cpuMs }) => cpuMs.toFixed(2)),
      latency('p50'),
      latency('p99'),
      pair(({ missingBlocks }) => missingBlocks.toFixed(2)),
      pair(({ cachedShare }) => `${(cachedShare * 100).toFixed(0)} %`),
      pair(({ outcome }) => `${outcome.unexpected + outcome.socketErrors}`),
    ];
  });
  return [
    `${small.capsules} | ${large.capsules} capsules, each route alone with ${connections} busy connections; functions serve all pages`,
    textTable([['', 'requests/s', 'ratio', 'CPU ms', 'p50 ms', 'p99 ms', 'blocks not in memory', 'cached documents', 'failed'], ...rows]),
    `${ratios.every((ratio) => ratio <= RATIO_MAX) ? 'met    ' : 'NOT MET'}  rates within a factor of ${RATIO_MAX}`,
  ].join('\n');
}
