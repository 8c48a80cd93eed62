import type { UpkeepTask } from '../../gateway/maintenance/run-maintenance.ts';
import type { Database } from './database.ts';
import { expiredAgents, expiredRegistrations } from './expired-rows.ts';
import { allExpiredAnswers } from './idempotency.ts';
import { FREE_ORDER_REMOVALS, handledEvents, OLD_SESSION_REMOVALS, sentNotices } from './old-orders.ts';
import type { Removal } from './old-rows.ts';
import { oldInvoiceRequests } from './invoice-requests.ts';
import { oldPayments } from './payment-claims.ts';
import { oldProposals, receiptsOfOldProposals } from './old-proposals.ts';
import { endedQuotas } from './quotas.ts';
import { expiredRevocations } from './revocations.ts';

/**
 * Rows that one run removes from a table, in one batch: it is over long before the deadline of a statement, and the statements of all
 * tables together leave room for other work below the 50 that one run may make on the free plan of Workers.
 */
const ROWS_REMOVED = 1_000;

/** How long a row is kept after it was needed last, in milliseconds: longer than any two clocks are apart. */
const KEPT_AFTERWARDS_MS = 3_600_000;

/** What is removed from each table; of several statements the last one removes what is counted. */
const REMOVALS: readonly (readonly [table: string, ...removals: readonly Removal[]])[] = [
  ['registrations', expiredRegistrations],
  ['agents', expiredAgents],
  ['revocations', expiredRevocations],
  ['idempotency', allExpiredAnswers],
  ['proposals', receiptsOfOldProposals, oldProposals],
  ['quotas', endedQuotas],
  ['payments', oldPayments],
  ['checkout_sessions', ...OLD_SESSION_REMOVALS],
  ['orders', ...FREE_ORDER_REMOVALS],
  ['invoice_requests', oldInvoiceRequests],
  ['order_notices', sentNotices],
  ['processor_events', handledEvents],
];

/** Work in the database that falls due by itself: rows that are no longer used are removed. */
export function d1Upkeep(database: Database): UpkeepTask[] {
  return REMOVALS.map(([table, ...removals]) => ({
    name: `remove from ${table}`,
    run: async (nowMs) => {
      const results = await database.batch<{ readonly changes?: number }>([
        ...removals.map((removal) => removal(database, nowMs - KEPT_AFTERWARDS_MS, ROWS_REMOVED)),
        database.prepare('SELECT changes() AS changes'),
      ]);
      return results.at(-1)?.results[0]?.changes ?? 0;
    },
  }));
}
