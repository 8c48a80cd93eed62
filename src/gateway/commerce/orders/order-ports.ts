import type { IdempotencyRecord, IdempotencySlot } from '../../intake/intake-ports.ts';
import type { Order } from './order.ts';
import type { Line, Session } from '../sessions/session.ts';

/** Status under which an idempotency record says that its request has begun and is not answered yet. */
export const IN_FLIGHT = 0;

/** An entry of the log, which nobody changes afterwards. */
export interface LogEntry {
  /** What happened: `session_created`, `payment_failed`, `order_created` and so on. */
  readonly kind: string;
  readonly atMs: number;
  /** Facts for the publisher; never a key, a token of a payment or a text of a buyer. */
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** Something that a step counts by day and offer, with nothing about who did it. */
export type CountedEvent = 'order' | 'refund';

/** A message of the processor that was understood. */
export interface ProcessorEvent {
  readonly id: string;
  /** Type in the words of the processor. */
  readonly kind: string;
  readonly receivedAtMs: number;
  readonly sessionId: string | undefined;
  readonly paymentReference: string | undefined;
  /** Amount that was paid, or all that was paid back by now, in minor units. */
  readonly amountMinor: number | undefined;
  /** Currency of the amount, ISO 4217, upper case. */
  readonly currency: string | undefined;
  /** Whether the amount is what was paid back. */
  readonly isRefund: boolean;
  /** What was done: `applied`, `waiting` for the order of a payment, `ignored`, or why the publisher has to look. */
  readonly outcome: string;
}

/** One step of a session with all that follows from it: everything is stored, or nothing. */
export interface SessionChange {
  /** The session afterwards; its revision is one more than before. */
  readonly session: Session;
  /** Whether the session is new. */
  readonly isNew: boolean;
  /** The order of the session afterwards, where there is one. */
  readonly order?: Order;
  /** What is answered under an idempotency key; with status {@link IN_FLIGHT} the answer comes with a later change. */
  readonly answer?: { readonly slot: IdempotencySlot; readonly given: IdempotencyRecord; readonly expiresAtMs: number };
  /** A key in flight that is given free without an answer. */
  readonly releaseIdempotencyKey?: IdempotencySlot;
  readonly processorEvent?: ProcessorEvent;
  readonly log: readonly LogEntry[];
  readonly counts: readonly { readonly event: CountedEvent; readonly offerId: string }[];
  /** Whether the order's address is told of it; the text is made when it is sent. */
  readonly notify: 'order_create' | 'order_update' | undefined;
  readonly nowMs: number;
}

/** What the database knows before a step. */
export interface KnownSession {
  readonly given: IdempotencyRecord | undefined;
  readonly session: Session | undefined;
  readonly order: Order | undefined;
}

/** Sessions, orders and what belongs to them. Every method throws if the database cannot be reached. */
export interface OrderStore {
  /** What is kept under an idempotency key, and a session with its order. */
  readonly look: (slot: IdempotencySlot | undefined, sessionId: string | undefined, nowMs: number) => Promise<KnownSession>;
  /**
   * Stores a step, if the session is at the revision before it, the idempotency key is free or in flight, and the processor's event is
   * new. If it throws, the step may have been stored all the same.
   *
   * @returns Whether it was stored by this call, and what is kept under the idempotency key afterwards.
   */
  readonly apply: (change: SessionChange) => Promise<{ readonly applied: boolean; readonly given: IdempotencyRecord | undefined }>;
  readonly orderByReceipt: (receipt: string) => Promise<Order | undefined>;
  readonly orderById: (id: string) => Promise<Order | undefined>;
  /** The session whose order was paid by a payment. */
  readonly sessionOfPayment: (paymentReference: string) => Promise<KnownSession>;
  /** Whether an event of the processor was taken already. */
  readonly hasEvent: (eventId: string) => Promise<boolean>;
  /**
   * Keeps an event that changes no session; one that is there stays. One whose outcome is `waiting` waits for the order of its payment.
   *
   * @returns Whether it is kept: one that waits is not if the order is there by now.
   */
  readonly saveEvent: (event: ProcessorEvent) => Promise<boolean>;
}

/** What a payment of an agent came to. */
export type ChargeOutcome =
  | { readonly kind: 'paid'; readonly paymentReference: string; readonly amountMinor: number; readonly currency: string }
  | { readonly kind: 'declined'; readonly reason: string }
  /** Nothing was charged, and that is not the buyer's doing: the processor is too busy, or takes no payments from this service. */
  | { readonly kind: 'unavailable' }
  /** Begun at the processor and not settled: its message will say what became of it. */
  | { readonly kind: 'pending'; readonly paymentReference: string };

/** A payment processor. Every method throws if it cannot be reached, or what it did is not known. */
export interface PaymentProcessor {
  /** Whether its key is one that moves money, and not one of a test mode. */
  readonly takesRealMoney: boolean;
  /**
   * Charges a shared payment token. The same idempotency key charges once; the messages about the charge name it and the session.
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
  /** Makes a hosted checkout that charges exactly these lines and names the session in its message. The same key makes one. */
  readonly openCheckout: (request: {
    readonly sessionId: string;
    readonly lines: readonly Line[];
    readonly currency: string;
    readonly email: string | undefined;
    readonly returnUrl: string;
    readonly idempotencyKey: string;
  }) => Promise<{ readonly reference: string; readonly url: string }>;
}
