import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '../../eval/statistics.ts';
import { cpuMsOf, memoryOf, type ProcessMemory } from '../process-figures.ts';
import type { SyntheticQuery } from '../synthetic-corpus.ts';
import type { EngineFigures } from './figures.ts';
import { HttpClient, measureLoad } from './http-client.ts';
import { type RunningWorker, startWorker, type WorkerSetting } from './start-worker.ts';

/** What is asked of a worker. */
export interface Asking {
  readonly queries: readonly SyntheticQuery[];
  /** Seconds of each steady measurement. */
  readonly seconds: number;
}

/** What a worker took, with the memory of its process after the queries that are asked one after the other. */
export type WorkerFigures = Pick<EngineFigures, 'cold' | 'steady' | 'known'> & { readonly process: ProcessMemory };

type FirstAnswer = EngineFigures['cold'];

const CONNECTIONS = [1, 10];

/** Fresh isolates that are asked once; fewer of an engine whose first answer is slow. */
const COLD_STARTS = 5;
const SLOW_COLD_STARTS = 2;
const SLOW_MS = 2_000;

/** Queries that are asked one after the other, before steady times are measured, and how long that may take. */
const KNOWN_QUERIES = 400;
const KNOWN_MAX_MS = 20_000;

const ANSWER_MAX_MS = 60_000;

/** What a Worker may hold (developers.cloudflare.com/workers/platform/limits). */
const ISOLATE_MEGABYTES = 128;
const BOUNDED_QUERIES = 20;

/** Starts a worker several times for its first answer, then asks the last one on. */
export async function measureWorker(setting: WorkerSetting, { queries, seconds }: Asking): Promise<WorkerFigures> {
  const firsts: FirstAnswer[] = [];
  for (;;) {
    const worker = await startWorker(setting);
    const client = new HttpClient(worker.address, 1);
    try {
      firsts.push(await firstAnswer(worker, client, queries[firsts.length]));
      if (firsts.length < (firsts.some(({ wallMs }) => wallMs > SLOW_MS) ? SLOW_COLD_STARTS : COLD_STARTS)) continue;
      const known = await askKnown(client, queries);
      const process = memoryOf(worker.pid);
      const steady = [];
      for (const connections of CONNECTIONS) steady.push(await measureSteady(worker, queries, connections, seconds));
      return { cold: medianOf(firsts), known, steady, process };
    } finally {
      client.close();
      await worker.stop();
    }
  }
}

/** Why a worker does not answer if its isolate may hold 128 MB of objects; `undefined` if it does. */
export async function failureInBounds(setting: WorkerSetting, queries: readonly SyntheticQuery[]): Promise<string | undefined> {
  const worker = await startWorker({ ...setting, heapMegabytes: ISOLATE_MEGABYTES });
  const client = new HttpClient(worker.address, 1);
  try {
    for (const query of queries.slice(0, BOUNDED_QUERIES)) await client.ask(pathOf(query), ANSWER_MAX_MS);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return /ECONNRESET|ECONNREFUSED|socket hang up/.test(message) ? `out of memory with ${ISOLATE_MEGABYTES} MB` : message;
  } finally {
    client.close();
    await worker.stop();
  }
}

async function firstAnswer(worker: RunningWorker, client: HttpClient, query: SyntheticQuery | undefined): Promise<FirstAnswer> {
  for (let turn = 0; turn < 3; turn += 1) await client.ask('/ready', ANSWER_MAX_MS);
  await wait(50);
  const cpu = cpuMsOf(worker.pid);
  const started = performance.now();
  await client.ask(pathOf(query), ANSWER_MAX_MS);
  const wallMs = performance.now() - started;
  // A thread's time is known once it rests.
  await wait(20);
  const cpuMs = cpuMsOf(worker.pid) - cpu;
  const reads = JSON.parse(await client.ask('/reads', ANSWER_MAX_MS)) as { reads: number; bytes?: number };
  return { wallMs, cpuMs, ...reads };
}

async function askKnown(client: HttpClient, queries: readonly SyntheticQuery[]): Promise<EngineFigures['known']> {
  const deadline = performance.now() + KNOWN_MAX_MS;
  let asked = 0;
  let found = 0;
  for (const query of queries.slice(0, KNOWN_QUERIES)) {
    if (performance.now() > deadline) break;
    const ids = JSON.parse(await client.ask(pathOf(query), ANSWER_MAX_MS)) as string[];
    asked += 1;
    if (ids.includes(query.id)) found += 1;
  }
  return { asked, found };
}

async function measureSteady(
  worker: RunningWorker,
  queries: readonly SyntheticQuery[],
  connections: number,
  seconds: number,
): Promise<EngineFigures['steady'][number]> {
  const client = new HttpClient(worker.address, connections);
  try {
    const cpu = cpuMsOf(worker.pid);
    const path = (turn: number): string => pathOf(queries[(KNOWN_QUERIES + turn) % queries.length]);
    const { requests, ...load } = await measureLoad(client, path, { connections, seconds, timeoutMs: ANSWER_MAX_MS });
    return { connections, ...load, cpuMs: (cpuMsOf(worker.pid) - cpu) / Math.max(1, requests) };
  } finally {
    client.close();
  }
}

function pathOf(query: SyntheticQuery | undefined): string {
  return `/search?q=${encodeURIComponent(query?.text ?? '')}`;
}

function medianOf(firsts: readonly FirstAnswer[]): FirstAnswer {
  const median = (of: (first: FirstAnswer) => number): number => percentile(firsts.map(of), 0.5);
  const bytes = firsts.every((first) => first.bytes !== undefined) ? { bytes: median((first) => first.bytes ?? 0) } : {};
  return { wallMs: median(({ wallMs }) => wallMs), cpuMs: median(({ cpuMs }) => cpuMs), reads: median(({ reads }) => reads), ...bytes };
}
