import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ChargeOutcome, OrderStore, PaymentProcessor } from '../../../../../src/gateway/commerce/cart/checkout-ports.ts';
import {
  type CheckoutDependencies,
  cancelSession,
  createSession,
  type SessionResponse,
  updateSession,
} from '../../../../../src/gateway/commerce/cart/checkout-sessions.ts';
import { completeSession } from '../../../../../src/gateway/commerce/orders/complete-session.ts';
import { handlePaymentEvent } from '../../../../../src/gateway/commerce/orders/handle-payment-event.ts';
import type { PaymentEvent } from '../../../../../src/gateway/commerce/orders/order-ports.ts';
import type { Result } from '../../../../../src/gateway/result.ts';
import { below, type Random, seededRandom } from '../../../../eval/random.ts';
import { AGENT, checkoutDependenciesFor, OFFERS, requestOf, writeFacts } from '../../../../support/orders.ts';
import { simulatedDatabase } from '../../../../support/simulated/database.ts';
import { SimulatedTime } from '../../../../support/simulated/time.ts';

type Row = Readonly<Record<string, unknown>>;

interface Remembered {
  log: readonly string[];
  refunded: ReadonlyMap<unknown, number>;
}

const hold = (holds: boolean, what: string): void => {
  if (!holds) throw new OrderFault(what);
};

function holdAlways(life: OrderLife, before: Remembered): Remembered {
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

function holdInTheEnd(life: OrderLife): void {
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

function chargesBySession({ processor }: OrderLife): Map<string, number> {
  const charges = new Map<string, number>();
  for (const { sessionId, attempt, state } of processor.payments)
    if (attempt !== undefined && state === 'paid') charges.set(sessionId, (charges.get(sessionId) ?? 0) + 1);
  return charges;
}

/** What becomes of a charge. The last three are not told to whoever asked for it. */
type Fate = 'pays' | 'declines' | 'is_busy' | 'settles_later' | 'pays_and_is_silent' | 'declines_and_is_silent' | 'is_down';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Payment {
  readonly reference: string;
  readonly sessionId: string;
  /** The attempt of an agent; `undefined` where a buyer paid on a hosted checkout. */
  readonly attempt: string | undefined;
  readonly amountMinor: number;
  state: 'paid' | 'under_way' | 'failed';
  refundedMinor: number;
}

/**
 * A payment processor as the engine may expect one: it keeps what it did under idempotency keys, loses answers, and has a message for
 * all that it did. Messages are never used up, so that they can come again.
 */
class ModelProcessor implements PaymentProcessor {
  readonly payments: Payment[] = [];
  readonly events: PaymentEvent[] = [];
  fate: () => Fate = () => 'pays';
  readonly #begun = new Map<string, { payment: Payment | undefined; fate: Fate }>();

  readonly charge: PaymentProcessor['charge'] = async ({
    metadata: { checkout_session_id: sessionId = '' },
    amountMinor,
    idempotencyKey,
  }) => {
    const before = this.#begun.get(idempotencyKey);
    if (before !== undefined) return this.#told(before.payment, before.fate === 'is_busy' ? 'is_busy' : 'declines');
    const fate = this.fate();
    if (fate === 'is_down') throw new Error('no connection');
    if (fate === 'is_busy') return { kind: 'unavailable' };
    const isRefused = fate === 'declines' || fate === 'declines_and_is_silent';
    const state = isRefused ? 'failed' : fate === 'settles_later' ? 'under_way' : 'paid';
    const payment = this.#add({ sessionId, attempt: idempotencyKey, amountMinor, state });
    this.#begun.set(idempotencyKey, { payment, fate });
    this.#tell(payment);
    await turn();
    await turn();
    if (fate.endsWith('is_silent')) throw new Error('the answer was lost');
    return this.#told(payment, fate);
  };

  readonly takesRealMoney = false;
  readonly openCheckout: PaymentProcessor['openCheckout'] = async ({ idempotencyKey }) => `https://checkout.example/${idempotencyKey}`;

  /** A buyer pays on a hosted checkout, whatever became of the session meanwhile. */
  payHosted(sessionId: string, amountMinor: number): void {
    const payment = this.#add({ sessionId, attempt: undefined, amountMinor, state: 'paid' });
    // The processor tells of one payment in two messages.
    this.#tell(payment);
    this.#tell(payment);
  }

  settle(payment: Payment, state: 'paid' | 'failed'): void {
    payment.state = state;
    this.#tell(payment);
  }

  refund(payment: Payment, refundedMinor: number): void {
    payment.refundedMinor = Math.min(payment.amountMinor, Math.max(payment.refundedMinor, refundedMinor));
    this.events.push({
      id: `evt_${this.events.length}`,
      type: 'charge.refunded',
      kind: 'refunded',
      paymentReference: payment.reference,
      amountMinor: payment.refundedMinor,
      currency: 'USD',
    });
  }

  #add(given: Omit<Payment, 'reference' | 'refundedMinor'>): Payment {
    const payment = { ...given, reference: `pi_${this.payments.length}`, refundedMinor: 0 };
    this.payments.push(payment);
    return payment;
  }

  #told(payment: Payment | undefined, fate: Fate): ChargeOutcome {
    if (payment === undefined) return { kind: 'unavailable' };
    const { reference, state, amountMinor } = payment;
    if (state === 'paid') return { kind: 'paid', paymentReference: reference, amountMinor, currency: 'USD' };
    if (state === 'under_way') return { kind: 'pending', paymentReference: reference };
    return fate === 'is_busy' ? { kind: 'unavailable' } : { kind: 'declined', reason: 'insufficient_funds' };
  }

  #tell({ reference, sessionId, attempt, amountMinor, state }: Payment): void {
    if (state === 'under_way') return;
    const id = `evt_${this.events.length}`;
    this.events.push(
      state === 'paid'
        ? {
            id,
            type: 'payment_intent.succeeded',
            kind: 'paid',
            sessionId,
            paymentReference: reference,
            amountMinor,
            currency: 'USD',
            email: undefined,
          }
        : { id, type: 'payment_intent.payment_failed', kind: 'failed', sessionId, attempt, reason: 'insufficient_funds' },
    );
  }
}

