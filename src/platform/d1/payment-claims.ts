import type { AuthorizationId, PaymentClaim, PaymentClaims, Purchase } from '../../gateway/commerce/payments/payment-ports.ts';
import type { Database, SqlValue, Statement } from './database.ts';
import { deleteOldRows } from './maintenance.ts';
import { type Counted, type CutList, cutList, cutListOf } from './order-lists.ts';

/** A row of `payments`. */
interface PaymentRow {
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
  readonly identifier: string | null;
  readonly resource: string;
  readonly capsule_id: string;
  readonly version: string;
  readonly amount: string;
  readonly pay_to: string;
  readonly fingerprint: string;
  readonly is_secret: number;
  readonly signed: string;
  readonly state: PaymentClaim['state'];
  readonly attempt: number;
  readonly lease_until_ms: number;
  readonly tx: string;
  readonly claimed_at_ms: number;
  readonly settled_at_ms: number | null;
  readonly reviewed_at_ms: number | null;
}

/** The authorization ?1 to ?4. */
const AUTHORIZATION = 'network = ?1 AND asset = ?2 AND payer = ?3 AND nonce = ?4';

/** Purchases of the payer ?3 under the identifier ?5; none without an identifier, because NULL equals nothing. */
const UNDER_IDENTIFIER = "payer = ?3 AND identifier = ?5 AND state <> 'failed'";

/** Old rows that one purchase deletes, so that the table stays small without a schedule. */
const OLD_ROWS_DELETED = 5;

/**
 * Claims on authorizations in D1. Every change is one guarded statement, so that of two requests at the same time one alone makes it; one
 * that was applied although its answer was lost leaves a claim whose lease ends by itself.
 */
export function paymentClaims(database: Database): PaymentClaims {
  return {
    find: async (id, identifier) => {
      const row = await selectClaim(database, id, identifier).first<PaymentRow>();
      return row === null ? undefined : claimOf(row);
    },
    claim: async (purchase, nowMs, leaseUntilMs) => {
      const results = await database.batch<PaymentRow>([
        ...deleteOldRows(database, 'payments', nowMs, OLD_ROWS_DELETED),
        insertClaim(database, purchase, nowMs, leaseUntilMs),
        selectClaim(database, purchase, purchase.identifier),
      ]);
      const [inserted, read] = results.slice(-2);
      const own = inserted?.results[0];
      const row = own ?? read?.results[0];
      if (row === undefined) throw new Error('the claim was not there after it was made');
      return { claim: claimOf(row), isOurs: own !== undefined };
    },
    takeOver: async (id, attempt, nowMs, leaseUntilMs) => {
      const row = await database
        .prepare(
          `UPDATE payments SET attempt = attempt + 1, lease_until_ms = ?7 WHERE ${AUTHORIZATION} AND state = 'settling' AND attempt = ?5 AND lease_until_ms <= ?6 RETURNING *`,
        )
        .bind(...idOf(id), attempt, nowMs, leaseUntilMs)
        .first<PaymentRow>();
      return row === null ? undefined : claimOf(row);
    },
    settled: async (purchase, transaction, nowMs) => {
      await database
        .prepare(
          `UPDATE payments SET state = 'settled', tx = ?6, settled_at_ms = ?7 WHERE ${AUTHORIZATION} AND resource = ?5 AND state <> 'settled'`,
        )
        .bind(...idOf(purchase), purchase.resource, transaction, nowMs)
        .all();
    },
    unsettled: async (id, attempt, { state, transaction = '' }, nowMs) => {
      const noted = await database
        .prepare(
          `UPDATE payments SET state = ?6, lease_until_ms = ?7, tx = CASE ?8 WHEN '' THEN tx ELSE ?8 END WHERE ${AUTHORIZATION} AND attempt = ?5 AND state IN ('settling', 'unresolved') RETURNING attempt`,
        )
        .bind(...idOf(id), attempt, state, nowMs, transaction)
        .first<Pick<PaymentRow, 'attempt'>>();
      return noted !== null;
    },
  };
}

