import { setTimeout as wait } from 'node:timers/promises';
import { HttpConnection } from './http-connection.ts';
import type { LoadRequest } from './raw-request.ts';

/** How a load is put on a service. */
export interface LoadPlan {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, evenly spaced; without it each connection asks again as soon as it has its answer. */
  readonly rate?: number;
  /** Sent in this order, again from the first after the last. */
  readonly requests: readonly LoadRequest[];
}

/** One request that was answered. */
export interface Answered {
  /** Place of its route in {@link LoadOutcome.routes}. */
  readonly route: Uint8Array;
  readonly atMs: Float64Array;
  readonly latencyMs: Float64Array;
}

/** What a load gave. */
export interface LoadOutcome {
  readonly elapsedMs: number;
  readonly routes: readonly string[];
  /** Of every answer: its route, when it came (milliseconds since the beginning), and how long it took. */
  readonly answered: Answered;
  readonly serverErrors: number;
  readonly socketErrors: number;
  /** Answers with another status than the request should have, 5xx among them. */
  readonly unexpected: number;
  /** Number of answers by `<route>: <status>`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** What the first failed connections said. */
  readonly reasons: readonly string[];
}

const REASONS_MAX = 5;

/**
 * Puts a load on a service. With a rate, a request that finds all connections busy waits, and its latency counts from the moment at
 * which it should have been sent, so that a service that stalls is not asked less (coordinated omission).
 */
export async function runLoad({ host, port, connections, seconds, rate, requests }: LoadPlan): Promise<LoadOutcome> {
  const routes = [...new Set(requests.map(({ route }) => route))];
  const answered: Record<'route' | 'atMs' | 'latencyMs', number[]> = { route: [], atMs: [], latencyMs: [] };
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
      const now = performance.now();
      answered.route.push(routes.indexOf(request.route));
      answered.atMs.push(now - started);
      answered.latencyMs.push(now - fromMs);
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
  await (rate === undefined ? askOn(opened, endMs, sendOne) : askAtRate(opened, started, seconds * rate, rate, sendOne));
  const elapsedMs = performance.now() - started;
  for (const connection of opened) connection.close();
  return {
    elapsedMs,
    routes,
    answered: {
      route: Uint8Array.from(answered.route),
      atMs: Float64Array.from(answered.atMs),
      latencyMs: Float64Array.from(answered.latencyMs),
    },
    serverErrors,
    socketErrors,
    unexpected,
    statuses,
    reasons,
  };
}

type SendOne = (connection: HttpConnection, turn: number, fromMs: number) => Promise<void>;

async function askOn(connections: readonly HttpConnection[], endMs: number, sendOne: SendOne): Promise<void> {
  let turn = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (let now = performance.now(); now < endMs; now = performance.now()) await sendOne(connection, turn++, now);
    }),
  );
}

/** Each connection takes the next request that is due, or waits for it; a timer is late by a millisecond or so, which counts. */
async function askAtRate(
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