const START = Date.UTC(2027, 0, 1);
const MINUTE = 60_000;

interface AskedRequest {
  readonly kind: 'create' | 'update' | 'cancel' | 'complete';
  readonly send: () => Promise<Result<SessionResponse>>;
  /** Of a payment, the idempotency key that it has at the processor. */
  readonly attempt?: string;
  answered?: string;
}

/** What happened to money and rows that must never happen. */
class OrderFault extends Error {
  override readonly name = 'OrderFault';
}

const FATES: readonly Fate[] = [
  'pays',
  'declines',
  'declines',
  'is_busy',
  'settles_later',
  'settles_later',
  'pays_and_is_silent',
  'declines_and_is_silent',
  'is_down',
];
/** The same store, each call of which lets whatever else is under way go on first. */
function takingTurns(store: OrderStore): OrderStore {
  const methods = Object.entries(store) as [string, (...values: unknown[]) => unknown][];
  const taking = methods.map(([name, method]) => [name, (...values: unknown[]) => turn().then(() => method(...values))]);
  return Object.fromEntries(taking) as OrderStore;
}

const WANTED = ['review', 'digest', 'support', 'notes', 'check'];

/**
 * One life of sessions and orders, made by chance from a seed: agents create, change, give up and pay sessions under idempotency keys
 * and repeat requests; buyers pay hosted checkouts of totals that hold no longer; the processor pays back and tells of all that late, in
 * any order and again and again; the database refuses calls and loses answers. In the end the weather is fair and everything is told
 * and asked once more.
 */
