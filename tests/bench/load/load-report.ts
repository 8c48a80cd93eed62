import { median } from '../../eval/statistics.ts';
import { textTable } from '../../eval/text-table.ts';
import { MIX_ROUTES, MIX_TEXT } from './mixed-requests.ts';
import { type LoadOutcome, latenciesOf, perSecond } from './run-load.ts';

export const BARE = 'bare Hono route';

/** Queries that the isolate has answered before; all others are new to it. */
export const REPEATED = 'query, repeated';

/** The same route with one row written to D1. The difference is the cost of the simulator, of which every write has at least as much. */
export const BARE_WRITE = 'bare, one D1 write';

export interface RouteCost {
  readonly route: string;
  readonly cpuMs: number;
  readonly outcome: LoadOutcome;
}

export interface CountingCost {
  /** CPU of a counted query, divided by that of one that is not counted, in each turn. */
  readonly ratios: readonly number[];
  /** Rows that the counts wrote, all after responses, for each request. */
  readonly rowsPerRequest: number;
}

export interface LoadReport {
  readonly connections: number;
  readonly rate: number;
  readonly rateConnections: number;
  readonly seconds: number;
  readonly seed: number;
  /** Each route alone, for a part of the time; also {@link BARE} and {@link BARE_WRITE}. */
  readonly costs: readonly RouteCost[];
  readonly closed: LoadOutcome;
  readonly fixed: LoadOutcome;
  readonly rejected: LoadOutcome;
  /** Share of time in which the load generator was busy during the closed loop. */
  readonly generatorBusy: number;
  readonly counting: CountingCost;
}

const GOALS = { perSecond: 1_000, p99Ms: 100, fixedP99Ms: 300, countingShare: 0.03, countedRows: 0.1 } as const;

export interface Goal {
  readonly text: string;
  readonly measured: string;
  readonly met: boolean;
}

export function goalsOf({ closed, fixed, rejected, rate, counting }: LoadReport): Goal[] {
  const faults = (outcome: LoadOutcome): string => `${outcome.serverErrors} and ${outcome.socketErrors}`;
  const isClean = (outcome: LoadOutcome): boolean => outcome.serverErrors + outcome.socketErrors === 0;
  const asked = perSecond(closed);
  const { p99 } = latenciesOf(closed);
  const fixedP99 = latenciesOf(fixed).p99;
  return [
    { text: `mix, at least ${GOALS.perSecond} requests/s`, measured: asked.toFixed(0), met: asked >= GOALS.perSecond },
    { text: `mix, p99 at most ${GOALS.p99Ms} ms`, measured: `${p99.toFixed(1)} ms`, met: p99 <= GOALS.p99Ms },
    { text: 'mix, no 5xx and no socket error', measured: faults(closed), met: isClean(closed) },
    { text: `${rate}/s, p99 at most ${GOALS.fixedP99Ms} ms`, measured: `${fixedP99.toFixed(1)} ms`, met: fixedP99 <= GOALS.fixedP99Ms },
    { text: `${rate}/s, no 5xx and no socket error`, measured: faults(fixed), met: isClean(fixed) },
    { text: 'refused with a body, no 5xx and no socket error', measured: faults(rejected), met: isClean(rejected) },
    countingGoal(counting),
    {
      text: 'no unexpected status',
      measured: `${closed.unexpected + fixed.unexpected + rejected.unexpected}`,
      met: closed.unexpected + fixed.unexpected + rejected.unexpected === 0,
    },
  ];
}

/** The median of the turns: what else the machine does falls on one turn or the other. */
export function countingGoal({ ratios, rowsPerRequest }: CountingCost): Goal {
  const share = median(ratios) - 1;
  const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => (100 * (ratio - 1)).toFixed(1));
  return {
    text: `counting costs a query at most ${percent(GOALS.countingShare)} of CPU, and no write before its response`,
    measured: `${(100 * share).toFixed(1)} % (${lowest} to ${highest} % in ${ratios.length} turns), ${rowsPerRequest.toFixed(4)} rows afterwards`,
    met: share <= GOALS.countingShare && rowsPerRequest <= GOALS.countedRows,
  };
}

export const goalText = ({ text, measured, met }: Goal): string => `${met ? 'met    ' : 'NOT MET'}  ${text}: ${measured}`;

export function loadReportText(report: LoadReport): string {
  const { connections, rate, rateConnections, seconds, seed, costs, closed, fixed, rejected, generatorBusy } = report;
  const bare = costs.find(({ route }) => route === BARE);
  const bareRate = bare ? perSecond(bare.outcome) : Number.NaN;
  const times = [
    latencyRow('mix, closed loop', closed),
    ...MIX_ROUTES.map((route) => latencyRow(`  ${route}`, closed, route)),
    latencyRow(`mix, ${rate}/s`, fixed),
    ...costs.map(({ route, outcome }) => latencyRow(isYardstick(route) ? route : `${route} alone`, outcome)),
    latencyRow('refused', rejected),
  ];
  const cpu = costs.map(({ route, cpuMs, outcome }) => [
    route,
    `${cpuMs.toFixed(3)} ms`,
    (cpuMs / (bare?.cpuMs ?? Number.NaN)).toFixed(1),
    (perSecond(outcome) / bareRate).toFixed(2),
  ]);
  return [
    `workerd under ${MIX_TEXT}; seed ${seed}, ${seconds} s, ${connections} connections, at a fixed rate ${rateConnections}`,
    'Rate limits are lifted (RATE_LIMITS=bench), except for refused requests. KV and D1 are simulators in the same process, in memory. Requests come',
    `from a thread on the same machine, busy ${percent(generatorBusy)} of the closed loop. At a fixed rate latency counts from the intended start.`,
    '',
    textTable([['', 'requests/s', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms', 'requests', '5xx', 'socket', 'unexpected'], ...times]),
    '',
    `CPU of workerd for one request, each route alone; the rate of the mix is ${(perSecond(closed) / bareRate).toFixed(2)} of the bare route's`,
    textTable([['', 'CPU', 'times bare', 'rate of bare'], ...cpu]),
    '',
    `refused: ${Object.entries(rejected.statuses)
      .map(([name, count]) => `${name} ${count} times`)
      .join('; ')}`,
    ...[closed, fixed, rejected].flatMap(({ reasons }) => reasons),
    '',
    ...goalsOf(report).map(goalText),
  ].join('\n');
}

function isYardstick(route: string): boolean {
  return [BARE, BARE_WRITE].includes(route);
}

function latencyRow(name: string, outcome: LoadOutcome, route?: string): string[] {
  const { count, p50, p90, p99, max } = latenciesOf(outcome, route);
  const faults = [outcome.serverErrors, outcome.socketErrors, outcome.unexpected];
  return [
    name,
    ((count * 1_000) / outcome.elapsedMs).toFixed(0),
    ...[p50, p90, p99, max].map((value) => value.toFixed(1)),
    String(count),
    ...faults.map((number) => (route === undefined ? String(number) : '')),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
