import type { AuthorizationId, PaymentReservation, PaymentReservations, Purchase } from '../../gateway/commerce/payments/payment-ports.ts';
import {
  columnsOf,
  type Database,
  type Row,
  readFirst,
  readTruncated,
  type SqlValue,
  type Statement,
  selectTruncated,
  type TruncatedList,
} from './database.ts';
import { deleteOldRows } from './retention.ts';

const RESERVATION = columnsOf<PaymentReservation>(
  [
    'network',
    'asset',
    'payer',
    'nonce',
    'identifier',
    'resource',
    'capsuleId',
    'version',
    'amount',
    'payTo',
    'fingerprint',
    'isSecret',
    'signed',
    'state',
    'attempt',
    'leaseUntilMs',
    'reservedAtMs',
    'transaction',
    'settledAtMs',
    'reviewedAtMs',
  ],
  { transaction: 'tx', reservedAtMs: 'claimed_at_ms' },
);

/** Columns that a new attempt of a failed reservation leaves as they are, or counts on. */
const IDENTITY: readonly string[] = ['network', 'asset', 'payer', 'nonce', 'attempt'];

const AUTHORIZATION = 'network = ?1 AND asset = ?2 AND payer = ?3 AND nonce = ?4';

/** Purchases of the payer ?3 under the identifier ?5; none without an identifier, because NULL never equals NULL. */
const UNDER_IDENTIFIER = "payer = ?3 AND identifier = ?5 AND state <> 'failed'";

/** Old rows that one purchase deletes, so that the table stays small without a schedule. */
const OLD_ROWS_DELETED = 5;

/** Every change is one guarded statement, so that only one of two concurrent requests makes it. A lost one leaves a lease that expires. */
export function paymentReservations(database: Database): PaymentReservations {
  return {
    find: (id, identifier) => readFirst(selectReservation(database, id, identifier), RESERVATION.read),
    reserve: async (purchase, nowMs, leaseUntilMs) => {
      const results = await database.batch<Row>([
        ...deleteOldRows(database, 'payments', nowMs, OLD_ROWS_DELETED),
        insertReservation(database, purchase, nowMs, leaseUntilMs),
        selectReservation(database, purchase, purchase.identifier),
      ]);
      const [inserted, read] = results.slice(-2);
      const own = inserted?.results[0];
      const row = own ?? read?.results[0];
      if (row === undefined) throw new Error('the reservation is absent after it was stored');
      return { reservation: RESERVATION.read(row), isOurs: own !== undefined };
    },
    boughtVersion: async ({ network, asset, payer }, capsuleId, named) => {
      const sql = `SELECT version FROM payments WHERE network = ?1 AND asset = ?2 AND payer = ?3 AND capsule_id = ?4 AND version = COALESCE(?5, version) AND state = 'settled' ORDER BY settled_at_ms DESC LIMIT 1`;
      const statement = database.prepare(sql).bind(network, asset, payer, capsuleId, named ?? null);
      return (await statement.first<{ version: string }>())?.version;
    },
    takeOver: (id, attempt, nowMs, leaseUntilMs) => {
      const sql = `UPDATE payments SET attempt = attempt + 1, lease_until_ms = ?7 WHERE ${AUTHORIZATION} AND state = 'settling' AND attempt = ?5 AND lease_until_ms <= ?6 RETURNING *`;
      return readFirst(database.prepare(sql).bind(...idOf(id), attempt, nowMs, leaseUntilMs), RESERVATION.read);
    },
    settled: async (purchase, transaction, nowMs) => {
      const sql = `UPDATE payments SET state = 'settled', tx = ?6, settled_at_ms = ?7 WHERE ${AUTHORIZATION} AND resource = ?5 AND state <> 'settled'`;
      const statement = database.prepare(sql).bind(...idOf(purchase), purchase.resource, transaction, nowMs);
      await statement.all();
    },
    unsettled: async (id, attempt, { state, transaction = '' }, nowMs) => {
      const sql = `UPDATE payments SET state = ?6, lease_until_ms = ?7, tx = CASE ?8 WHEN '' THEN tx ELSE ?8 END WHERE ${AUTHORIZATION} AND attempt = ?5 AND state IN ('settling', 'unresolved') RETURNING attempt`;
      const statement = database.prepare(sql).bind(...idOf(id), attempt, state, nowMs, transaction);
      return (await statement.first()) !== null;
    },
  };
}