class OrderLife {
  readonly random: Random;
  readonly clock = { nowMs: START };
  readonly processor = new ModelProcessor();
  readonly database = simulatedDatabase(new SimulatedTime(START));
  readonly deps: CheckoutDependencies & { readonly agents: undefined };
  readonly requests: AskedRequest[] = [];
  /** Ids of sessions, and what they cost at some time. */
  readonly seen = new Map<string, number[]>();
  stormy = true;
  #keys = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    const binding = this.database.binding({
      fault: () => {
        const roll = this.stormy ? below(this.random, 100) : 100;
        return roll < 5 ? 'refused' : roll < 10 ? 'reply_lost' : 'none';
      },
    });
    const given = checkoutDependenciesFor(binding, this.clock, this.processor);
    this.deps = { ...given, store: takingTurns(given.store) };
    this.processor.fate = () => (this.stormy ? (this.#one(FATES) ?? 'pays') : 'pays');
  }

  async step(): Promise<void> {
    const session = this.#oneOfLate([...this.seen.keys()]);
    const payment = this.#oneOfLate(this.processor.payments);
    switch (below(this.random, 16)) {
      case 0:
        return this.#ask('create', 'create', (request, items) =>
          createSession(request, { items, notifyUrl: 'https://agent.example/' }, AGENT, writeFacts, this.deps),
        );
      case 1:
        if (session === undefined) return;
        return this.#ask('update', `update ${session}`, (request, items) =>
          updateSession(request, session, { items }, AGENT.owner, writeFacts, this.deps),
        );
      case 2:
        if (session === undefined || below(this.random, 3) > 0) return;
        return this.#ask('cancel', `cancel ${session}`, (request) => cancelSession(request, session, AGENT.owner, writeFacts, this.deps));
      case 3:
      case 4:
      case 5:
      case 6:
        if (session === undefined) return;
        return this.#ask('complete', `complete ${session}`, (request) =>
          completeSession(request, session, 'spt_1', AGENT.owner, writeFacts, this.deps),
        );
      case 7:
      case 8:
        return this.repeat(this.#oneOfLate(this.requests));
      case 9:
        if (session !== undefined) this.processor.payHosted(session, this.#one(this.seen.get(session) ?? []) ?? 0);
        return;
      case 10:
        if (payment?.state === 'under_way') this.processor.settle(payment, below(this.random, 2) === 0 ? 'paid' : 'failed');
        else if (payment?.state === 'paid') this.processor.refund(payment, below(this.random, payment.amountMinor + 1));
        return;
      case 11:
        this.clock.nowMs += below(this.random, 3) * MINUTE;
        return;
      default: {
        const message = this.#oneOfLate(this.processor.events);
        if (message !== undefined) await handlePaymentEvent(message, this.deps);
      }
    }
  }

  /** Fair weather: payments under way end, everything is told, and all requests are repeated until they have an answer. */
  async end(): Promise<void> {
    this.stormy = false;
    for (const payment of this.processor.payments) if (payment.state === 'under_way') this.processor.settle(payment, 'paid');
    for (let round = 0; round < 2; round += 1) {
      for (const message of [...this.processor.events].sort(() => this.random() - 0.5)) {
        const taken = await handlePaymentEvent(message, this.deps);
        if (!taken.ok) throw new OrderFault(`in fair weather ${message.id} is refused: ${taken.refusal.detail}`);
      }
      this.clock.nowMs += 2 * MINUTE;
      for (const request of this.requests) await this.repeat(request, round > 0);
    }
  }

  async repeat(request: AskedRequest | undefined, isEnd = false): Promise<void> {
    if (request === undefined) return;
    const answer = await request.send();
    if (!answer.ok) {
      const { code, detail } = answer.refusal;
      if (isEnd && ['request_in_flight', 'state_unavailable', 'processor_unavailable'].includes(code))
        throw new OrderFault(`in the end ${request.kind} is refused: ${detail}`);
      if (code === 'internal' || code === 'idempotency_conflict') throw new OrderFault(`${request.kind}: ${code} ${detail}`);
      if (request.answered !== undefined && code !== 'state_unavailable' && code !== 'request_in_flight')
        throw new OrderFault(`${request.kind} was answered with ${request.answered}, and now with ${code}`);
      return;
    }
    const { body } = answer.value;
    const { id, total } = JSON.parse(body) as { id: string; total: number };
    this.seen.set(id, [...new Set([...(this.seen.get(id) ?? []), total])]);
    if (request.answered !== undefined && request.answered !== body)
      throw new OrderFault(`${request.kind} was answered with ${request.answered}, and now with ${body}`);
    request.answered = body;
  }

  async #ask(
    kind: AskedRequest['kind'],
    endpoint: string,
    send: (
      request: ReturnType<typeof requestOf> & { idempotencyKey: string },
      items: { id: string; quantity: number; pointer: string }[],
    ) => ReturnType<AskedRequest['send']>,
  ): Promise<void> {
    this.#keys += 1;
    const items = Array.from({ length: 1 + below(this.random, 2) }, () => ({
      id: this.#one(WANTED) ?? '',
      quantity: 1 + below(this.random, 3),
      pointer: '',
    }));
    const idempotencyKey = `key-${this.#keys}`;
    const request = { ...requestOf(endpoint, idempotencyKey, { items }), idempotencyKey };
    const attempt = `${endpoint.split(' ')[1]}-${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32)}`;
    const asked: AskedRequest = { kind, send: () => send(request, items), ...(kind === 'complete' ? { attempt } : {}) };
    this.requests.push(asked);
    // Impatient agents send a request twice at the same time.
    await Promise.all(Array.from({ length: 1 + below(this.random, 2) }, () => this.repeat(asked)));
  }

  /** One of all, or of the last few: what happened just now matters most. */
  #oneOfLate<T>(values: readonly T[]): T | undefined {
    return this.#one(below(this.random, 2) === 0 ? values : values.slice(-2));
  }

  #one<T>(values: readonly T[]): T | undefined {
    return values[below(this.random, Math.max(1, values.length))];
  }
}

