import type { Order } from '../../gateway/commerce/orders/order.ts';
import type { Session } from '../../gateway/commerce/sessions/session.ts';
import { columnsOf, type Row } from './database.ts';

/** Members of a session that no statement reads; they are stored as JSON. */
type SessionContent = Pick<Session, 'lines' | 'buyer' | 'notifyUrl' | 'details' | 'attempt'>;

/** Columns of `checkout_sessions`, without the mark of its last change. */
export const SESSION = columnsOf<Omit<Session, keyof SessionContent> & { readonly content: string }>([
  'id',
  'owner',
  'channel',
  'state',
  'currency',
  'totalMinor',
  'content',
  'revision',
  'createdAtMs',
  'updatedAtMs',
  'expiresAtMs',
]);

/** Members of an order that no statement reads; they are stored as JSON. */
type OrderContent = Pick<Order, 'owner' | 'channel' | 'currency' | 'lines' | 'buyer' | 'notifyUrl'>;

/** Columns of `orders`. */
export const ORDER = columnsOf<Omit<Order, keyof OrderContent> & { readonly content: string }>([
  'id',
  'receipt',
  'sessionId',
  'totalMinor',
  'refundedMinor',
  'paymentReference',
  'content',
  'createdAtMs',
  'updatedAtMs',
]);

/** Values of {@link SESSION}. */
export function sessionValues({ lines, buyer, notifyUrl, details, attempt, ...stored }: Session): ReturnType<typeof SESSION.values> {
  return SESSION.values({ ...stored, content: JSON.stringify({ lines, buyer, notifyUrl, details, attempt } satisfies SessionContent) });
}

/** The column `content` of an order. */
export function orderContent({ owner, channel, currency, lines, buyer, notifyUrl }: Order): string {
  return JSON.stringify({ owner, channel, currency, lines, buyer, notifyUrl } satisfies OrderContent);
}

/** The session of a row. */
export function sessionOf(row: Row): Session {
  const { content, ...stored } = SESSION.read(row);
  const members = JSON.parse(content) as SessionContent;
  return { ...stored, ...members, buyer: buyerOf(members.buyer) };
}

/** The order of a row. */
export function orderOf(row: Row): Order {
  const { content, ...stored } = ORDER.read(row);
  const members = JSON.parse(content) as OrderContent;
  return { ...stored, ...members, buyer: buyerOf(members.buyer) };
}

/** A stored buyer; older rows have one name instead of its parts. */
function buyerOf(stored: (Session['buyer'] & { readonly name?: string }) | undefined): Session['buyer'] {
  if (stored?.name === undefined) return stored;
  const { name, ...members } = stored;
  return { full_name: name, ...members };
}
