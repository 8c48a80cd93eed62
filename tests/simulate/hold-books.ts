import { createHmac } from 'node:crypto';
import type { SessionState } from '../../src/gateway/commerce/cart/checkout-ports.ts';
import { canTransition } from '../../src/gateway/commerce/cart/checkout-sessions.ts';
import type { SimulatedDatabase } from '../support/simulated/database.ts';
import type { Lifetime } from './lifetime.ts';
import type { ReceivedWebhook } from './outside/outside.ts';
import type { News, Payment } from './outside/processor.ts';
import { hold } from './violation.ts';

interface SessionRow {
  readonly id: string;
  readonly state: SessionState;
  readonly revision: number;
  readonly total_minor: number;
}

interface OrderRow {
  readonly id: string;
  readonly session_id: string;
  readonly total_minor: number;
  readonly refunded_minor: number;
  readonly payment_reference: string | null;
  readonly content: string;
}

interface EventRow {
  readonly id: string;
  readonly payment_reference: string | null;
  readonly outcome: string;
}

/** Outcomes of messages that the publisher has to look at. */
export const REVIEW_OUTCOMES: readonly string[] = ['no_session', 'already_paid', 'session_canceled', 'amount_differs'];

/** What the books said when somebody looked last. */
export class Books {
  #sessions = new Map<string, SessionRow>();
  #refunded = new Map<string, number>();
  #logged = 0;

  /** Holds what must be true of the books at any time. */
  hold(life: Lifetime): void {
    const { database } = life;
    const sessions = database.look('SELECT id, state, revision, total_minor FROM checkout_sessions') as unknown as SessionRow[];
    if (sessions.length === 0 && this.#sessions.size === 0) return;
    const orders = database.look(
      'SELECT id, session_id, total_minor, refunded_minor, payment_reference, content FROM orders',
    ) as unknown as OrderRow[];
    this.#holdSessions(sessions, orders);
    this.#holdOrders(orders, life.outside.processor.payments);
    holdCharges(life.outside.processor.payments);
    holdNews(life, orders);
    holdCounts(life, orders);
    this.#holdLog(life);
  }

  #holdSessions(sessions: readonly SessionRow[], orders: readonly OrderRow[]): void {
    const now = new Map(sessions.map((row) => [row.id, row]));
    for (const [id, before] of this.#sessions) {
      const after = now.get(id);
      if (after === undefined) {
        hold('transition', before.state !== 'completed', () => `the completed session ${id} is gone`);
        continue;
      }
      const steps = after.revision - before.revision;
      const [from, to] = [before.state, after.state];
      const isEnd = from === 'completed' || from === 'canceled';
      const mayGo = steps === 0 ? from === to : steps === 1 ? canTransition(from, to) : !isEnd || (from === to && from === 'completed');
      hold('transition', steps >= 0 && mayGo, () => `${id}: ${from} at ${before.revision}, ${to} at ${after.revision}`);
    }
    this.#sessions = now;
    const completed = sessions.filter(({ state }) => state === 'completed');
    const paid = new Map(orders.map((order) => [order.session_id, order]));
    hold(
      'paid',
      paid.size === orders.length && completed.length === orders.length,
      () => `${completed.length} completed, ${orders.length} orders`,
    );
    for (const { id, total_minor } of completed)
      hold('paid', paid.get(id)?.total_minor === total_minor, () => `${id} costs ${total_minor}, its order ${paid.get(id)?.total_minor}`);
  }

  #holdOrders(orders: readonly OrderRow[], payments: readonly Payment[]): void {
    for (const { id, session_id, total_minor, refunded_minor, payment_reference, content } of orders) {
      const payment = payments.find((one) => one.id === payment_reference);
      const isPaid = payment?.state === 'succeeded' && payment.amount === total_minor && payment.sessionId === session_id;
      hold(
        'paid',
        isPaid || (total_minor === 0 && payment_reference === null),
        () => `${id} over ${total_minor}: ${JSON.stringify(payment)}`,
      );
      const { lines } = JSON.parse(content) as { lines: { unitMinor: number; quantity: number }[] };
      const sum = lines.reduce((total, { unitMinor, quantity }) => total + unitMinor * quantity, 0);
      hold('priced', sum === total_minor, () => `the lines of ${id} cost ${sum}, and it costs ${total_minor}`);
      const before = this.#refunded.get(id) ?? 0;
      const isTrue = refunded_minor >= before && refunded_minor <= (payment?.refunded ?? 0);
      hold('transition', isTrue, () => `${id}: ${before} paid back, then ${refunded_minor} of ${payment?.refunded}`);
      this.#refunded.set(id, refunded_minor);
    }
  }

  #holdLog({ database }: Lifetime): void {
    // Maintenance removes entries, also the newest; the number of the last one that was added never goes down.
    const [{ newest } = { newest: 0 }] = database.look("SELECT seq AS newest FROM sqlite_sequence WHERE name = 'order_log'") as {
      newest: number;
    }[];
    hold('transition', newest >= this.#logged, () => `the log has ${newest} entries after ${this.#logged}`);
    this.#logged = newest;
    const created = database.look("SELECT COUNT(*) AS n FROM order_log WHERE kind = 'order_created'")[0]?.['n'];
    hold('counted', created === this.#refunded.size, () => `the log names ${String(created)} of ${this.#refunded.size} orders`);
  }
}

