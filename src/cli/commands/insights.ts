import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { UserError } from '../../build/user-error.ts';
import {
  type AnsweredRequest,
  countsOf,
  type InsightCount,
  type InsightKind,
  isBrowser,
  LATENCY_CLASSES_MS,
} from '../../gateway/insights.ts';
import { type InsightReport, readInsights } from '../../platform/d1/insight-counts.ts';
import { INSIGHT_DAYS } from '../../schemas/limits.ts';
import { dayOf } from '../../schemas/time.ts';
import { databaseCommand, runOnDatabase, type TaskRunner } from '../database-command.ts';
import { examples, wholeNumber } from '../define-command.ts';
import { terminalLine } from '../terminal.ts';

export function insightsCommand(run: TaskRunner) {
  const { command, onDatabase } = databaseCommand(run);
  command
    .description(
      `Show what was asked: requests by surface and client, capsules and offers that are read, and questions that no text answers.

Functions count in the database while "insights" in content/publisher.yaml is not "off". The log of a server gives the same, except questions: in the Combined Log Format, or as a line of JSON for each request (Caddy, Cloudflare Logpush). Clients state themselves who they are, unless they sign their requests.`,
    )
    .argument('[log]', 'read this log of a server instead of the database')
    .option('--days <days>', 'days back, in the database', wholeNumber(1, INSIGHT_DAYS.counts), 30)
    .option('--json', 'print the counts as JSON')
    .option('--limit <lines>', 'most lines of each list', wholeNumber(1, 1_000), 10)
    .addHelpText('after', examples('npm run insights -- --remote', 'npm run insights -- --days 7 --json', 'npm run insights -- access.log'))
    .action(async (log, { days, json, limit }) => {
      const lines = (report: InsightReport): string[] => (json ? [JSON.stringify(report, null, 2)] : describeInsights(report, limit));
      if (log === undefined) await onDatabase(async (database, { nowMs }) => lines(await readInsights(database, days, nowMs)));
      else for (const line of lines(await readLog(log))) console.log(line);
    });
  return command;
}

export const command = insightsCommand(runOnDatabase);

/** `address - user [time] "GET /path HTTP/1.1" status bytes "referrer" "user agent"`: the Combined Log Format of Apache, nginx and others. */
const COMBINED = /^\S+ \S+ \S+ \[([^\]]{1,40})\] "[A-Z]{1,16} (\S+)[^"]*" (\d{3}) \S+ "(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)"/;

/** Time of the Combined Log Format: `29/Nov/2026:06:13:00 +0000`. */
const LOG_TIME = /^(\d{2})\/([A-Za-z]{3})\/(\d{4}):(\S+) ([+-]\d{4})$/;

interface LoggedRequest extends AnsweredRequest {
  readonly timeMs: number;
}

/** A line of a log; `undefined` if it is no request. The members of JSON are those of Caddy and of Cloudflare's HTTP requests. */
export function readLogLine(line: string): LoggedRequest | undefined {
  const [, time = '', target = '', status = '', userAgent = ''] = COMBINED.exec(line) ?? [];
  if (target !== '') return logged(Date.parse(time.replace(LOG_TIME, '$1 $2 $3 $4 $5')), target, Number(status), userAgent);
  if (!line.startsWith('{')) return undefined;
  try {
    const {
      request,
      ts,
      status: caddyStatus,
      ClientRequestURI,
      EdgeResponseStatus,
      ClientRequestUserAgent,
      EdgeStartTimestamp,
    } = JSON.parse(line);
    if (request?.uri !== undefined) return logged(ts * 1_000, request.uri, caddyStatus, request.headers?.['User-Agent']?.[0] ?? '');
    const startMs = typeof EdgeStartTimestamp === 'number' ? EdgeStartTimestamp / 1e6 : Date.parse(EdgeStartTimestamp);
    return logged(startMs, ClientRequestURI, EdgeResponseStatus, ClientRequestUserAgent ?? '');
  } catch {
    return undefined;
  }
}

function logged(timeMs: number, target: unknown, status: unknown, userAgent: unknown): LoggedRequest | undefined {
  if (!Number.isFinite(timeMs) || typeof target !== 'string' || typeof status !== 'number' || typeof userAgent !== 'string')
    return undefined;
  return { timeMs, path: target.split(/[?#]/, 1)[0] ?? '', status, userAgent };
}

/** Counts the requests of a log, whatever its days. @throws {UserError} If the file cannot be read, or holds no request. */
async function readLog(file: string): Promise<InsightReport> {
  const counts = new Map<string, InsightCount>();
  const days = new Map<string, number>();
  let lines = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      lines++;
      const request = readLogLine(line);
      const added = request === undefined ? [] : countsOf(request);
      if (request === undefined || added.length === 0) continue;
      for (const { kind, name } of added) {
        const key = `${kind} ${name}`;
        counts.set(key, { kind, name, count: (counts.get(key)?.count ?? 0) + 1 });
      }
      const day = dayOf(request.timeMs);
      days.set(day, (days.get(day) ?? 0) + 1);
    }
  } catch (error) {
    throw new UserError(`cannot read ${terminalLine(file)}: ${error instanceof Error ? error.message : error}`);
  }
  if (days.size === 0)
    throw new UserError(
      `none of the ${lines} lines of ${terminalLine(file)} is a request in the Combined Log Format or in JSON of Caddy or Cloudflare`,
    );
  return {
    counts: [...counts.values()].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
    incomplete: [],
    days: [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, requests]) => ({ day, requests })),
  };
}

/** Requests a day to functions on the free plan (developers.cloudflare.com/workers/platform/limits). */
const FREE_REQUESTS_A_DAY = 100_000;

