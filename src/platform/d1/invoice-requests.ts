import type { InvoiceRequestRecord, InvoiceStore } from '../../gateway/commerce/orders/request-invoice.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { Database, Statement } from './database.ts';

/** A row of `invoice_requests`. */
export interface InvoiceRow {
  readonly receipt: string;
  readonly content: string;
  readonly state: InvoiceRequestRecord['state'];
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

/** Columns of {@link InvoiceRow}. */
export const INVOICE_COLUMNS = 'receipt, content, state, created_at_ms, updated_at_ms';

/** Requests of before their currency was kept with them have none. */
type InvoiceContent = Omit<InvoiceRequestRecord, 'receipt' | 'state' | 'createdAtMs' | 'updatedAtMs' | 'currency'> &
  Partial<Pick<InvoiceRequestRecord, 'currency'>>;

const DAY_MS = 86_400_000;

/** Requests for invoices in D1. */
export function d1InvoiceRequests(database: Database): InvoiceStore {
  return {
    save: async ({ receipt, state, createdAtMs, updatedAtMs, ...content }) => {
      await database
        .prepare(
          'INSERT INTO invoice_requests (receipt, content, state, created_at_ms, updated_at_ms) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING',
        )
        .bind(receipt, JSON.stringify(content satisfies InvoiceContent), state, createdAtMs, updatedAtMs)
        .all();
    },
    byReceipt: async (receipt) => {
      const row = await database
        .prepare(`SELECT ${INVOICE_COLUMNS} FROM invoice_requests WHERE receipt = ?1`)
        .bind(receipt)
        .first<InvoiceRow>();
      return row === null ? undefined : invoiceRequestOf(row);
    },
  };
}

/**
 * Removes at most `limit` requests that nobody answered for {@link LIMITS.invoiceWaitsDays}, or that were answered or closed
 * {@link LIMITS.invoiceKeptDays} ago.
 */
export function oldInvoiceRequests(database: Database, nowMs: number, limit: number): Statement {
  return database
    .prepare(
      "DELETE FROM invoice_requests WHERE number IN (SELECT number FROM invoice_requests WHERE updated_at_ms <= ?1 AND (state = 'new' OR updated_at_ms <= ?2) LIMIT ?3)",
    )
    .bind(nowMs - LIMITS.invoiceWaitsDays * DAY_MS, nowMs - LIMITS.invoiceKeptDays * DAY_MS, limit);
}

/** The request of a row. */
export function invoiceRequestOf(row: InvoiceRow): InvoiceRequestRecord {
  const content = JSON.parse(row.content) as InvoiceContent;
  return {
    ...content,
    currency: content.currency ?? 'USD',
    company: content.company,
    address: content.address,
    taxId: content.taxId,
    note: content.note,
    receipt: row.receipt,
    state: row.state,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