/** Reads the reservation on an authorization; if it failed or is absent, the one under the identifier first. */
function selectReservation(database: Database, id: AuthorizationId, identifier: string | undefined): Statement {
  const sql = `SELECT * FROM payments WHERE (${AUTHORIZATION}) OR (${UNDER_IDENTIFIER}) ORDER BY state = 'failed', nonce <> ?4 LIMIT 1`;
  return database.prepare(sql).bind(...idOf(id), identifier ?? null);
}

function insertReservation(database: Database, purchase: Purchase, nowMs: number, leaseUntilMs: number): Statement {
  const replaced = RESERVATION.names.split(', ').filter((column) => !IDENTITY.includes(column));
  const attempt = { state: 'settling' as const, attempt: 1, leaseUntilMs, reservedAtMs: nowMs, transaction: '' };
  const values = RESERVATION.values({ ...purchase, ...attempt, settledAtMs: undefined, reviewedAtMs: undefined });
  const sql = `INSERT INTO payments (${RESERVATION.names}) SELECT ${RESERVATION.parameters} WHERE NOT EXISTS (SELECT 1 FROM payments WHERE ${UNDER_IDENTIFIER} AND nonce <> ?4) ON CONFLICT (network, asset, payer, nonce) DO UPDATE SET attempt = payments.attempt + 1, ${replaced.map((column) => `${column} = excluded.${column}`).join(', ')} WHERE payments.state = 'failed' RETURNING *`;
  return database.prepare(sql).bind(...values);
}

function idOf({ network, asset, payer, nonce }: AuthorizationId): [SqlValue, SqlValue, SqlValue, SqlValue] {
  return [network, asset, payer, nonce];
}

/* The publisher's commands. Every function throws if the database cannot be reached. */

export type PaymentVerdict = { readonly state: 'settled'; readonly transaction: string } | { readonly state: 'unpaid' };

/** SQL for the id of a payment, as `paymentIdOf` computes it. */
const PAYMENT_ID = "'pay_' || substr(fingerprint, 1, 32)";

/** Payments with an unknown outcome, oldest first: unresolved, or last tried before `openBeforeMs`. */
export function unsettledPayments(database: Database, openBeforeMs: number, limit: number): Promise<TruncatedList<PaymentReservation>> {
  const unsettled = "payments WHERE state = 'unresolved' OR (state = 'settling' AND lease_until_ms < ?2)";
  const sql = selectTruncated('*', unsettled, 'claimed_at_ms, payer, nonce');
  return readTruncated(database.prepare(sql).bind(limit, openBeforeMs), RESERVATION.read);
}

export function findPayment(database: Database, id: string): Promise<PaymentReservation | undefined> {
  return readFirst(database.prepare(`SELECT * FROM payments WHERE ${PAYMENT_ID} = ?1`).bind(id), RESERVATION.read);
}

/** Stores how a payment ended, unless a request is settling it at the moment. `undefined` if nothing changed. */
export function reviewPayment(
  database: Database,
  id: string,
  verdict: PaymentVerdict,
  nowMs: number,
): Promise<PaymentReservation | undefined> {
  const isSettled = verdict.state === 'settled';
  const sql = `UPDATE payments SET state = ?2, tx = CASE ?3 WHEN '' THEN tx ELSE ?3 END, settled_at_ms = ?4, reviewed_at_ms = ?5 WHERE ${PAYMENT_ID} = ?1 AND state IN ('settling', 'unresolved') AND lease_until_ms <= ?5 RETURNING *`;
  const outcome = isSettled ? (['settled', verdict.transaction, nowMs] as const) : (['failed', '', null] as const);
  return readFirst(database.prepare(sql).bind(id, ...outcome, nowMs), RESERVATION.read);
}
