import type { NotifySettings } from '../../schemas/publisher.ts';
import { DAY_MS } from '../../schemas/time.ts';
import { columnsOf, type Database, readAll } from './database.ts';

export type NoticeChannel = 'webhook' | 'mail';

export interface Notice {
  /** The same at each attempt, so that a receiver can ignore repetitions. */
  readonly id: string;
  readonly kind: NotifySettings['events'][number];
  /** JSON of its facts: ids, counts and amounts. */
  readonly data: string;
}

export interface DueNotice extends Notice {
  readonly channel: NoticeChannel;
  readonly attempts: number;
  readonly createdAtMs: number;
}

/** `failure` is absent if a notice was accepted. */
export interface NoticeOutcome extends Pick<DueNotice, 'id' | 'channel'> {
  readonly failure?: string;
  readonly isLast: boolean;
}

/** How far back events are looked for, in milliseconds, and how many rows of each table: runs come every five minutes. */
const LOOK_BACK_MS = DAY_MS;
const ROWS_MAX = 200;

/** Failed checks of a day before the publisher is told, once a day: one alone may be the network. */
const FAILED_CHECKS = 2;

const newest = (table: string, at: string): string => `(SELECT * FROM ${table} ORDER BY number DESC LIMIT ${ROWS_MAX}) WHERE ${at} > ?2`;

/** Events that the database holds. In SQL, `?2` is the time from which on, and `?4` the day. */
const FOUND = [
  `SELECT 'order_' || id AS id, 'order.created' AS kind, json_object('order', id, 'total_minor', total_minor, 'currency', json_extract(content, '$.currency')) AS data FROM ${newest('orders', 'created_at_ms')}`,
  `SELECT 'request_' || number, iif(receipt LIKE 'msg%', 'message.received', 'invoice.requested'), json_object('number', number) FROM ${newest('invoice_requests', 'created_at_ms')}`,
  `SELECT 'proposal_' || number, 'proposal.received', json_object('number', number, 'kind', kind, 'capsule_id', capsule_id) FROM ${newest('proposals', 'received_at_ms')}`,
  `SELECT 'failing_' || day_ms, 'service.failing', json_object('failed', failures, 'checks', checks) FROM status_days WHERE day_ms = ?4 AND failures >= ${FAILED_CHECKS}`,
  "SELECT json_extract(value, '$.id'), json_extract(value, '$.kind'), json_extract(value, '$.data') FROM json_each(?5)",
].join(' UNION ALL ');

/** Stores a notice for each channel and each event of the last day that has none. @param others Events that are not rows of the database. */
export async function collectNotices(
  database: Database,
  channels: readonly NoticeChannel[],
  { events }: Pick<NotifySettings, 'events'>,
  others: readonly Notice[],
  nowMs: number,
): Promise<void> {
  const sql = `INSERT INTO publisher_notices (id, channel, kind, data, due_at_ms, created_at_ms)
    SELECT found.id, channels.value, found.kind, found.data, ?1, ?1 FROM (${FOUND}) AS found, json_each(?3) AS channels
    WHERE found.kind IN (SELECT value FROM json_each(?6)) ON CONFLICT (id, channel) DO NOTHING`;
  await database
    .prepare(sql)
    .bind(nowMs, nowMs - LOOK_BACK_MS, JSON.stringify(channels), nowMs - (nowMs % DAY_MS), JSON.stringify(others), JSON.stringify(events))
    .all();
}

const DUE = columnsOf<DueNotice>(['id', 'channel', 'kind', 'data', 'attempts', 'createdAtMs']);

/** Takes due notices, oldest first, and schedules the next attempt of each, so that a crash loses none. */
export async function takeDueNotices(
  database: Database,
  nowMs: number,
  limit: number,
  waitsMs: readonly number[],
): Promise<readonly DueNotice[]> {
  const sql = `UPDATE publisher_notices SET attempts = attempts + 1, due_at_ms = ?1 + json_extract(?3, '$[' || MIN(attempts, json_array_length(?3) - 1) || ']')
    WHERE (id, channel) IN (SELECT id, channel FROM publisher_notices WHERE state = 'due' AND due_at_ms <= ?1 ORDER BY due_at_ms, id LIMIT ?2) RETURNING ${DUE.names}`;
  const taken = await readAll(database.prepare(sql).bind(nowMs, limit, JSON.stringify(waitsMs)), DUE.read);
  return taken.sort((a, b) => a.createdAtMs - b.createdAtMs);
}

export async function markNotices(database: Database, outcomes: readonly NoticeOutcome[]): Promise<void> {
  const sql = `UPDATE publisher_notices SET state = outcome.state, fault = outcome.fault
    FROM (SELECT json_extract(value, '$.id') AS id, json_extract(value, '$.channel') AS channel, json_extract(value, '$.failure') AS fault,
      iif(json_extract(value, '$.failure') IS NULL, 'sent', iif(json_extract(value, '$.isLast'), 'given_up', 'due')) AS state FROM json_each(?1)) AS outcome
    WHERE publisher_notices.id = outcome.id AND publisher_notices.channel = outcome.channel`;
  await database.prepare(sql).bind(JSON.stringify(outcomes)).all();
}
