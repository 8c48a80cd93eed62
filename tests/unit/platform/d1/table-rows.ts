import type { SqlValue } from '../../../../src/platform/d1/database.ts';
import type { SimulatedDatabase } from '../../../support/simulated/database.ts';

export const NOW = Date.UTC(2026, 10, 22);
export const LATER = NOW + 1_000_000;
export const LINE = { id: 'li_1', offerId: 'review', name: 'Review', cadence: 'one_time', unitMinor: 900, quantity: 1, demo: false };
const CONTENT = { owner: 'agt_1', channel: 'acp', currency: 'USD', lines: [LINE], notifyUrl: 'https://a.example/hook' };
const INVOICE = { items: [{ offerId: 'review', name: 'Review', quantity: 2 }], totalMinor: 1_800, name: 'Ada', email: 'a@a.example' };
const KEY = { caller: 'agt_1', route: 'createCheckoutSession', key_sha256: 'k' };

/** A row of each table, as the version of the service wrote it whose newest migration made the table. */
export const ROWS: Readonly<Record<string, TableRow>> = {
  registrations: {
    ...{ idempotency_key_sha256: 'k', body_sha256: 'b', key_payload: '00', agent_name: 'A', platform: null, contact: null },
    ...{ created_at_ms: NOW, expires_at_ms: LATER },
  },
  agents: {
    ...{ agent: 'a1', name: 'A', platform: null, contact: 'a@a.example', key_id: 'key_1', created_at_ms: NOW, rotated_at_ms: null },
    ...{ granted_scopes: 'submit', expires_at_ms: LATER },
  },
  revocations: { agent: 'a1', serial: 7, issued_minute: 3, effective_at_ms: 0, expires_at_ms: LATER, created_at_ms: NOW },
  idempotency: { ...KEY, body_sha256: 'b', status: 201, response: '{}', expires_at_ms: LATER },
  proposals: {
    ...{
      sha256: 's',
      kind: 'capsule',
      capsule_id: 'c',
      body: '{}',
      received_at_ms: NOW,
      state: 'pending',
      decided_at_ms: null,
      reason: null,
    },
  },
  receipts: { proposal_sha256: 's', agent: 'a1', receipt: 'rcp_1', note: 'a note', response: '{}', received_at_ms: NOW },
  quotas: { ends_at_ms: Date.UTC(2026, 10, 23), name: 'budget registrations', subject: 'anybody', count: 4 },
  checkout_sessions: {
    ...{ id: 'cs_1', owner: 'agt_1', channel: 'acp', state: 'open', currency: 'USD', total_minor: 900, revision: 2, mark: 'm' },
    ...{ content: JSON.stringify({ lines: [LINE], details: {} }), created_at_ms: NOW, updated_at_ms: NOW, expires_at_ms: LATER },
  },
  orders: {
    ...{ id: 'ord_1', receipt: 'rct_1', session_id: 'cs_1', total_minor: 900, refunded_minor: 100, payment_reference: 'pi_1' },
    ...{ content: JSON.stringify(CONTENT), created_at_ms: NOW, updated_at_ms: NOW },
  },
  passes: { order_id: 'ord_1', opens: 'all', agent: 'agt_1', ends_at_ms: LATER },
  order_log: { session_id: 'cs_1', kind: 'order_created', at_ms: NOW, detail: '{}' },
  processor_events: {
    ...{ id: 'evt_1', kind: 'charge.refunded', received_at_ms: NOW, session_id: null, payment_reference: 'pi_2', amount_minor: 5 },
    ...{ is_refund: 1, outcome: 'waiting' },
  },
  order_notices: {
    ...{ order_id: 'ord_1', url: 'https://a.example/hook', kind: 'order_create', state: 'due', attempts: 1, due_at_ms: NOW, fault: 'no' },
    created_at_ms: NOW,
  },
  invoice_requests: { receipt: 'inv_1', content: JSON.stringify(INVOICE), state: 'new', created_at_ms: NOW, updated_at_ms: NOW },
  commerce_counts: { day: '2026-11-22', event: 'order', offer_id: 'review', count: 3 },
  payments: {
    ...{ network: 'n', asset: 'a', payer: 'p', nonce: 'x', identifier: 'i', resource: 'r', capsule_id: 'c', version: 'v', amount: '1' },
    ...{ pay_to: 't', fingerprint: 'f', is_secret: 1, signed: 's', state: 'settling', attempt: 3, lease_until_ms: 4, tx: 'h' },
    ...{ claimed_at_ms: 5, settled_at_ms: null },
  },
  status_days: { day_ms: Date.UTC(2026, 10, 20), checks: 2, failures: 1 },
  insights: { day_ms: Date.UTC(2026, 10, 20), kind: 'gap', name: 'zeppelins', count: 2 },
  admin_sessions: { id_sha256: 's', expires_at_ms: LATER },
  publisher_notices: { id: 'order_ord_1', channel: 'mail', kind: 'order.created', data: '{}', due_at_ms: NOW, created_at_ms: NOW },
  audit_log: { at_ms: NOW, actor: 'command', action: 'orders refund', subject: 'ord_1', is_done: 1, outcome: 'refunded' },
};

type TableRow = Readonly<Record<string, SqlValue>>;

/** Inserts the row of a table with changes. */
export function insertRow(look: SimulatedDatabase['look'], table: string, changes: TableRow = {}): void {
  const row = { ...ROWS[table], ...changes };
  const columns = Object.keys(row);
  look(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`, ...Object.values(row));
}