/** The claim on the authorization; where that has failed or is missing, the one under the identifier first. */
function selectClaim(database: Database, id: AuthorizationId, identifier: string | undefined): Statement {
  return database
    .prepare(`SELECT * FROM payments WHERE (${AUTHORIZATION}) OR (${UNDER_IDENTIFIER}) ORDER BY state = 'failed', nonce <> ?4 LIMIT 1`)
    .bind(...idOf(id), identifier ?? null);
}

/** A claim on a free authorization under a free identifier. One that has failed begins anew, with the next attempt. */
function insertClaim(database: Database, purchase: Purchase, nowMs: number, leaseUntilMs: number): Statement {
  const { identifier, resource, capsuleId, version, amount, payTo, fingerprint, isSecret, signed } = purchase;
  return database
    .prepare(
      `INSERT INTO payments (network, asset, payer, nonce, identifier, resource, capsule_id, version, amount, pay_to, fingerprint, is_secret, signed, state, attempt, lease_until_ms, claimed_at_ms) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 'settling', 1, ?14, ?15 WHERE NOT EXISTS (SELECT 1 FROM payments WHERE ${UNDER_IDENTIFIER} AND nonce <> ?4) ON CONFLICT (network, asset, payer, nonce) DO UPDATE SET identifier = excluded.identifier, resource = excluded.resource, capsule_id = excluded.capsule_id, version = excluded.version, amount = excluded.amount, pay_to = excluded.pay_to, fingerprint = excluded.fingerprint, is_secret = excluded.is_secret, signed = excluded.signed, state = 'settling', attempt = payments.attempt + 1, lease_until_ms = excluded.lease_until_ms, tx = '', claimed_at_ms = excluded.claimed_at_ms, reviewed_at_ms = NULL WHERE payments.state = 'failed' RETURNING *`,
    )
    .bind(
      ...idOf(purchase),
      identifier ?? null,
      resource,
      capsuleId,
      version,
      amount,
      payTo,
      fingerprint,
      isSecret ? 1 : 0,
      signed,
      leaseUntilMs,
      nowMs,
    );
}

function idOf({ network, asset, payer, nonce }: AuthorizationId): [SqlValue, SqlValue, SqlValue, SqlValue] {
  return [network, asset, payer, nonce];
}

/** A claim as a row of the table has it. */
function claimOf(row: PaymentRow): PaymentClaim {
  return {
    network: row.network,
    asset: row.asset,
    payer: row.payer,
    nonce: row.nonce,
    identifier: row.identifier ?? undefined,
    resource: row.resource,
    capsuleId: row.capsule_id,
    version: row.version,
    amount: row.amount,
    payTo: row.pay_to,
    fingerprint: row.fingerprint,
    isSecret: row.is_secret === 1,
    signed: row.signed,
    state: row.state,
    attempt: row.attempt,
    leaseUntilMs: row.lease_until_ms,
    claimedAtMs: row.claimed_at_ms,
    settledAtMs: row.settled_at_ms ?? undefined,
    reviewedAtMs: row.reviewed_at_ms ?? undefined,
    transaction: row.tx,
  };
}

/** What the publisher found out about a payment. */
export type PaymentVerdict = { readonly state: 'settled'; readonly transaction: string } | { readonly state: 'unpaid' };

/** The name that `paymentIdOf` gives a payment, as a column. */
const PAYMENT_NAME = "'pay_' || substr(fingerprint, 1, 32)";

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
  const row = await database.prepare(`SELECT * FROM payments WHERE ${PAYMENT_NAME} = ?1`).bind(name).first<PaymentRow>();
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
      `UPDATE payments SET state = ?2, tx = CASE ?3 WHEN '' THEN tx ELSE ?3 END, settled_at_ms = ?4, reviewed_at_ms = ?5 WHERE ${PAYMENT_NAME} = ?1 AND state IN ('settling', 'unresolved') AND lease_until_ms <= ?5 RETURNING *`,
    )
    .bind(name, isSettled ? 'settled' : 'failed', isSettled ? verdict.transaction : '', isSettled ? nowMs : null, nowMs)
    .first<PaymentRow>();
  return row === null ? undefined : claimOf(row);
}
