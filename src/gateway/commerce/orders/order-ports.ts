import type { IdempotencyKey, IdempotencyRecord } from '../../idempotency/bind-idempotency-key.ts';
import type { ClickCounter } from '../catalog/click-counts.ts';
import type { PaymentAdapters } from '../payments/payment-scheme.ts';
import type { Line, Session } from '../sessions/session.ts';
import type { PaymentWebhookReader } from './handle-payment-event.ts';
import type { Order } from './order.ts';
import type { InvoiceStore } from './request-invoice.ts';
import type { SendWebhook, WebhookDeliveries, WriteOrderEvent } from './send-webhooks.ts';

/** An entry of the order log, which is append-only. */
export interface LogEntry {
  /** What happened: `session_created`, `payment_failed`, `order_created` and so on. */
  readonly kind: string;
  readonly atMs: number;
  /** Details for the publisher; never an API key, a payment token or text of a buyer. */
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** Something that is counted by day and offer, with nothing about who did it. */
export type CountedEvent = 'order' | 'refund';

/** An event of the payment processor, as it is stored. */
export interface PaymentEventRecord {
  readonly id: string;
  /** Type, in the payment processor's words. */
  readonly kind: string;
  readonly receivedAtMs: number;
  readonly sessionId: string | undefined;
  readonly paymentReference: string | undefined;
  /** Amount that was paid, or the running total of refunds, in minor units. */
  readonly amountMinor: number | undefined;
  /** Currency of the amount, ISO 4217, upper case. */
  readonly currency: string | undefined;
  /** Whether the amount was refunded. */
  readonly isRefund: boolean;
  /** `applied`; `waiting` for the order of a payment; `ignored`; or why the publisher has to review it. */
  readonly outcome: string;
}

/** One step of a session with everything that follows from it: all of it is stored, or nothing. */
export interface SessionChange {
  /** The session afterwards; its revision is one more than before. */
  readonly session: Session;
  readonly isNew: boolean;
  /** The order of the session afterwards, where there is one. */
  readonly order?: Order;
  /** Record under the request's idempotency key; one in flight gets its response by a later change. */
  readonly idempotency?: { readonly key: IdempotencyKey; readonly record: IdempotencyRecord; readonly expiresAtMs: number };
  /** A key in flight that is released without a response. */
  readonly releaseIdempotencyKey?: IdempotencyKey;
  readonly paymentEvent?: PaymentEventRecord;
  readonly log: readonly LogEntry[];
  readonly counts: readonly { readonly event: CountedEvent; readonly offerId: string }[];
  /** Webhook to deliver to the order's address; its body is made when it is sent. */
  readonly notify: 'order_create' | 'order_update' | undefined;
  readonly nowMs: number;
}

/** What is stored before a step. */
export interface StoredSession {
  /** Record under the request's idempotency key. */
  readonly record: IdempotencyRecord | undefined;
  readonly session: Session | undefined;
  readonly order: Order | undefined;
}

/** Sessions, orders and what belongs to them. Every method throws if the database cannot be reached. */
export interface OrderStore {
  /** Reads the record of an idempotency key, and a session with its order. */
  readonly load: (key: IdempotencyKey | undefined, sessionId: string | undefined, nowMs: number) => Promise<StoredSession>;
  /**
   * Stores a step if the session is at the revision before it, the idempotency key is free or in flight, and the payment event is new.
   * If it throws, the step may have been stored all the same.
   *
   * @returns Whether this call stored it, and the record of the idempotency key afterwards.
   */
  readonly apply: (change: SessionChange) => Promise<{ readonly applied: boolean; readonly record: IdempotencyRecord | undefined }>;
  readonly orderByReceipt: (receipt: string) => Promise<Order | undefined>;
  readonly orderById: (id: string) => Promise<Order | undefined>;
  /** The session whose order was paid by a payment. */
  readonly sessionOfPayment: (paymentReference: string) => Promise<StoredSession>;
  /** Whether a payment event was stored already. */
  readonly hasEvent: (eventId: string) => Promise<boolean>;
  /**
   * Stores an event that changes no session; one that is there stays.
   *
   * @returns Whether it is stored: an event with the outcome `waiting` is not if the order of its payment exists by then.
   */
  readonly saveEvent: (event: PaymentEventRecord) => Promise<boolean>;
}

/** The outcome of an agent's payment. */
export type ChargeOutcome =
  | { readonly kind: 'paid'; readonly paymentReference: string; readonly amountMinor: number; readonly currency: string }
  | { readonly kind: 'declined'; readonly reason: string }
  /** Nothing was charged, for no fault of the buyer: the payment processor is too busy, or refuses requests of this service. */
  | { readonly kind: 'unavailable' }
  /** Begun at the payment processor and not settled: an event will report the outcome. */
  | { readonly kind: 'pending'; readonly paymentReference: string };

/** A payment processor. Every method throws if it cannot be reached, or what it did is not known. */
export interface PaymentProcessor {
  /** Whether its key is a live one, which moves money. */
  readonly takesRealMoney: boolean;
  /**
   * Charges a shared payment token. The same idempotency key charges once; the events about the charge name it and the session.
   *
   * @param token What the agent was given for one payment; it is neither stored nor logged.
   */
  readonly charge: (request: {
    readonly sessionId: string;
    readonly token: string;
    readonly amountMinor: number;
    readonly currency: string;
    readonly idempotencyKey: string;
  }) => Promise<ChargeOutcome>;
  /** Creates a hosted checkout that charges exactly these lines and names the session in its events. The same key creates one. */
  readonly openCheckout: (request: {
    readonly sessionId: string;
    readonly lines: readonly Line[];
    readonly currency: string;
    readonly email: string | undefined;
    readonly returnUrl: string;
    readonly idempotencyKey: string;
  }) => Promise<{ readonly reference: string; readonly url: string }>;
}

/** Why something that the build declares cannot be used: a secret or a binding is missing or malformed. Names no secret. */
export interface NotConfigured {
  readonly missing: string;
}

/** What buying needs from the platform. */
export interface CommerceDependencies {
  /** `undefined` when no database is bound; so are the other stores. */
  readonly orders: OrderStore | undefined;
  readonly webhooks: WebhookDeliveries | undefined;
  readonly invoices: InvoiceStore | undefined;
  readonly clicks: ClickCounter;
  /** `undefined` where the build decided that only hosted links are paid. */
  readonly processor: PaymentProcessor | NotConfigured | undefined;
  readonly readPaymentWebhook: PaymentWebhookReader | NotConfigured;
  readonly writeOrderEvent: WriteOrderEvent;
  readonly sendWebhook: SendWebhook;
}

/** What the gateway leaves to protocols; handed in where one is put together. */
export interface ProtocolAdapters {
  readonly payments: PaymentAdapters;
  readonly writeOrderEvent: WriteOrderEvent;
}
