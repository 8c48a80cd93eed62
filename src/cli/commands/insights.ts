import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { cloudflareApi } from '../../build/cloudflare-api.ts';
import { readWranglerSettings } from '../../build/wrangler-settings.ts';
import {
  type AnsweredRequest,
  countsOf,
  draftCommand,
  type InsightCount,
  type InsightReport,
  type InsightTable,
  insightTables,
  planLine,
} from '../../gateway/insights.ts';
import { readInsights } from '../../platform/d1/insight-counts.ts';
import { UserError } from '../../publication/content-problem.ts';
import { INSIGHT_DAYS } from '../../schemas/limits.ts';
import { dayOf } from '../../schemas/time.ts';
import { terminalLine } from '../../text/terminal-safe-text.ts';
import { databaseCommand, runOnDatabase, type TaskRunner } from '../database-command.ts';
import { examples, wholeNumber } from '../define-command.ts';

export function insightsCommand(run: TaskRunner) {
  const { command, onDatabase } = databaseCommand(run);
  command
    .description(
      `Show what was asked: requests by surface and client, capsules and offers that are read, and questions that no text answers.

Functions count in the database, or in the Analytics Engine if wrangler.toml binds a dataset, while "insights" in content/publisher.yaml is not "off". The log of a server gives the same, except questions: in the Combined Log Format, or as a line of JSON for each request (Caddy, Cloudflare Logpush). Clients state themselves who they are, unless they sign their requests.`,
    )
    .argument('[log]', 'read this log of a server instead of the database')
    .option('--days <days>', 'days back, in the database', wholeNumber(1, INSIGHT_DAYS.counts), 30)
    .option('--json', 'print the counts as JSON')
    .option('--limit <lines>', 'most lines of each list', wholeNumber(1, 1_000), 10)
    .addHelpText('after', examples('npm run insights -- --remote', 'npm run insights -- --days 7 --json', 'npm run insights -- access.log'))
    .action(async (log, { days, json, limit }) => {
      const lines = (report: InsightReport): string[] =>
        json ? [JSON.stringify(report, null, 2)] : describeInsights(report, limit, log === undefined);
      if (log === undefined)
        await onDatabase(async (database, { root, place, nowMs }) => {
          const stored = await readInsights(database, days, nowMs);
          return lines(place === 'remote' ? await withEvents(stored, root, days) : stored);
        });
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
    const { request, ts, status: caddyStatus, EdgeStartTimestamp: start, ...sent } = JSON.parse(line);
    if (request?.uri !== undefined) return logged(ts * 1_000, request.uri, caddyStatus, request.headers?.['User-Agent']?.[0] ?? '');
    const startMs = typeof start === 'number' ? start / 1e6 : Date.parse(start);
    return logged(startMs, sent.ClientRequestURI, sent.EdgeResponseStatus, sent.ClientRequestUserAgent ?? '');
  } catch {
    return undefined;
  }
}

function logged(timeMs: number, target: unknown, status: unknown, userAgent: unknown): LoggedRequest | undefined {
  if (!Number.isFinite(timeMs) || typeof target !== 'string' || typeof status !== 'number' || typeof userAgent !== 'string')
    return undefined;
  return { timeMs, path: target.split(/[?#]/, 1)[0] ?? '', status, userAgent };
}

const EventCount = z.object({ kind: z.string(), name: z.string(), count: z.coerce.number() });
const EventDay = z.object({ day: z.string(), requests: z.coerce.number() });

/** Adds what is in the Analytics Engine, if wrangler.toml binds a dataset. It may keep samples: each counts for several. */
async function withEvents(stored: InsightReport, root: string, days: number): Promise<InsightReport> {
  const { dataset } = await readWranglerSettings(root);
  if (dataset === undefined) return stored;
  const { selectEvents } = cloudflareApi(root);
  const from = `FROM ${dataset} WHERE blob1 = 'insight' AND timestamp > NOW() - INTERVAL '${days}' DAY`;
  const sum = 'SUM(_sample_interval * double1)';
  const [names, byDay] = await Promise.all([
    selectEvents(`SELECT blob2 AS kind, blob3 AS name, ${sum} AS count ${from} GROUP BY kind, name ORDER BY count DESC LIMIT 10000`),
    selectEvents(
      `SELECT toStartOfInterval(timestamp, INTERVAL '1' DAY) AS day, ${sum} AS requests ${from} AND blob2 = 'request' GROUP BY day ORDER BY day`,
    ),
  ]);
  const sums = reportSum();
  for (const count of [...stored.counts, ...(z.array(EventCount).parse(names) as InsightCount[])]) sums.addCount(count);
  for (const { day, requests } of [...stored.days, ...z.array(EventDay).parse(byDay)])
    sums.addDay(day.slice(0, 'YYYY-MM-DD'.length), requests);
  return sums.report(stored.incomplete);
}

function reportSum() {
  const counts = new Map<string, InsightCount>();
  const days = new Map<string, number>();
  return {
    addCount: ({ kind, name, count }: InsightCount): void => {
      const key = `${kind} ${name}`;
      counts.set(key, { kind, name, count: (counts.get(key)?.count ?? 0) + count });
    },
    addDay: (day: string, requests: number) => void days.set(day, (days.get(day) ?? 0) + requests),
    report: (incomplete: InsightReport['incomplete']): InsightReport => ({
      counts: [...counts.values()].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
      incomplete,
      days: [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, requests]) => ({ day, requests })),
    }),
  };
}

/** Counts the requests of a log, whatever its days. @throws {UserError} If the file cannot be read, or holds no request. */
async function readLog(file: string): Promise<InsightReport> {
  const sums = reportSum();
  let lines = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      lines++;
      const request = readLogLine(line);
      const added = request === undefined ? [] : countsOf(request);
      if (request === undefined || added.length === 0) continue;
      for (const count of added) sums.addCount({ ...count, count: 1 });
      sums.addDay(dayOf(request.timeMs), 1);
    }
  } catch (error) {
    throw new UserError(`cannot read ${terminalLine(file)}: ${error instanceof Error ? error.message : error}`);
  }
  const report = sums.report([]);
  if (report.days.length === 0)
    throw new UserError(
      `none of the ${lines} lines of ${terminalLine(file)} is a request in the Combined Log Format or in JSON of Caddy or Cloudflare`,
    );
  return report;
}

const number = (value: number): string => value.toLocaleString('en');

/** @param isOfFunctions Whether functions counted the requests, not a server, whose log has those of files as well. */
export function describeInsights({ counts, days, incomplete }: InsightReport, limit: number, isOfFunctions: boolean): string[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return ['Nothing was counted yet.'];
  const busiest = days.reduce((most, day) => (day.requests > most.requests ? day : most));
  const gap = counts.find(({ kind }) => kind === 'gap');
  return [
    `${first.day} to ${last.day}: ${number(days.reduce((sum, day) => sum + day.requests, 0))} requests, at most ${number(busiest.requests)} a day (${busiest.day}).`,
    ...(isOfFunctions ? [planLine(days)] : []),
    ...(incomplete.length === 0
      ? []
      : [`Only the first requests of these days were counted, because they were too many: ${incomplete.join(', ')}.`]),
    ...insightTables(counts).flatMap(([title, table]) => (table.rows.size === 0 ? [] : ['', ...tableLines(title, table, limit)])),
    ...(gap === undefined ? [] : ['', `To answer the first: ${draftCommand(gap.name)}`]),
    '',
    'Carts, orders, refunds and texts sold, by day: npm run orders -- counts',
  ];
}

function tableLines(title: string, { columns, rows }: InsightTable, limit: number): string[] {
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
