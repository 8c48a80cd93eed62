import type { InvoiceRequestRecord, InvoiceStore } from '../../gateway/commerce/orders/request-invoice.ts';
import { columnsOf, type Database, type Row, readFirst, readTruncated, selectTruncated, type TruncatedList } from './database.ts';

type StoredMembers = 'receipt' | 'state' | 'createdAtMs' | 'updatedAtMs';

const REQUEST = columnsOf<Pick<InvoiceRequestRecord, StoredMembers> & { readonly content: string }>([
  'receipt',
  'content',
  'state',
  'createdAtMs',
  'updatedAtMs',
]);

/** Members that no statement reads, as JSON. Older requests have no currency. */
type Content = Omit<InvoiceRequestRecord, StoredMembers | 'currency'> & Partial<Pick<InvoiceRequestRecord, 'currency'>>;

/** Invoice requests in D1. */
export function d1InvoiceRequests(database: Database): InvoiceStore {
  return {
    save: async ({ receipt, state, createdAtMs, updatedAtMs, ...content }) => {
      await database
        .prepare(`INSERT INTO invoice_requests (${REQUEST.names}) VALUES (${REQUEST.parameters}) ON CONFLICT DO NOTHING`)
        .bind(...REQUEST.values({ receipt, state, createdAtMs, updatedAtMs, content: JSON.stringify(content satisfies Content) }))
        .all();
    },
    byReceipt: (receipt) =>
      readFirst(database.prepare(`SELECT ${REQUEST.names} FROM invoice_requests WHERE receipt = ?1`).bind(receipt), requestOf),
  };
}

/** The newest invoice requests, newest first. @throws If the database cannot be reached. */
export function newestInvoiceRequests(database: Database, limit: number): Promise<TruncatedList<InvoiceRequestRecord>> {
  return readTruncated(database.prepare(selectTruncated(REQUEST.names, 'invoice_requests', 'number DESC')).bind(limit), requestOf);
}

/**
 * Marks an invoice request as answered or closed. An answered one can be closed; a closed one stays closed.
 *
 * @returns The request; `undefined` if nothing changed.
 * @throws If the database cannot be reached.
 */
export function markInvoiceRequest(
  database: Database,
  receipt: string,
  state: 'answered' | 'closed',
  nowMs: number,
): Promise<InvoiceRequestRecord | undefined> {
  const statement = database
    .prepare(
      `UPDATE invoice_requests SET state = ?2, updated_at_ms = ?3 WHERE receipt = ?1 AND (state = 'new' OR (state = 'answered' AND ?2 = 'closed')) RETURNING ${REQUEST.names}`,
    )
    .bind(receipt, state, nowMs);
  return readFirst(statement, requestOf);
}

function requestOf(row: Row): InvoiceRequestRecord {
  const { content, ...stored } = REQUEST.read(row);
  const { currency = 'USD', ...members } = JSON.parse(content) as Content;
  return { ...members, ...stored, currency };
}
