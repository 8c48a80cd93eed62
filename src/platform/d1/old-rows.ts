import type { Database, Statement } from './database.ts';
import { expiredAgents } from './expired-rows.ts';
import { oldInvoiceRequests } from './invoice-requests.ts';
import { FREE_ORDER_REMOVALS, OLD_SESSION_REMOVALS } from './old-orders.ts';
import { oldProposals, receiptsOfOldProposals } from './old-proposals.ts';

/** Statement that removes at most `limit` rows that nobody needed at `nowMs`. */
export type Removal = (database: Database, nowMs: number, limit: number) => Statement;

/**
 * What removes old rows of each kind that a budget bounds, in the order in which the statements work. Room that they make is there for the
 * request that is counted after them, so that a bound which was reached is never reached for good.
 */
export const REMOVALS_OF_KINDS: Readonly<Record<string, readonly Removal[]>> = {
  agents: [expiredAgents],
  receipts: [receiptsOfOldProposals, oldProposals],
  checkout_sessions: OLD_SESSION_REMOVALS,
  free_orders: FREE_ORDER_REMOVALS,
  invoice_requests: [oldInvoiceRequests],
};
