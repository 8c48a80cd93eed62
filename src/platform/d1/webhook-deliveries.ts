import type { DueWebhook, WebhookDeliveries } from '../../gateway/commerce/orders/send-webhooks.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { Database, Statement } from './database.ts';

/** A row of `order_notices`, as far as it is sent. */
interface DeliveryRow {
  readonly number: number;
  readonly order_id: string;
  readonly url: string;
  readonly kind: DueWebhook['kind'];
  readonly attempts: number;
}

/**
 * Notices of orders in D1. Those of one order are sent one after the other: a later one waits until the earlier ones were taken or
 * given up.
 */
export function d1WebhookDeliveries(database: Database): WebhookDeliveries {
  return {
    claim: async (nowMs, limit, nextAttemptMs) => {
      // The waiting times after each attempt; after the last one of the list the wait stays the same.
      const waits = Array.from({ length: LIMITS.noticeAttemptsMax }, (_, index) => nextAttemptMs(index + 1));
      const { results } = await database
        .prepare(
          `UPDATE order_notices SET attempts = attempts + 1, due_at_ms = ?1 + json_extract(?3, '$[' || MIN(attempts, json_array_length(?3) - 1) || ']') WHERE number IN (SELECT number FROM order_notices AS due WHERE state = 'due' AND due_at_ms <= ?1 AND NOT EXISTS (SELECT 1 FROM order_notices AS earlier WHERE earlier.order_id = due.order_id AND earlier.state = 'due' AND earlier.number < due.number) ORDER BY due_at_ms, number LIMIT ?2) RETURNING number, order_id, url, kind, attempts`,
        )
        .bind(nowMs, limit, JSON.stringify(waits))
        .all<DeliveryRow>();
      return results.map(({ number, order_id, url, kind, attempts }) => ({ number, orderId: order_id, url, kind, attempts }));
    },
    markSent: async (number) => {
      await database
        .prepare("UPDATE order_notices SET state = 'sent', fault = NULL WHERE number = ?1 AND state = 'due'")
        .bind(number)
        .all();
    },
    markFailed: async (number, fault, isLast) => {
      await database
        .prepare('UPDATE order_notices SET state = ?2, fault = ?3 WHERE number = ?1 AND state = ?4')
        .bind(number, isLast ? 'given_up' : 'due', fault, 'due')
        .all();
    },
  };
}

/** Makes every notice due now that was not taken yet, those that were given up too, with all their attempts before them. */
export function requeueWebhooks(database: Database, nowMs: number): Statement {
  return database
    .prepare("UPDATE order_notices SET state = 'due', attempts = 0, due_at_ms = ?1 WHERE state <> 'sent' RETURNING number")
    .bind(nowMs);
}
