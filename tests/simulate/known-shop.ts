import type { KnownKey, Slot } from './knowledge.ts';

/** Protocols in which sessions are opened, and the page of a cart. */
export type Counter = 'acp' | 'ucp' | 'page';

/** A checkout session that was acknowledged to whoever opened it. */
export interface KnownCheckout {
  readonly id: string;
  readonly counter: Counter;
  /** Key of the agent that opened it, where there is one. */
  readonly key: KnownKey | undefined;
  readonly createdMs: number;
  /** Addresses at which a buyer was told to pay it. */
  readonly continueUrls: Set<string>;
  order: KnownOrder | undefined;
  isCanceled: boolean;
}

/** An order that was acknowledged. */
export interface KnownOrder {
  readonly id: string;
  readonly receipt: string;
  /** What was handed over, by name: an order gives the same again. */
  readonly delivered: Map<string, string>;
}

/** A request of a protocol that may be repeated under its Idempotency-Key. */
export interface CheckoutSlot extends Slot {
  readonly kind: 'create' | 'update' | 'cancel' | 'complete';
  readonly counter: Counter;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  /** Session that it is about; of one that opens a session, the session. */
  checkout: KnownCheckout | undefined;
}

/** A request for an invoice whose receipt was acknowledged. */
export interface KnownInvoice {
  readonly receipt: string;
  readonly totalMinor: number;
}

/** A payment for a capsule that is presented again and again. */
export interface KnownPurchase {
  readonly nonce: string;
  /** Of purchases with an identifier, all authorizations of which one is paid. */
  readonly identifier: string | undefined;
  readonly path: string;
  readonly header: string;
  readonly network: string;
  /** Text of the first answer that was heard. */
  text: string | undefined;
}

/** What a truthful observer knows of what was bought. */
export class KnownShop {
  readonly checkouts: KnownCheckout[] = [];
  readonly requests: CheckoutSlot[] = [];
  readonly invoiceRequests: Slot[] = [];
  readonly invoices: KnownInvoice[] = [];
  readonly purchases: KnownPurchase[] = [];

  get orders(): readonly KnownOrder[] {
    return this.checkouts.flatMap(({ order }) => (order === undefined ? [] : [order]));
  }
}