/** Agents are charged once for a session. */
function holdCharges(payments: readonly Payment[]): void {
  const charged = new Map<string, Payment>();
  for (const payment of payments) {
    if (payment.attempt === undefined || payment.state === 'failed') continue;
    const other = charged.get(payment.sessionId);
    hold('paid', other === undefined, () => `${payment.sessionId} was charged with ${other?.id} and ${payment.id}`);
    charged.set(payment.sessionId, payment);
  }
}

/** What the processor was told to be stored is stored. */
function holdNews({ database, outside }: Lifetime, orders: readonly OrderRow[]): void {
  const told = outside.processor.news.filter(({ acknowledgedMs, kind }) => acknowledgedMs !== undefined && kind !== 'failed');
  if (told.length === 0) return;
  const events = database.look('SELECT id, payment_reference, outcome FROM processor_events') as unknown as EventRow[];
  for (const news of told) holdStored(news, orders, events);
}

function holdStored(news: News, orders: readonly OrderRow[], events: readonly EventRow[]): void {
  const { event, kind, payment, refunded, outcome } = news;
  const order = orders.find(({ payment_reference }) => payment_reference === payment.id);
  const seen = (): string => `${event.id} (${kind} ${payment.id} of ${payment.sessionId}) was answered with ${outcome}`;
  if (kind === 'refunded') {
    const isNoted =
      order !== undefined ? order.refunded_minor >= Math.min(refunded, order.total_minor) : events.some(({ id }) => id === event.id);
    hold('acknowledged', isNoted, seen);
    return;
  }
  const isKept = events.some(({ payment_reference, outcome: kept }) => payment_reference === payment.id && REVIEW_OUTCOMES.includes(kept));
  hold('acknowledged', order !== undefined || isKept, seen);
}

/** Counts of orders and of orders that were paid back, by offer. */
function holdCounts({ database }: Lifetime, orders: readonly OrderRow[]): void {
  const counted = database.look(
    "SELECT event || ' ' || offer_id AS name, SUM(count) AS n FROM commerce_counts WHERE event <> 'buy_click' GROUP BY name",
  );
  const wanted = new Map<string, number>();
  for (const { content, total_minor, refunded_minor } of orders)
    for (const { offerId } of (JSON.parse(content) as { lines: { offerId: string }[] }).lines)
      for (const event of total_minor > 0 && refunded_minor === total_minor ? ['order', 'refund'] : ['order'])
        wanted.set(`${event} ${offerId}`, (wanted.get(`${event} ${offerId}`) ?? 0) + 1);
  const isSame = counted.length === wanted.size && counted.every(({ name, n }) => wanted.get(String(name)) === n);
  hold('counted', isSame, () => `${JSON.stringify(counted)} instead of ${JSON.stringify([...wanted])}`);
}

interface OrderRow {
  readonly id: string;
  readonly total_minor: number;
  readonly refunded_minor: number;
  readonly content: string;
}

/** What a webhook says was paid back. */
function refundedIn({ order }: ReceivedWebhook): number {
  return order.totals.find(({ type }) => type === 'amount_refunded')?.amount ?? 0;
}

/** What is wrong with a webhook as it arrives; `undefined` if it is true. */
export function holdWebhook(database: SimulatedDatabase, webhook: ReceivedWebhook): string | undefined {
  const [row] = database.look('SELECT id, total_minor, refunded_minor, content FROM orders WHERE id = ?1', webhook.order.id);
  const order = row as unknown as OrderRow | undefined;
  if (order === undefined) return `of no order: ${webhook.body}`;
  const { notifyUrl } = JSON.parse(order.content) as { notifyUrl?: string };
  const total = webhook.order.totals.find(({ type }) => type === 'total')?.amount;
  const refunded = refundedIn(webhook);
  if (webhook.url !== notifyUrl) return `sent to ${webhook.url} instead of ${notifyUrl}`;
  if (total !== order.total_minor) return `a total of ${total} instead of ${order.total_minor}`;
  if (refunded > order.refunded_minor) return `${refunded} paid back instead of ${order.refunded_minor}`;
  if (webhook.kind === 'order_update' && refunded === 0) return `an update of nothing: ${webhook.body}`;
  return undefined;
}

/**
 * Holds, once all webhooks were sent, that the agent of every order with an address heard that there is one and what was paid back, signed
 * for the agent.
 *
 * @param secrets Secrets of agents, by owner of the order.
 */
export function holdAllWebhooks(
  database: SimulatedDatabase,
  received: readonly ReceivedWebhook[],
  secrets: ReadonlyMap<string, string>,
): void {
  for (const row of database.look('SELECT id, total_minor, refunded_minor, content FROM orders') as unknown as OrderRow[]) {
    const { notifyUrl, owner } = JSON.parse(row.content) as { notifyUrl?: string; owner: string };
    const heard = received.filter(({ order }) => order.id === row.id);
    if (notifyUrl === undefined) {
      hold('true-webhook', heard.length === 0, () => `${row.id} has no address and was told of`);
      continue;
    }
    hold(
      'true-webhook',
      heard.some(({ kind }) => kind === 'order_create'),
      () => `nobody was told that ${row.id} was made`,
    );
    const told = Math.max(...heard.map(refundedIn));
    hold('true-webhook', told === row.refunded_minor, () => `of ${row.refunded_minor} paid back of ${row.id}, ${told} was told`);
    for (const { signature, body } of heard) {
      const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
      const wanted = createHmac('sha256', secrets.get(owner) ?? '')
        .update(`${seconds}.${body}`)
        .digest('hex');
      hold('true-webhook', mac === wanted, () => `the signature of a webhook of ${row.id} is not that of ${owner}`);
    }
  }
}
