import type { DueWebhook, WebhookDeliveries } from '../../gateway/commerce/orders/send-webhooks.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { columnsOf, type Database, type Row, readTruncated, type Statement, selectTruncated, type TruncatedList } from './database.ts';

/** A webhook that was not accepted yet. */
export interface UndeliveredWebhook {
  readonly orderId: string;
  readonly url: string;
  readonly kind: string;
  readonly state: 'due' | 'given_up';
  readonly attempts: number;
  readonly fault: string | undefined;
}

const DUE = columnsOf<DueWebhook>(['number', 'orderId', 'url', 'kind', 'attempts']);
const UNDELIVERED = columnsOf<UndeliveredWebhook>(['orderId', 'url', 'kind', 'state', 'attempts', 'fault']);

/** Webhook deliveries in D1. Deliveries of one order are sequential: each waits until the earlier ones are accepted or given up. */
export function d1WebhookDeliveries(database: Database): WebhookDeliveries {
  return {
    claim: async (nowMs, limit, nextAttemptMs) => {
      // The wait after each attempt; the last one repeats.
      const waits = Array.from({ length: LIMITS.noticeAttemptsMax }, (_, index) => nextAttemptMs(index + 1));
      const { results } = await database
        .prepare(
          `UPDATE order_notices SET attempts = attempts + 1, due_at_ms = ?1 + json_extract(?3, '$[' || MIN(attempts, json_array_length(?3) - 1) || ']') WHERE number IN (SELECT number FROM order_notices AS due WHERE state = 'due' AND due_at_ms <= ?1 AND NOT EXISTS (SELECT 1 FROM order_notices AS earlier WHERE earlier.order_id = due.order_id AND earlier.state = 'due' AND earlier.number < due.number) ORDER BY due_at_ms, number LIMIT ?2) RETURNING ${DUE.names}`,
        )
        .bind(nowMs, limit, JSON.stringify(waits))
        .all<Row>();
      return results.map(DUE.read);
    },
    markSent: async (number) => {
      const sql = "UPDATE order_notices SET state = 'sent', fault = NULL WHERE number = ?1 AND state = 'due'";
      await database.prepare(sql).bind(number).all();
    },
    markFailed: async (number, fault, isLast) => {
      const sql = "UPDATE order_notices SET state = ?2, fault = ?3 WHERE number = ?1 AND state = 'due'";
      await database
        .prepare(sql)
        .bind(number, isLast ? 'given_up' : 'due', fault)
        .all();
    },
  };
}

/** Webhooks that were not accepted yet, newest first. @throws If the database cannot be reached. */
export function undeliveredWebhooks(database: Database, limit: number): Promise<TruncatedList<UndeliveredWebhook>> {
  const undelivered = "order_notices WHERE state <> 'sent'";
  return readTruncated(database.prepare(selectTruncated(UNDELIVERED.names, undelivered, 'number DESC')).bind(limit), UNDELIVERED.read);
}

/** Makes every webhook due now that was not accepted yet, including those that were given up, and resets its attempts. */
export function requeueWebhooks(database: Database, nowMs: number): Statement {
  return database
    .prepare("UPDATE order_notices SET state = 'due', attempts = 0, due_at_ms = ?1 WHERE state <> 'sent' RETURNING number")
    .bind(nowMs);
}
