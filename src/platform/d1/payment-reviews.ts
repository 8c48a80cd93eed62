import type { PaymentClaim } from '../../gateway/commerce/payments/payment-ports.ts';
import type { Database } from './database.ts';
import { type Counted, type CutList, cutList, cutListOf } from './order-lists.ts';
import { claimOf, type PaymentRow } from './payment-claims.ts';

/** What the publisher found out about a payment. */
export type PaymentVerdict = { readonly state: 'settled'; readonly transaction: string } | { readonly state: 'unpaid' };

/** The name that `paymentIdOf` gives a payment, as a column. */
const NAME = "'pay_' || substr(fingerprint, 1, 32)";

/**
 * Payments whose outcome is not known, the oldest first: those that nobody can find out by asking the facilitator, and those that nobody
 * has asked about since `openBeforeMs`. Throws, like all of these, if the database cannot be reached.
 */
export async function unsettledPayments(database: Database, openBeforeMs: number, limit: number): Promise<CutList<PaymentClaim>> {
  const waiting = "payments WHERE state = 'unresolved' OR (state = 'settling' AND lease_until_ms < ?2)";
  const { results } = await database
    .prepare(cutList('*', waiting, 'claimed_at_ms, payer, nonce'))
    .bind(limit, openBeforeMs)
    .all<Counted<PaymentRow>>();
  return cutListOf(results, claimOf);
}

/** A payment by its name. */
export async function paymentNamed(database: Database, name: string): Promise<PaymentClaim | undefined> {
  const row = await database.prepare(`SELECT * FROM payments WHERE ${NAME} = ?1`).bind(name).first<PaymentRow>();
  return row === null ? undefined : claimOf(row);
}

/**
 * Notes what the publisher found out about a payment. A request that is settling it at the moment goes first.
 *
 * @returns The payment; `undefined` if this call changed none.
 */
export async function reviewPayment(
  database: Database,
  name: string,
  verdict: PaymentVerdict,
  nowMs: number,
): Promise<PaymentClaim | undefined> {
  const isSettled = verdict.state === 'settled';
  const row = await database
    .prepare(
      `UPDATE payments SET state = ?2, tx = CASE ?3 WHEN '' THEN tx ELSE ?3 END, settled_at_ms = ?4, reviewed_at_ms = ?5 WHERE ${NAME} = ?1 AND state IN ('settling', 'unresolved') AND lease_until_ms <= ?5 RETURNING *`,
    )
    .bind(name, isSettled ? 'settled' : 'failed', isSettled ? verdict.transaction : '', isSettled ? nowMs : null, nowMs)
    .first<PaymentRow>();
  return row === null ? undefined : claimOf(row);
}
