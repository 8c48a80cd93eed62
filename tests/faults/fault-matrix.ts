import { startRanking } from '../../src/gateway/knowledge/corpus.ts';
import type { Ranking } from '../../src/gateway/knowledge/read-generation.ts';
import { errorsOf, type Route } from '../../src/http/define-route.ts';
import type { Gateway } from '../../src/http/gateway-app.ts';
import { blockDigest } from '../../src/platform/block-stores.ts';
import type { AuthoredContent } from '../../src/publication/authored-content.ts';
import { routeTable } from '../../src/routes/route-table.ts';
import { blockPath, PATHS } from '../../src/schemas/paths.ts';
import { compiledKernel } from '../support/compiled-kernel.ts';
import { sampleContent } from '../support/generations.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../support/simulated/database.ts';
import { simulatedAssets } from '../support/simulated/faults.ts';
import { simulatedGateway } from '../support/simulated/gateway.ts';
import { buildInTurn, type InMemoryBuild } from '../support/simulated/in-memory-build.ts';
import { simulatedKeyValue } from '../support/simulated/key-value.ts';
import { SimulatedTime, simulatedRuntime } from '../support/simulated/time.ts';
import type { FaultKind, FaultyCall } from './fault-kinds.ts';
import { FaultyStores } from './faulty-stores.ts';
import { type Judgement, judge } from './judge-answer.ts';
import { BEGINNING_MS, BROKEN_OFF, makeScenarios, type PlainAnswer, type PlainRequest, type Scenario } from './scenarios.ts';

/** Longest time that an answer may take whatever fails, in milliseconds. */
const ANSWER_MS_MAX = 10_000;

/** Time after which locations of KV see what they held to be missing, and slow writes have arrived. */
const HEALED_MS = 61_000;

/** What came of one scenario under one plan of faults. */
export interface FaultOutcome extends Judgement {
  /** Simulated milliseconds until the answer. */
  readonly tookMs: number;
}

/** A plan: the fault of each call that has one, by the number of the call. */
export type FaultPlan = ReadonlyMap<number, FaultKind>;

/** A scenario, the calls of stores that it makes when all is well, and its route. */
export interface LearnedScenario {
  readonly scenario: Scenario;
  readonly calls: readonly FaultyCall[];
  readonly run: (plan: FaultPlan) => Promise<FaultOutcome>;
}

/** Everything that scenarios run on. Made once. */
interface Builds {
  readonly newest: InMemoryBuild;
  readonly earlier: InMemoryBuild;
  readonly newCapsule: string;
  readonly ranking: Ranking;
  /** Emptied before each run: making one takes longer than most runs. */
  readonly database: SimulatedDatabase;
}

/** All scenarios that a deployment can answer, with the calls that they make. */
export async function learnScenarios(): Promise<LearnedScenario[]> {
  const builds = await makeBuilds();
  const { deployment, generation } = builds.newest.generated;
  const routes = routeTable(deployment).filter(({ servedBy }) => servedBy === 'function');
  const written = makeScenarios(builds.newCapsule, [generation.version, builds.earlier.generated.generation.version]);
  const others = routes.filter(
    ({ id, method, path }) => method === 'GET' && !path.includes('{') && written.every(({ operation }) => operation !== id),
  );
  const plain = others.map(({ id, path }): Scenario => ({ name: id, operation: id, request: { path } }));
  const learned: LearnedScenario[] = [];
  for (const scenario of [...written, ...plain]) {
    const route = routes.find(({ id }) => id === scenario.operation);
    if (route !== undefined) learned.push(await learn(scenario, route, builds));
  }
  return learned;
}

async function learn(scenario: Scenario, route: Route, builds: Builds): Promise<LearnedScenario> {
  const usual = await runOnce(scenario, builds, new Map());
  if (usual.answer.status >= 500) throw new Error(`"${scenario.name}" fails when nothing does: ${usual.answer.text}`);
  const fromEarlier =
    scenario.before || scenario.effects ? undefined : await runOnce(scenario, { ...builds, newest: builds.earlier }, new Map());
  const degraded = scenario.degradedRequest
    ? await runOnce(
        { ...scenario, request: scenario.degradedRequest, before: async () => scenario.degradedRequest ?? scenario.request },
        builds,
        new Map(),
      )
    : undefined;
  const expected = {
    scenario,
    codes: errorsOf(route),
    usual: usual.answer,
    healed: usual.healed,
    fromEarlier: fromEarlier?.answer,
    degraded: degraded?.answer,
  };
  return {
    scenario,
    calls: usual.calls,
    run: async (plan) => {
      const { answer, repeated, healed, counts, tookMs } = await runOnce(scenario, builds, plan);
      const judgement = judge(
        { answer, repeated, healed, counts, jumps: [...plan.values()].some((kind) => kind === 'ahead' || kind === 'behind') },
        expected,
      );
      if (judgement.wrong === undefined && tookMs > ANSWER_MS_MAX) return { ...judgement, wrong: `it took ${tookMs} ms`, tookMs };
      return { ...judgement, tookMs };
    },
  };
}

