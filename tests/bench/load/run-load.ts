import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { percentile } from '../../eval/statistics.ts';
import { HttpConnection, type LoadRequest } from './http-connection.ts';

export interface LoadPlan {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, evenly spaced; without it each connection sends the next request after each response. */
  readonly rate?: number;
  readonly requests: readonly LoadRequest[];
}

export interface LoadOutcome {
  readonly elapsedMs: number;
  /** Latencies of all responses in milliseconds, by route. */
  readonly latenciesMs: ReadonlyMap<string, readonly number[]>;
  readonly serverErrors: number;
  readonly socketErrors: number;
  /** Responses with an unexpected status, 5xx included. */
  readonly unexpected: number;
  /** Number of responses by `<route>: <status>`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Errors of the first failed connections. */
  readonly reasons: readonly string[];
}

const REASONS_MAX = 5;

/**
 * Puts a load on a service. With a rate, a request waits while all connections are busy, and its latency counts from its intended start, so
 * that a stalled service does not get fewer requests (coordinated omission).
 */
async function runLoad({ host, port, connections, seconds, rate, requests }: LoadPlan): Promise<LoadOutcome> {
  const latenciesMs = new Map<string, number[]>(requests.map(({ route }) => [route, []]));
  const statuses: Record<string, number> = {};
  const reasons: string[] = [];
  let serverErrors = 0;
  let unexpected = 0;
  let socketErrors = 0;
  const started = performance.now();
  const endMs = started + seconds * 1_000;
  const sendOne = async (connection: HttpConnection, turn: number, fromMs: number): Promise<void> => {
    const request = requests[turn % requests.length];
    if (request === undefined) throw new Error('a load needs at least one request');
    try {
      const { status } = await connection.send(request.bytes);
      latenciesMs.get(request.route)?.push(performance.now() - fromMs);
      if (status >= 500) serverErrors += 1;
      if (!request.statuses.includes(status)) unexpected += 1;
      const name = `${request.route}: ${status}`;
      statuses[name] = (statuses[name] ?? 0) + 1;
    } catch (error) {
      socketErrors += 1;
      if (reasons.length < REASONS_MAX) reasons.push(`${request.route}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const opened = Array.from({ length: connections }, () => new HttpConnection(host, port));
  await (rate === undefined ? sendInLoop(opened, endMs, sendOne) : sendAtRate(opened, started, seconds * rate, rate, sendOne));
  const elapsedMs = performance.now() - started;
  for (const connection of opened) connection.close();
  return { elapsedMs, latenciesMs, serverErrors, socketErrors, unexpected, statuses, reasons };
}

/** The latencies of all responses, or of those of one route, in milliseconds. */
export function latenciesOf({ latenciesMs }: LoadOutcome, route?: string) {
  const values = route === undefined ? [...latenciesMs.values()].flat() : (latenciesMs.get(route) ?? []);
  const [p50, p90, p99, max] = [0.5, 0.9, 0.99, 1].map((share) => percentile(values, share)) as [number, number, number, number];
  return { count: values.length, p50, p90, p99, max };
}

export function countOf({ latenciesMs }: LoadOutcome): number {
  return [...latenciesMs.values()].reduce((sum, { length }) => sum + length, 0);
}

export const perSecond = (outcome: LoadOutcome): number => (countOf(outcome) * 1_000) / outcome.elapsedMs;

type SendOne = (connection: HttpConnection, turn: number, fromMs: number) => Promise<void>;

async function sendInLoop(connections: readonly HttpConnection[], endMs: number, sendOne: SendOne): Promise<void> {
  let turn = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (let now = performance.now(); now < endMs; now = performance.now()) await sendOne(connection, turn++, now);
    }),
  );
}

/** Each connection sends the next due request, or waits for it; latency includes the delay of the timer, about a millisecond. */
async function sendAtRate(
  connections: readonly HttpConnection[],
  started: number,
  count: number,
  rate: number,
  sendOne: SendOne,
): Promise<void> {
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (next < count) {
        const turn = next++;
        const dueMs = started + (turn * 1_000) / rate;
        const early = dueMs - performance.now();
        if (early > 0) await wait(early);
        await sendOne(connection, turn, dueMs);
      }
    }),
  );
}

/** The outcome of a load, and the share of time in which its generator was busy: at 1 the generator was the bottleneck. */
export type ThreadOutcome = LoadOutcome & { readonly generatorBusy: number };

/** Runs a load in its own thread, so that this process delays neither requests nor responses. */
export function runLoadInThread(plan: LoadPlan): Promise<ThreadOutcome> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: plan });
    thread.once('message', (outcome: ThreadOutcome) => resolve(outcome));
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the load generator exited with ${code} and without an outcome`)));
  });
}

if (parentPort) {
  const before = performance.eventLoopUtilization();
  const outcome = await runLoad(workerData as LoadPlan);
  parentPort.postMessage({ ...outcome, generatorBusy: performance.eventLoopUtilization(before).utilization });
}