const LIVES = Number(process.env['ORDER_LIVES'] ?? 12);
const FIRST_SEED = Number(process.env['ORDER_SEED'] ?? 1);
const STEPS = 120;
/** Time that one life may take on a busy machine. */
const MS_PER_LIFE = 2_000;

test(
  'no order is doubled, no money lost and nothing forgotten, in whatever order things happen and whatever the database loses',
  async () => {
    const sums = { orders: 0, kept: 0, refunded: 0, messages: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed += 1) {
      const life = new OrderLife(seed);
      let remembered: Remembered = { log: [], refunded: new Map() };
      try {
        for (let step = 0; step < STEPS; step += 1) {
          // Some of what happens, happens at the same time.
          await Promise.all(Array.from({ length: 1 + (step % 3) }, () => life.step()));
          remembered = holdAlways(life, remembered);
        }
        await life.end();
        holdAlways(life, remembered);
        holdInTheEnd(life);
      } catch (error) {
        throw new Error(`ORDER_SEED=${seed} ORDER_LIVES=1: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
      const count = (sql: string): number => Number(life.database.look(sql)[0]?.['n']);
      sums.orders += count('SELECT count(*) AS n FROM orders');
      sums.refunded += count('SELECT count(*) AS n FROM orders WHERE refunded_minor > 0');
      sums.kept += count("SELECT count(*) AS n FROM processor_events WHERE outcome NOT IN ('applied', 'duplicate', 'ignored', 'waiting')");
      sums.messages += life.processor.events.length;
      life.database.close();
    }
    console.log(`${LIVES} lives: ${JSON.stringify(sums)}`);
    for (const sum of Object.values(sums)) expect(sum).toBeGreaterThan(LIVES / 2);
  },
  LIVES * MS_PER_LIFE,
);
