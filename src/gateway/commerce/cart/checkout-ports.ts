import type { SoldPass } from '../../../schemas/commerce/access-passes.ts';
import type { Offer } from '../../../schemas/commerce/offers.ts';
import type { Buyer } from '../../../schemas/commerce/orders.ts';
import type { IdempotencyKey, IdempotencyRecord } from '../../platform-ports.ts';

/** An open session after its expiry is shown as expired. */
export type SessionState = 'open' | 'charging' | 'completed' | 'canceled';

export interface Line {
  readonly id: string;
  readonly offerId: string;
  readonly name: string;
  readonly cadence: Offer['cadence'];
  readonly unitMinor: number;
  readonly quantity: number;
  readonly demo: boolean;
  /** Whether the page of the order delivered it at once, when it was put in the cart; absent if not, and in older orders. */
  readonly isDigital?: true;
}

export type Channel = 'acp' | 'ucp' | 'page';

/** A pass in force: of an order that is paid, neither refunded in full nor withdrawn, and not expired. */
export interface Pass extends Pick<SoldPass, 'opens'> {
  readonly orderId: string;
  readonly endsAtMs: number | undefined;
  /** In US cents: the amount of credit; for a text that was bought with credit, its price as a negative number. */
  readonly creditMinor?: number | undefined;
  /** In US cents: what is left of credit. */
  readonly leftMinor?: number | undefined;
  /** When a text was bought with credit. */
  readonly paidAtMs?: number | undefined;
}

export interface PassHolder {
  readonly agent?: string | undefined;
  readonly orderId?: string | undefined;
}

export interface Session {
  /** `cs_` and 32 hexadecimal digits. */
  readonly id: string;
  /** The agent that may read and change it, or anyone who knows its id. */
  readonly owner: string;
  readonly channel: Channel;
  readonly state: SessionState;
  /** ISO 4217, upper case; the currency of all lines and of the total. */
  readonly currency: string;
  readonly lines: readonly Line[];
  readonly totalMinor: number;
  readonly buyer: Buyer | undefined;
  /** The agent whose keys open what the lines sell; `undefined` for a buyer without a key. */
  readonly holder?: string | undefined;
  /** What the lines open, fixed when they were made. */
  readonly passes?: readonly SoldPass[] | undefined;
  readonly notifyUrl: string | undefined;
  /** Members that the channel's protocol echoes, as sent. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The latest charge, by its idempotency key at the payment processor. */
  readonly attempt?: string | undefined;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly expiresAtMs: number;
}

export interface LogEntry {
  /** `session_created`, `payment_declined`, `order_created` and so on. */
  readonly kind: string;
  readonly atMs: number;
  /** Details for the publisher; never an API key, a payment token or text of a buyer. */
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

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
  readonly session: Session;
  readonly isNew: boolean;
  readonly order?: Order;
  /** Record of the request's idempotency key; replaces one in flight. */
  readonly idempotency?: { readonly key: IdempotencyKey; readonly record: IdempotencyRecord; readonly expiresAtMs: number };
  readonly releaseIdempotencyKey?: IdempotencyKey;
  readonly paymentEvent?: PaymentEventRecord;
  readonly log: readonly LogEntry[];
  readonly counts: readonly { readonly event: 'order' | 'refund'; readonly offerId: string }[];
  /** Webhook to deliver; its body is written when it is sent. */
  readonly notify: 'order_create' | 'order_update' | undefined;
  /** What the session opens, and what opens the same: the step is refused if its owner has a pass for it, or is paying for one. */
  readonly unlessHeld?: readonly string[];
  readonly nowMs: number;
}

export interface StoredSession {
  readonly record: IdempotencyRecord | undefined;
  readonly session: Session | undefined;
  readonly order: Order | undefined;
}

/** Sessions and orders. Every method throws if the database cannot be reached. */
export interface OrderStore {
  readonly load: (key: IdempotencyKey | undefined, sessionId: string | undefined, nowMs: number) => Promise<StoredSession>;
  /** Stores a step if its revision follows, its idempotency key is unused or in flight and its event is new. If it throws, it may be stored. */
  readonly apply: (change: SessionChange) => Promise<{ readonly applied: boolean; readonly record: IdempotencyRecord | undefined }>;
  readonly orderByReceipt: (receipt: string) => Promise<Order | undefined>;
  readonly orderById: (id: string) => Promise<Order | undefined>;
  /** Passes in force of an order or of an agent, for all or some of what they open, the longest first. */
  readonly passes: (holder: PassHolder, opens: readonly string[] | undefined, nowMs: number) => Promise<readonly Pass[]>;
  /**
   * Pays for a pass of the agent for good, from the credit that ends first: all of the amount, or nothing if the credit is too small or the
   * holder has a pass for the same, `opens`. Repeating it pays nothing.
   */
  readonly payByCredit: (holder: PassHolder, opens: readonly string[], amountMinor: number, nowMs: number) => Promise<void>;
  readonly sessionOfPayment: (paymentReference: string) => Promise<StoredSession>;
  readonly hasEvent: (eventId: string) => Promise<boolean>;
  /** Stores an event that changes no session, once. False for the outcome `waiting` if the order of its payment now exists. */
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
  /** Charges a shared payment token, which is not logged, once for each idempotency key. Events of the charge have the metadata. */
  readonly charge: (request: {
    readonly metadata: Readonly<Record<string, string>>;
    readonly token: string;
    readonly amountMinor: number;
    readonly currency: string;
    readonly idempotencyKey: string;
  }) => Promise<ChargeOutcome>;
  /** Creates a hosted checkout that charges exactly these lines, once for each idempotency key, and returns its URL. Its events name the session. */
  readonly openCheckout: (request: {
    readonly sessionId: string;
    readonly lines: readonly Line[];
    readonly currency: string;
    readonly email: string | undefined;
    readonly returnUrl: string;
    readonly idempotencyKey: string;
  }) => Promise<string>;
}

/** An order, which exists exactly for completed sessions. */
export interface Order
  extends Pick<Session, 'owner' | 'channel' | 'currency' | 'lines' | 'totalMinor' | 'buyer' | 'notifyUrl' | 'createdAtMs' | 'updatedAtMs'> {
  readonly id: string;
  /** Secret in the URL of the order: `rct_` and 32 hexadecimal digits. */
  readonly receipt: string;
  readonly sessionId: string;
  readonly refundedMinor: number;
  /** Payment at the processor, such as `pi_…`; `undefined` if nothing was due. */
  readonly paymentReference: string | undefined;
  /** When the publisher withdrew what it delivers; `undefined` while it delivers. */
  readonly withdrawnAtMs?: number | undefined;
}

export type SessionStep = Omit<SessionChange, 'idempotency' | 'nowMs'>;
