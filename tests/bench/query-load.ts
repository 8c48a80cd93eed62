import { resolve } from 'node:path';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { textTable } from '../eval/text-table.ts';
import { announceCampaign, newCampaign } from '../support/campaign.ts';
import { PUBLICATION } from '../support/paths.ts';
import { type LoadRequest, rawRequest } from './load/http-connection.ts';
import {
  BARE,
  BARE_WRITE,
  type CountingCost,
  countingGoal,
  goalsOf,
  goalText,
  type LoadReport,
  loadReportText,
  REPEATED,
  type RouteCost,
} from './load/load-report.ts';
import {
  buildForLoad,
  buildWithEdgePages,
  type LoadedGateway,
  type LoadedService,
  startBareWorker,
  startLoadedGateway,
} from './load/loaded-service.ts';
import { COMPARED_ROUTES, MIX_ROUTES, mixedRequests, rejectedRequests } from './load/mixed-requests.ts';
import { countOf, latenciesOf, perSecond, runLoadInThread, type ThreadOutcome } from './load/run-load.ts';
import { cpuMsOf } from './process-figures.ts';

interface ComparedRoute extends RouteCost {
  readonly missingBlocks: number;
  /** Share of requests that the cache of the location answered with a document that it had. */
  readonly cachedShare: number;
}

interface ComparedCorpus {
  readonly capsules: number;
  readonly routes: readonly ComparedRoute[];
}

const RATIO_MAX = 2;

function ratiosOf(small: ComparedCorpus, large: ComparedCorpus): number[] {
  return small.routes.map(({ outcome }, at) => perSecond(outcome) / perSecond((large.routes[at] as ComparedRoute).outcome));
}

/** Whether a large corpus serves every route at least at half the rate of a small one, and both respond as expected. */
function isComparable(small: ComparedCorpus, large: ComparedCorpus): boolean {
  const outcomes = [...small.routes, ...large.routes].map(({ outcome }) => outcome);
  return (
    ratiosOf(small, large).every((ratio) => ratio <= RATIO_MAX) &&
    outcomes.every(({ unexpected, socketErrors }) => unexpected + socketErrors === 0)
  );
}