/** Answers to one scenario: under the plan, repeated at once without faults, and repeated when all caches have forgotten. */
async function runOnce(scenario: Scenario, builds: Builds, plan: FaultPlan) {
  const time = new SimulatedTime(BEGINNING_MS);
  const { database } = builds;
  emptyTables(database);
  const stores = new FaultyStores(time);
  const own = await isolate(scenario, builds, time, stores);
  const request = await before(scenario, builds, time);
  if (scenario.isWarm) await send(own, request, time);
  const beganMs = time.nowMs;
  stores.begin(plan);
  const answer = await send(own, request, time);
  const calls = stores.end();
  const tookMs = answer.atMs - beganMs;
  const repeated = scenario.effects ? await send(own, request, time) : undefined;
  stores.forgetMissing();
  await time.advance(HEALED_MS);
  const healed = await send(own, request, time);
  const counts = (scenario.effects ?? []).map((sql) => Number(database.look(sql)[0]?.['n']));
  return { answer, repeated, healed, counts, calls, tookMs };
}

/** What was done before a scenario, in another isolate; gives the scenario's request. */
async function before(scenario: Scenario, builds: Builds, time: SimulatedTime): Promise<PlainRequest> {
  if (scenario.before === undefined) return scenario.request;
  const elsewhere = await isolate(scenario, builds, time, new FaultyStores(time));
  return scenario.before((given) => send(elsewhere, given, time));
}

function emptyTables({ look }: SimulatedDatabase): void {
  for (const { name } of look("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'"))
    look(`DELETE FROM ${String(name)}`);
  look('DELETE FROM sqlite_sequence');
}

async function isolate(
  { storage }: Scenario,
  { newest, earlier, ranking, database }: Builds,
  time: SimulatedTime,
  stores: FaultyStores,
): Promise<Gateway> {
  const namespace = simulatedKeyValue(time);
  namespace.fill(newest.blocks);
  namespace.fill(earlier.blocks);
  const page = new TextEncoder().encode(
    '<!doctype html><title>A page</title><!--slot:main--><!--/slot:main--><!--slot:form--><!--/slot:form-->',
  );
  const pages = ['/buy/evidence-review', PATHS.checkout, PATHS.invoice, PATHS.buyInvoice, `${PATHS.orders}/blank`].map(
    (path) => [path, page] as const,
  );
  const blocks = [...newest.blocks, ...earlier.blocks].map(([key, bytes]) => [blockPath(blockDigest(key)), bytes] as const);
  const { deployment } = newest.generated;
  const world = simulatedRuntime(time);
  return simulatedGateway({
    generated: { ...newest.generated, deployment: { ...deployment, intake: 'open', ...(storage ? { storage } : {}) } },
    world: { ...world, clock: stores.clock() },
    database: stores.database(database.binding()),
    keyValue: stores.keyValue(namespace.binding('here')),
    assets: stores.assets(simulatedAssets(time, new Map([...pages, ...(storage ? blocks : [])]))),
    ranking,
  });
}

/** Sends a request, waits for its answer and then for the work that goes on after it. */
async function send(
  gateway: Gateway,
  { path, method = 'GET', headers, body }: { method?: string } & Omit<PlainRequest, 'method'>,
  time: SimulatedTime,
): Promise<PlainAnswer & { atMs: number }> {
  const deferred: Promise<unknown>[] = [];
  const request = new Request(`${TEST_BASE_URL}${path}`, {
    method,
    headers: { 'CF-Connecting-IP': '192.0.2.1', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await time.run(gateway(request, (work) => void deferred.push(work)));
  const atMs = time.nowMs;
  const text = await time.run(response.text().catch(() => BROKEN_OFF));
  await time.run(Promise.all(deferred));
  return { status: response.status, headers: response.headers, text, atMs };
}

/** Two deploys of the sample publication, the newer of which has a capsule more and another with a changed text. */
async function makeBuilds(): Promise<Builds> {
  const sample = await sampleContent();
  const newCapsule = 'bm25';
  const contents = [older(sample, newCapsule), sample];
  const [earlier, newest] = await buildInTurn(contents);
  if (earlier === undefined || newest === undefined) throw new Error('two deploys make two builds');
  return {
    newest,
    earlier,
    newCapsule,
    ranking: startRanking(compiledKernel(), newest.generated.generation.manifest.index.documents),
    database: simulatedDatabase(new SimulatedTime(BEGINNING_MS)),
  };
}

/** The publication before a capsule was added that others lean on now. */
function older(sample: AuthoredContent, added: string): AuthoredContent {
  const capsules = sample.capsules.filter(({ id }) => id !== added);
  return {
    ...sample,
    capsules: capsules.map((capsule) => {
      const { derived_from, cites, supersedes, ...rest } = capsule.frontMatter;
      const without = (ids: readonly string[]): string[] => ids.filter((id) => id !== added);
      const frontMatter = {
        ...rest,
        derived_from: without(derived_from),
        cites: without(cites),
        supersedes: supersedes.filter(({ capsule }) => capsule !== added),
      };
      return { ...capsule, frontMatter };
    }),
  };
}
