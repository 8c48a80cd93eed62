import type { Order } from '../../gateway/commerce/orders/order.ts';
import type { Session } from '../../gateway/commerce/sessions/session.ts';

/** A row of `checkout_sessions`. */
export interface SessionRow {
  readonly id: string;
  readonly owner: string;
  readonly channel: Session['channel'];
  readonly state: Session['state'];
  readonly currency: Session['currency'];
  readonly total_minor: number;
  readonly content: string;
  readonly revision: number;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  readonly expires_at_ms: number;
}

/** Columns of {@link SessionRow}. */
export const SESSION_COLUMNS =
  'id, owner, channel, state, currency, total_minor, content, revision, created_at_ms, updated_at_ms, expires_at_ms';

/** A row of `orders`. */
export interface OrderRow {
  readonly id: string;
  readonly receipt: string;
  readonly session_id: string;
  readonly total_minor: number;
  readonly refunded_minor: number;
  readonly payment_reference: string | null;
  readonly content: string;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

/** Columns of {@link OrderRow}. */
export const ORDER_COLUMNS =
  'id, receipt, session_id, total_minor, refunded_minor, payment_reference, content, created_at_ms, updated_at_ms';

/** A buyer as rows keep one; before names were kept in parts there was one name. */
type StoredBuyer = Session['buyer'] & { readonly name?: string };

function buyerOf(stored: StoredBuyer | undefined): Session['buyer'] {
  if (stored?.name === undefined) return stored;
  const { name, ...rest } = stored;
  return { full_name: name, ...rest };
}

type SessionContent = Pick<Session, 'lines' | 'buyer' | 'notifyUrl' | 'details' | 'attempt'>;
type OrderContent = Pick<Order, 'owner' | 'channel' | 'currency' | 'lines' | 'buyer' | 'notifyUrl'>;

/** What of a session no statement looks at, as JSON. */
export function sessionContent({ lines, buyer, notifyUrl, details, attempt }: Session): string {
  return JSON.stringify({ lines, buyer, notifyUrl, details, attempt } satisfies SessionContent);
}

/** What of an order no statement looks at, as JSON. */
export function orderContent({ owner, channel, currency, lines, buyer, notifyUrl }: Order): string {
  return JSON.stringify({ owner, channel, currency, lines, buyer, notifyUrl } satisfies OrderContent);
}

/** The session of a row. */
export function sessionOf(row: SessionRow): Session {
  const { lines, buyer, notifyUrl, details, attempt } = JSON.parse(row.content) as SessionContent;
  return {
    id: row.id,
    owner: row.owner,
    channel: row.channel,
    state: row.state,
    currency: row.currency,
    lines,
    totalMinor: row.total_minor,
    buyer: buyerOf(buyer),
    notifyUrl,
    details,
    attempt,
    revision: row.revision,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

/** The order of a row. */
export function orderOf(row: OrderRow): Order {
  const { owner, channel, currency, lines, buyer, notifyUrl } = JSON.parse(row.content) as OrderContent;
  return {
    id: row.id,
    receipt: row.receipt,
    sessionId: row.session_id,
    owner,
    channel,
    currency,
    lines,
    totalMinor: row.total_minor,
    refundedMinor: row.refunded_minor,
    paymentReference: row.payment_reference ?? undefined,
    buyer: buyerOf(buyer),
    notifyUrl,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
