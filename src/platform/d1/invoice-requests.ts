import type { InvoiceRequestRecord, InvoiceStore } from '../../gateway/commerce/orders/request-invoice.ts';
import type { Database } from './database.ts';

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
