import type { NotConfigured, SigningSecret } from '../../platform-ports.ts';
import type { Result } from '../../result.ts';
import type { Order, OrderStore, PaymentProcessor, Session } from '../cart/checkout-ports.ts';
import type { PaymentAdapters } from '../payments/payment-ports.ts';

export interface CommerceDependencies {
  /** `undefined` when no database is bound, as are the other stores. */
  readonly orders: OrderStore | undefined;
  readonly webhooks: WebhookDeliveries | undefined;
  readonly invoices: InvoiceStore | undefined;
  readonly processor: PaymentProcessor | NotConfigured | undefined;
  readonly readPaymentWebhook: PaymentWebhookReader | NotConfigured;
  readonly writeOrderEvent: WriteOrderEvent;
  readonly sendWebhook: SendWebhook;
}

export interface ProtocolAdapters {
  readonly payments: PaymentAdapters;
  readonly writeOrderEvent: WriteOrderEvent;
}

export interface InvoicedItem {
  readonly offerId: string;
  readonly name: string;
  /** Price of one unit; absent if the publisher quotes it. */
  readonly unitMinor?: number | undefined;
  readonly quantity: number;
}

/** A request for an invoice, or a message to the publisher, which has no items. */
export interface InvoiceRequestRecord {
  /** Secret in its URL: `inv_` and 32 hexadecimal digits; `msg_` of a message, which has no page. */
  readonly receipt: string;
  readonly items: readonly InvoicedItem[];
  readonly currency: Session['currency'];
  readonly totalMinor: number;
  readonly name: string;
  readonly email: string;
  readonly company?: string | undefined;
  readonly address?: string | undefined;
  readonly taxId?: string | undefined;
  readonly note: string | undefined;
  readonly state: 'new' | 'answered' | 'closed';
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface InvoiceStore {
  /** Stores a request unless one with the same receipt exists. */
  readonly save: (request: InvoiceRequestRecord) => Promise<void>;
  readonly byReceipt: (receipt: string) => Promise<InvoiceRequestRecord | undefined>;
}

interface EventIdentity {
  readonly id: string;
  readonly type: string;
}

export interface PaidEvent extends EventIdentity {
  readonly kind: 'paid';
  readonly sessionId: string | undefined;
  readonly paymentReference: string | undefined;
  readonly amountMinor: number;
  readonly currency: string;
  readonly email: string | undefined;
}

export interface FailedEvent extends EventIdentity {
  readonly kind: 'failed';
  readonly sessionId: string | undefined;
  /** The attempt's idempotency key at the payment processor; see {@link Session.attempt}. */
  readonly attempt: string | undefined;
  readonly reason: string;
}

export interface RefundedEvent extends EventIdentity {
  readonly kind: 'refunded';
  readonly paymentReference: string | undefined;
  /** Running total of all refunds of the payment, in minor units. */
  readonly amountMinor: number;
  readonly currency: string;
}

/** An event of the payment processor whose signature was verified. */
export type PaymentEvent = PaidEvent | FailedEvent | RefundedEvent | (EventIdentity & { readonly kind: 'other' });

/** Verifies and parses a payment webhook: `signature_invalid`, or for a signed body that is malformed `invalid_json` or `invalid_request`. */
export type PaymentWebhookReader = (body: Uint8Array, signature: string, nowMs: number) => Promise<Result<PaymentEvent>>;

export interface DueWebhook {
  readonly number: number;
  readonly orderId: string;
  readonly url: string;
  readonly kind: 'order_create' | 'order_update';
  readonly attempts: number;
}

/** Undelivered webhooks. Every method throws if the database cannot be reached. */
export interface WebhookDeliveries {
  /**
   * Takes up to `limit` due webhooks and schedules the next attempt of each, so that it is sent once and a crash loses none.
   * @param waitsMs The wait after each attempt; the last one repeats.
   */
  readonly takeDue: (nowMs: number, limit: number, waitsMs: readonly number[]) => Promise<readonly DueWebhook[]>;
  readonly markSent: (number: number) => Promise<void>;
  readonly markFailed: (number: number, failure: string, isLast: boolean) => Promise<void>;
}

interface WebhookMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Writes the signed webhook about an order, in the form of the agent's protocol. */
export type WriteOrderEvent = (
  kind: DueWebhook['kind'],
  order: Order,
  context: { readonly baseUrl: string; readonly secret: SigningSecret; readonly nowMs: number },
) => Promise<WebhookMessage>;

/** Sends a webhook: `undefined` if it was accepted (2xx), else a short reason. Never throws; follows no redirect. */
export type SendWebhook = (request: WebhookMessage & { readonly url: string }) => Promise<string | undefined>;
