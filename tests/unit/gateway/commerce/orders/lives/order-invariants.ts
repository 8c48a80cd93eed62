import { OFFERS } from '../../../../../support/orders.ts';
import { OrderFault, type OrderLife } from './order-life.ts';

type Row = Readonly<Record<string, unknown>>;

/** Rows that only grow, as they were when somebody looked last. */
export interface Remembered {
  log: readonly string[];
  refunded: ReadonlyMap<unknown, number>;
}

const hold = (holds: boolean, what: string): void => {
  if (!holds) throw new OrderFault(what);
};

/** What holds after every step. */
export function holdAlways(life: OrderLife, before: Remembered): Remembered {
  const look = (sql: string): Row[] => life.database.look(sql);
  const orders = look('SELECT * FROM orders');
  const completed = look("SELECT id FROM checkout_sessions WHERE state = 'completed'").map(({ id }) => id);
  hold(
    orders.length === completed.length && orders.every(({ session_id }) => completed.includes(session_id)),
    'completed sessions have one order each',
  );
  for (const order of orders) {
    const { lines } = JSON.parse(String(order['content'])) as { lines: { offerId: string; quantity: number; unitMinor: number }[] };
    const catalog = lines.map(({ offerId, quantity }) => quantity * (OFFERS.find(({ id }) => id === offerId)?.amountMinor ?? Number.NaN));
    hold(catalog.reduce((sum, amount) => sum + amount, 0) === order['total_minor'], 'an order costs what the catalog says');
    const refunded = Number(order['refunded_minor']);
    hold(refunded >= (before.refunded.get(order['id']) ?? 0), 'what was paid back never goes down');
    hold(refunded <= Number(order['total_minor']), 'no more is paid back than was paid');
  }
  const log = look('SELECT * FROM order_log ORDER BY number').map((row) => JSON.stringify(row));
  hold(
    before.log.every((entry, index) => entry === log[index]),
    'the log is only added to',
  );
  for (const [session, charges] of chargesBySession(life)) hold(charges <= 1, `the agent of ${session} was charged ${charges} times`);
  return { log, refunded: new Map(orders.map(({ id, refunded_minor }) => [id, Number(refunded_minor)])) };
}

/** What holds once everything was told. */
export function holdInTheEnd(life: OrderLife): void {
  const look = (sql: string): Row[] => life.database.look(sql);
  const orders = look('SELECT * FROM orders');
  const created = new Set(
    life.requests.filter(({ kind, answered }) => kind === 'create' && answered !== undefined).map(({ answered }) => answered),
  );
  hold(look('SELECT id FROM checkout_sessions').length === created.size, 'a request makes one session, however often it is sent');
  hold(look("SELECT id FROM checkout_sessions WHERE state = 'charging'").length === 0, 'no payment is left under way');
  const kept = look(
    "SELECT payment_reference FROM processor_events WHERE outcome IN ('already_paid', 'session_canceled', 'amount_differs', 'no_session')",
  );
  for (const { reference, attempt, state, refundedMinor } of life.processor.payments) {
    const order = orders.find(({ payment_reference }) => payment_reference === reference);
    const isKept = kept.some(({ payment_reference }) => payment_reference === reference);
    if (state === 'paid')
      hold((order !== undefined) !== isKept, `payment ${reference} makes an order or is kept to be looked at, not both`);
    const asked = life.requests.find((request) => request.attempt !== undefined && request.attempt === attempt);
    if (order !== undefined && asked) hold(asked.answered !== undefined, `whoever paid with ${reference} is answered with the order`);
    if (order !== undefined) hold(order['refunded_minor'] === refundedMinor, `order of ${reference} knows what was paid back`);
  }
  const paidNothing = orders.filter(({ payment_reference }) => payment_reference === null);
  hold(
    paidNothing.every(({ total_minor }) => total_minor === 0),
    'only what costs nothing is sold without a payment',
  );
  const counts = (event: string): Row[] =>
    look(`SELECT offer_id, sum(count) AS n FROM commerce_counts WHERE event = '${event}' GROUP BY offer_id`);
  const linesOf = (rows: readonly Row[]): Map<string, number> => {
    const sums = new Map<string, number>();
    for (const { content } of rows)
      for (const { offerId } of (JSON.parse(String(content)) as { lines: { offerId: string }[] }).lines)
        sums.set(offerId, (sums.get(offerId) ?? 0) + 1);
    return sums;
  };
  const isBack = ({ total_minor, refunded_minor }: Row): boolean => Number(total_minor) > 0 && refunded_minor === total_minor;
  for (const [event, rows] of [
    ['order', orders],
    ['refund', orders.filter(isBack)],
  ] as const) {
    const counted = new Map(counts(event).map(({ offer_id, n }) => [String(offer_id), Number(n)]));
    const wanted = linesOf(rows);
    hold(
      counted.size === wanted.size && [...wanted].every(([offer, n]) => counted.get(offer) === n),
      `counts of ${event} are those of the orders`,
    );
  }
  hold(look("SELECT number FROM order_log WHERE kind = 'order_created'").length === orders.length, 'the log names each order once');
  hold(look("SELECT number FROM order_notices WHERE kind = 'order_create'").length === orders.length, 'each order is told of once');
  hold(
    look("SELECT id FROM processor_events WHERE outcome = 'waiting' AND payment_reference IN (SELECT payment_reference FROM orders)")
      .length === 0,
    'no refund waits for an order that is there',
  );
}

/** Payments that agents were charged, by session. */
function chargesBySession({ processor }: OrderLife): Map<string, number> {
  const charges = new Map<string, number>();
  for (const { sessionId, attempt, state } of processor.payments)
    if (attempt !== undefined && state === 'paid') charges.set(sessionId, (charges.get(sessionId) ?? 0) + 1);
  return charges;
}
