import type { Buyer } from '../../../schemas/commerce/orders.ts';
import { dayOf } from '../../../schemas/time.ts';
import type { IdempotencyKey, IdempotencyRecord } from '../../idempotency/bind-idempotency-key.ts';
import type { SigningSecret } from '../../ports.ts';
import type { Result } from '../../result.ts';
import type { PaymentAdapters } from '../payments/payment-ports.ts';
import type { Channel, Line, Session } from '../sessions/session.ts';

/** An entry of the append-only order log. */
export interface LogEntry {
  /** `session_created`, `payment_declined`, `order_created` and so on. */
  readonly kind: string;
  readonly atMs: number;
  /** Details for the publisher; never an API key, a payment token or text of a buyer. */
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** Counted by day and offer, without identifying anybody. */
type CountedEvent = 'order' | 'refund';

/** A stored event of the payment processor. */
export interface PaymentEventRecord {
  readonly id: string;
  readonly kind: string;
  readonly receivedAtMs: number;
  readonly sessionId: string | undefined;
  readonly paymentReference: string | undefined;
  /** Amount paid, or running total of refunds, in minor units. */
  readonly amountMinor: number | undefined;
  readonly currency: string | undefined;
  readonly isRefund: boolean;
  readonly outcome: string;
}

/** One step of a session with all its effects, stored all or nothing. */
export interface SessionChange {
  /** The session afterwards, with the next revision. */
  readonly session: Session;
  readonly isNew: boolean;
  readonly order?: Order;
  /** Record of the request's idempotency key; replaces one in flight. */
  readonly idempotency?: { readonly key: IdempotencyKey; readonly record: IdempotencyRecord; readonly expiresAtMs: number };
  /** A key in flight to release without a response. */
  readonly releaseIdempotencyKey?: IdempotencyKey;
  readonly paymentEvent?: PaymentEventRecord;
  readonly log: readonly LogEntry[];
  readonly counts: readonly { readonly event: CountedEvent; readonly offerId: string }[];
  /** Webhook to deliver; its body is written when it is sent. */
  readonly notify: 'order_create' | 'order_update' | undefined;
  readonly nowMs: number;
}

/** The stored state before a step. */
export interface StoredSession {
  readonly record: IdempotencyRecord | undefined;
  readonly session: Session | undefined;
  readonly order: Order | undefined;
}

/** Sessions and orders. Every method throws if the database cannot be reached. */
export interface OrderStore {
  readonly load: (key: IdempotencyKey | undefined, sessionId: string | undefined, nowMs: number) => Promise<StoredSession>;
  /**
   * Stores a step if the session has the previous revision, the idempotency key is unused or in flight, and the payment event is new. If it
   * throws, the step may have been stored.
   *
   * @returns Whether this call stored it, and the idempotency record afterwards.
   */
  readonly apply: (change: SessionChange) => Promise<{ readonly applied: boolean; readonly record: IdempotencyRecord | undefined }>;
  readonly orderByReceipt: (receipt: string) => Promise<Order | undefined>;
  readonly orderById: (id: string) => Promise<Order | undefined>;
  readonly sessionOfPayment: (paymentReference: string) => Promise<StoredSession>;
  readonly hasEvent: (eventId: string) => Promise<boolean>;
  /**
   * Stores an event that changes no session, unless it is already stored.
   *
   * @returns Whether it is stored: not for the outcome `waiting` if the order of its payment now exists.
   */
  readonly saveEvent: (event: PaymentEventRecord) => Promise<boolean>;
}

export type ChargeOutcome =
  | { readonly kind: 'paid'; readonly paymentReference: string; readonly amountMinor: number; readonly currency: string }
  | { readonly kind: 'declined'; readonly reason: string }
  /** Nothing was charged, and the payment is not to blame: the processor is overloaded or refuses requests of this service. */
  | { readonly kind: 'unavailable' }
  /** Not settled yet: an event will report the outcome. */
  | { readonly kind: 'pending'; readonly paymentReference: string };

/** A payment processor. Every method throws if it cannot be reached, or the outcome is unknown. */
export interface PaymentProcessor {
  /** Whether its key is a live key, which moves money. */
  readonly takesRealMoney: boolean;
  /**
   * Charges a shared payment token, once for each idempotency key. Events of the charge name the key and the session.
   *
   * @param token The payment token, which is neither stored nor logged.
   */
  readonly charge: (request: {
    readonly sessionId: string;
    readonly token: string;
    readonly amountMinor: number;
    readonly currency: string;
    readonly idempotencyKey: string;
  }) => Promise<ChargeOutcome>;
  /** Creates a hosted checkout that charges exactly these lines, once for each idempotency key. Its events name the session. */
  readonly openCheckout: (request: {
    readonly sessionId: string;
    readonly lines: readonly Line[];
    readonly currency: string;
    readonly email: string | undefined;
    readonly returnUrl: string;
    readonly idempotencyKey: string;
  }) => Promise<{ readonly reference: string; readonly url: string }>;
}

/** A missing or malformed secret or binding of a declared feature. Names no secret. */
export interface NotConfigured {
  readonly missing: string;
}

/** What commerce needs from the platform. */
export interface CommerceDependencies {
  /** `undefined` when no database is bound, as are the other stores. */
  readonly orders: OrderStore | undefined;
  readonly webhooks: WebhookDeliveries | undefined;
  readonly invoices: InvoiceStore | undefined;
  readonly clicks: ClickCounter;
  readonly processor: PaymentProcessor | NotConfigured | undefined;
  readonly readPaymentWebhook: PaymentWebhookReader | NotConfigured;
  readonly writeOrderEvent: WriteOrderEvent;
  readonly sendWebhook: SendWebhook;
}

/** What protocols provide to the gateway. */
export interface ProtocolAdapters {
  readonly payments: PaymentAdapters;
  readonly writeOrderEvent: WriteOrderEvent;
}

/** An order, which exists exactly for completed sessions. */
export interface Order {
  readonly id: string;
  /** Secret in the URL of the order: `rct_` and 32 hexadecimal digits. */
  readonly receipt: string;
  readonly sessionId: string;
  readonly owner: string;
  readonly channel: Channel;
  readonly currency: Session['currency'];
  readonly lines: readonly Line[];
  readonly totalMinor: number;
  readonly refundedMinor: number;
  /** Payment at the processor, such as `pi_…`; `undefined` if nothing was due. */
  readonly paymentReference: string | undefined;
  readonly buyer: Buyer | undefined;
  readonly notifyUrl: string | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** An item of an invoice request. */
export interface InvoicedItem {
  readonly offerId: string;
  readonly name: string;
  /** Price of one unit; absent if the publisher quotes it. */
  readonly unitMinor?: number | undefined;
  readonly quantity: number;
}

/** A stored invoice request. */
export interface InvoiceRequestRecord {
  /** Secret in its URL: `inv_` and 32 hexadecimal digits. */
  readonly receipt: string;
  readonly items: readonly InvoicedItem[];
  readonly currency: Session['currency'];
  /** Total of the items with a price. */
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

/** Stored invoice requests. Every method throws if the database cannot be reached. */
export interface InvoiceStore {
  /** Stores a request unless one with the same receipt exists. */
  readonly save: (request: InvoiceRequestRecord) => Promise<void>;
  readonly byReceipt: (receipt: string) => Promise<InvoiceRequestRecord | undefined>;
}

interface EventIdentity {
  readonly id: string;
  readonly type: string;
}

/** A payment was made. */
export interface PaidEvent extends EventIdentity {
  readonly kind: 'paid';
  readonly sessionId: string | undefined;
  readonly paymentReference: string | undefined;
  readonly amountMinor: number;
  readonly currency: string;
  readonly email: string | undefined;
}

/** An agent's payment that was under way has failed. */
export interface FailedEvent extends EventIdentity {
  readonly kind: 'failed';
  readonly sessionId: string | undefined;
  /** The attempt's idempotency key at the payment processor; see {@link Session.attempt}. */
  readonly attempt: string | undefined;
  readonly reason: string;
}

/** A payment was refunded, in part or in full. */
export interface RefundedEvent extends EventIdentity {
  readonly kind: 'refunded';
  readonly paymentReference: string | undefined;
  /** Running total of all refunds of the payment, in minor units. */
  readonly amountMinor: number;
  readonly currency: string;
}

/** An event that does not concern orders. */
export interface UnrelatedEvent extends EventIdentity {
  readonly kind: 'other';
}

/** An event of the payment processor whose signature was verified. */
export type PaymentEvent = PaidEvent | FailedEvent | RefundedEvent | UnrelatedEvent;

/**
 * Verifies the signature of a payment webhook and parses its event.
 *
 * @returns The event, or the refusal `signature_invalid`; for a signed body that cannot be parsed, `invalid_json` or `invalid_request`
 *   with its errors.
 */
export type PaymentWebhookReader = (body: Uint8Array, signature: string, nowMs: number) => Promise<Result<PaymentEvent>>;

/** A due webhook: an event of an order, for its agent's URL. */
export interface DueWebhook {
  readonly number: number;
  readonly orderId: string;
  readonly url: string;
  readonly kind: 'order_create' | 'order_update';
  readonly attempts: number;
}

/** Undelivered webhooks. Every method throws if the database cannot be reached. */
export interface WebhookDeliveries {
  /** Claims up to `limit` due webhooks and schedules the next attempt of each, so that nobody else sends it and a crash loses none. */
  readonly claim: (nowMs: number, limit: number, nextAttemptMs: (attempts: number) => number) => Promise<readonly DueWebhook[]>;
  readonly markSent: (number: number) => Promise<void>;
  readonly markFailed: (number: number, fault: string, isLast: boolean) => Promise<void>;
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

/** A step of a session before it is stored. */
export type SessionStep = Omit<SessionChange, 'idempotency' | 'nowMs'>;

export interface CountedClicks {
  readonly day: string;
  readonly offerId: string;
  readonly clicks: number;
}

/** Counts redirects to the checkout of an offer, without identifying anybody. Never fails and never writes to a database. */
export interface ClickCounter {
  readonly count: (offerId: string, nowMs: number) => void;
}

/**
 * Clicks that one isolate has not stored yet. GET requests never write to the database: their counts wait for a request that writes anyway.
 * Clicks of an isolate that ends first are lost, so stored counts are a lower bound.
 */
export class PendingClicks implements ClickCounter {
  readonly #clicks = new Map<string, CountedClicks>();
  #takenAtMs = Number.NEGATIVE_INFINITY;

  count(offerId: string, nowMs: number): void {
    const day = dayOf(nowMs);
    const key = `${day} ${offerId}`;
    this.#clicks.set(key, { day, offerId, clicks: (this.#clicks.get(key)?.clicks ?? 0) + 1 });
  }

  /**
   * Removes and returns the clicks to store now: at most {@link BATCH_MAX} offers, at most once in {@link BATCH_INTERVAL_MS}. Never
   * returned twice, so that a batch with an unknown outcome is not counted twice.
   */
  take(nowMs: number): readonly CountedClicks[] {
    if (this.#clicks.size === 0 || nowMs - this.#takenAtMs < BATCH_INTERVAL_MS) return [];
    this.#takenAtMs = nowMs;
    const taken = [...this.#clicks].slice(0, BATCH_MAX);
    for (const [key] of taken) this.#clicks.delete(key);
    return taken.map(([, clicks]) => clicks);
  }
}

const BATCH_MAX = 20;

/** Minimum time between batches of an isolate, in milliseconds: half an hour, so that clicks write few rows. */
const BATCH_INTERVAL_MS = 1_800_000;