const number = (value: number): string => value.toLocaleString('en');

/** The lines of a report. @param limit Most rows of each table. */
export function describeInsights({ counts, days, incomplete }: InsightReport, limit: number): string[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return ['Nothing was counted yet.'];
  const of = (kind: InsightKind): readonly InsightCount[] => counts.filter((count) => count.kind === kind);
  const requests = of('request').map(({ name, count }) => {
    const [surface = '', client = '', status = ''] = name.split('|');
    return { surface, client, status: Number(status), count };
  });
  const busiest = days.reduce((most, day) => (day.requests > most.requests ? day : most));
  const failed = ({ status }: { readonly status: number }): boolean => status >= 400 && status !== 402;
  const bySurface = sums(requests, ({ surface }) => surface, {
    agents: ({ client, count }) => (isBrowser(client) ? 0 : count),
    browsers: ({ client, count }) => (isBrowser(client) ? count : 0),
    'errors 4xx': (request) => (failed(request) && request.status < 500 ? request.count : 0),
    'errors 5xx': (request) => (request.status >= 500 ? request.count : 0),
  });
  const byClient = sums(requests, ({ client }) => client, {
    requests: ({ count }) => count,
    'not found': ({ status, count }) => (status === 404 ? count : 0),
    'payment asked': ({ status, count }) => (status === 402 ? count : 0),
    limited: ({ status, count }) => (status === 429 ? count : 0),
  });
  const readers = { agents: readBy('agents'), people: readBy('people') };
  const asked = { times: ({ count }: InsightCount) => count };
  const tables: [string, Table][] = [
    ['Surface', bySurface],
    ['Client', byClient],
    ['Answered within', latencies(of('latency'))],
    ['Capsule', sums(of('capsule'), idOf, readers)],
    ['Offer, page seen', sums(of('offer'), idOf, readers)],
    ['Asked, and no text has it all', sums(of('gap'), ({ name }) => name, asked)],
    ['Words that no text has', sums(of('term'), ({ name }) => name, asked)],
    ['Questions without an answer', sums(of('question'), ({ name }) => name, asked)],
  ];
  const gap = of('gap')[0];
  return [
    `${first.day} to ${last.day}: ${number(days.reduce((sum, day) => sum + day.requests, 0))} requests, at most ${number(busiest.requests)} a day (${busiest.day}).`,
    `The free plan of Cloudflare has ${number(FREE_REQUESTS_A_DAY)} requests to functions a day: ${Math.ceil((100 * busiest.requests) / FREE_REQUESTS_A_DAY)} % at most.`,
    ...(incomplete.length === 0
      ? []
      : [`Only the first requests of these days were counted, because they were too many: ${incomplete.join(', ')}.`]),
    ...tables.flatMap(([title, table]) => (table.rows.size === 0 ? [] : ['', ...tableLines(title, table, limit)])),
    ...(gap === undefined
      ? []
      : ['', `To answer the first: npm run new -- capsule ${gap.name.normalize('NFKD').replace(/[^a-z0-9]+/g, '-')}`]),
    '',
    'Orders, clicks and refunds by offer: npm run orders -- counts',
  ];
}

function idOf({ name }: InsightCount): string {
  return name.slice(0, name.indexOf(' '));
}

function readBy(reader: string): (count: InsightCount) => number {
  return ({ name, count }) => (name.endsWith(` ${reader}`) ? count : 0);
}

interface Table {
  readonly columns: readonly string[];
  readonly rows: ReadonlyMap<string, readonly number[]>;
}

/** Sums by name, largest first. Each column adds up one part of the items. */
function sums<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  parts: Readonly<Record<string, (item: Item) => number>>,
): Table {
  const rows = new Map<string, number[]>();
  for (const item of items) {
    const before = rows.get(nameOf(item));
    rows.set(
      nameOf(item),
      Object.values(parts).map((part, column) => (before?.[column] ?? 0) + part(item)),
    );
  }
  const total = (row: readonly number[]): number => row.reduce((sum, value) => sum + value, 0);
  return { columns: Object.keys(parts), rows: new Map([...rows].sort(([, a], [, b]) => total(b) - total(a))) };
}

/** Shares of the requests of each surface by class of duration, in per cent. */
function latencies(counts: readonly InsightCount[]): Table {
  const classes = [...LATENCY_CLASSES_MS.map(String), 'more'];
  const table = sums(
    counts,
    ({ name }) => name.slice(0, name.indexOf('|')),
    Object.fromEntries(
      classes.map((bound) => [
        bound === 'more' ? bound : `${bound} ms`,
        ({ name, count }: InsightCount) => (name.endsWith(`|${bound}`) ? count : 0),
      ]),
    ),
  );
  const shares = [...table.rows].map(([name, row]) => {
    const all = row.reduce((sum, value) => sum + value, 0);
    return [name, row.map((value) => Math.round((100 * value) / all))] as const;
  });
  return { columns: table.columns.map((column) => `${column} %`), rows: new Map(shares) };
}

function tableLines(title: string, { columns, rows }: Table, limit: number): string[] {
  const shown = [...rows].slice(0, limit);
  const width = Math.max(title.length, ...shown.map(([name]) => terminalLine(name).length)) + 2;
  const line = (name: string, cells: readonly string[]): string =>
    name.padEnd(width) + cells.map((cell, column) => cell.padStart(Math.max(columns[column]?.length ?? 0, 8) + 2)).join('');
  const left = rows.size - shown.length;
  return [
    line(title, columns),
    ...shown.map(([name, cells]) => line(terminalLine(name), cells.map(number))),
    ...(left > 0 ? [`… and ${number(left)} more: --limit`] : []),
  ];
}
