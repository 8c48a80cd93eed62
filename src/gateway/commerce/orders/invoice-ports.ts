import type { Session } from '../sessions/session.ts';

/** A request for an invoice, as it is kept. */
export interface InvoiceRequestRecord {
  /** What opens its page: `inv_` and 32 hexadecimal digits. */
  readonly receipt: string;
  readonly items: readonly { readonly offerId: string; readonly name: string; readonly unitMinor: number; readonly quantity: number }[];
  readonly currency: Session['currency'];
  readonly totalMinor: number;
  readonly name: string;
  readonly email: string;
  readonly company: string | undefined;
  readonly address: string | undefined;
  readonly taxId: string | undefined;
  readonly note: string | undefined;
  readonly state: 'new' | 'answered' | 'closed';
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Requests for invoices. Every method throws if the database cannot be reached. */
export interface InvoiceStore {
  /** Keeps a request; one with the same receipt stays as it is. */
  readonly keep: (request: InvoiceRequestRecord) => Promise<void>;
  readonly byReceipt: (receipt: string) => Promise<InvoiceRequestRecord | undefined>;
}