/** Two corpora side by side, for a terminal. */
function comparisonText(small: ComparedCorpus, large: ComparedCorpus, connections: number): string {
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

/**
 * The gateway in workerd under a mix of requests: throughput and latency with busy connections and at a fixed rate; CPU of each route;
 * refused requests; compared with an empty route in the same run. Or, with a publication, the routes that read, of the sample and of that
 * publication. Only the ratios can be compared between machines. Linux only. Exit code 1 if a goal is not met.
 */
const {
  seed = 1,
  seconds,
  connections,
  rate,
  publication,
  counting: isCountingAlone,
} = newCampaign(
  'bench:load',
  'Measure requests per second, latency and CPU of the gateway in workerd under a mix of requests. Linux only. Exit code 1: a goal is not met.',
)
  .option('--seconds <number>', 'how long each load lasts', wholeNumber(1), 60)
  .option('--connections <number>', 'connections that are kept busy', wholeNumber(1), 10)
  .option('--rate <number>', 'requests a second at a fixed rate', wholeNumber(1), 500)
  .option('--publication <folder>', 'compares the sample with this publication, such as one that bench:build keeps, route by route')
  .option('--counting', 'only what counting costs a query: some minutes')
  .parse()
  .opts();
announceCampaign('bench:load', seed, { seconds, connections, rate, publication, counting: isCountingAlone });

const RATE_CONNECTIONS = 20;
const REQUESTS = 4_000;

/** Few enough for the isolate to keep all answers. */
const REPEATED_QUERIES = 40;

/** Distinct requests of a route of which two corpora are compared. */
const COMPARED_REQUESTS = 20_000;

/** Warm-up before each measurement, which compiles code and fills caches. */
const WARM_UP_SECONDS = 3;

async function costOf(
  route: string,
  { host, port, pid }: LoadedService,
  requests: readonly LoadRequest[],
  { time = seconds / 5, warmUp = WARM_UP_SECONDS } = {},
): Promise<RouteCost & { readonly outcome: ThreadOutcome }> {
  if (warmUp > 0) await runLoadInThread({ host, port, connections, requests, seconds: warmUp });
  const before = cpuMsOf(pid);
  const outcome = await runLoadInThread({ host, port, connections, requests, seconds: time });
  return { route, outcome, cpuMs: (cpuMsOf(pid) - before) / Math.max(1, countOf(outcome)) };
}

async function withService<S extends LoadedService, T>(starting: Promise<S>, use: (service: S) => Promise<T>): Promise<T> {
  const service = await starting;
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}

const COUNTING_TURNS = 11;

/** Both gateways run at the same time and are loaded in turns, each first in every other one. */
async function countingCost(): Promise<CountingCost> {
  return withService(startLoadedGateway('none'), (counted) =>
    withService(startLoadedGateway('uncounted'), async (uncounted) => {
      const ratios: number[] = [];
      let asked = 0;
      const costIn = async (gateway: LoadedGateway, turn: number): Promise<RouteCost> => {
        const requests = mixedRequests(gateway.corpus, gateway.client, REQUESTS, seed, ['query']);
        return costOf('query', gateway, requests, { time: seconds / 10, warmUp: turn === 0 ? WARM_UP_SECONDS : 0 });
      };
      for (let turn = 0; turn < COUNTING_TURNS; turn += 1) {
        const isFirst = turn % 2 === 0;
        const before = isFirst ? undefined : await costIn(uncounted, turn);
        const cost = await costIn(counted, turn);
        const other = before ?? (await costIn(uncounted, turn));
        ratios.push(cost.cpuMs / other.cpuMs);
        asked += countOf(cost.outcome);
      }
      return { ratios, rowsPerRequest: (await counted.countedRows()) / asked };
    }),
  );
}

/** Each route of the gateway alone. Requests are as many as the largest corpus has capsules, and those of the warm-up are others. */
async function compareRoutes(gateway: LoadedGateway): Promise<ComparedRoute[]> {
  const { host, port, corpus, client, reads } = gateway;
  const compared: ComparedRoute[] = [];
  for (const route of COMPARED_ROUTES) {
    const requestsOf = (ofSeed: number): LoadRequest[] => mixedRequests(corpus, client, COMPARED_REQUESTS, ofSeed, [route]);
    await runLoadInThread({ host, port, connections, requests: requestsOf(seed + 1), seconds: WARM_UP_SECONDS });
    const readBefore = await reads();
    const cost = await costOf(route, gateway, requestsOf(seed), { warmUp: 0 });
    const read = await reads();
    const count = Math.max(1, countOf(cost.outcome));
    compared.push({
      ...cost,
      missingBlocks: (read.blocks - readBefore.blocks) / count,
      cachedShare: (read.cachedDocuments - readBefore.cachedDocuments) / count,
    });
  }
  return compared;
}

/** Compares the sample with a publication; exit code 1 if a rate differs by more than a factor of two. */
async function compareWith(folder: string): Promise<number> {
  const measured = [];
  for (const root of [PUBLICATION, resolve(folder)]) {
    console.error(`building ${root}`);
    const built = await buildWithEdgePages(root);
    console.error('measuring it');
    const measure = async (gateway: LoadedGateway) => ({ capsules: gateway.corpus.capsules.length, routes: await compareRoutes(gateway) });
    measured.push(await withService(startLoadedGateway('none', built), measure));
  }
  const [sample, large] = measured as [(typeof measured)[0], (typeof measured)[0]];
  console.log(comparisonText(sample, large, connections));
  return isComparable(sample, large) ? 0 : 1;
}

if (publication !== undefined) process.exit(await compareWith(publication));
console.error('building');
await buildForLoad();
console.error('a query, counted and not');
const counting = await countingCost();
if (isCountingAlone) {
  const goal = countingGoal(counting);
  console.log(goalText(goal));
  process.exit(goal.met ? 0 : 1);
}
console.error('the gateway');
const measured = await withService(startLoadedGateway('none'), async (gateway) => {
  const requests = mixedRequests(gateway.corpus, gateway.client, REQUESTS, seed);
  const { host, port } = gateway;
  const { outcome: closed } = await costOf('mix', gateway, requests, { time: seconds });
  const fixed = await runLoadInThread({ host, port, connections: RATE_CONNECTIONS, requests, rate, seconds });
  const costs: RouteCost[] = [];
  for (const route of MIX_ROUTES) {
    costs.push(await costOf(route, gateway, mixedRequests(gateway.corpus, gateway.client, REQUESTS, seed, [route])));
  }
  costs.push(await costOf(REPEATED, gateway, mixedRequests(gateway.corpus, gateway.client, REPEATED_QUERIES, seed, ['query'])));
  return { closed, fixed, costs, generatorBusy: closed.generatorBusy };
});
console.error('the bare routes');
const yardsticks = await withService(startBareWorker(), async (service) => {
  const body = '{"query":"What does a route cost that does nothing?"}';
  const costOfMethod = (route: string, method: 'POST' | 'PATCH'): Promise<RouteCost> => {
    const bytes = rawRequest(`${service.host}:${service.port}`, { method, path: '/', body });
    return costOf(route, service, [{ route, bytes, statuses: [200] }]);
  };
  return [await costOfMethod(BARE, 'POST'), await costOfMethod(BARE_WRITE, 'PATCH')];
});
console.error('refused requests');
const rejected = await withService(startLoadedGateway('limited'), ({ host, port, client }) =>
  runLoadInThread({ host, port, connections, requests: rejectedRequests(client.host), seconds: seconds / 5 }),
);
const report: LoadReport = {
  connections,
  rate,
  rateConnections: RATE_CONNECTIONS,
  seconds,
  seed,
  ...measured,
  costs: [...measured.costs, ...yardsticks],
  counting,
  rejected,
};
console.log(loadReportText(report));
process.exitCode = goalsOf(report).every(({ met }) => met) ? 0 : 1;
