import { Stripe } from 'stripe';
import type { SimulatedTime } from '../../support/simulated/time.ts';
import { chargeRefunded, checkoutCompleted, eventOf, intentMessage, type TestEvent } from '../../support/stripe-messages.ts';

/** Time after which Stripe may forget what was asked under an idempotency key (docs.stripe.com/api/idempotent_requests). */
const KEYS_KEPT_MS = 24 * 3_600_000;

/** What becomes of a request. After `silent` ones the connection breaks, `late` ones are answered after several seconds. */
export type ProcessorFate =
  | 'pays'
  | 'pays_late'
  | 'pays_silent'
  | 'declines'
  | 'declines_silent'
  | 'settles_later'
  | 'busy'
  | 'faulty'
  | 'down';

/** Money at the processor. */
export interface Payment {
  readonly id: string;
  readonly sessionId: string;
  /** The idempotency key of an agent's payment; `undefined` where a buyer paid on a hosted checkout. */
  readonly attempt: string | undefined;
  /** What an agent paid with. */
  readonly token: string | undefined;
  readonly amount: number;
  state: 'succeeded' | 'processing' | 'failed';
  refunded: number;
}

/** Something that the processor tells until it is answered with 2xx. */
export interface News {
  readonly event: TestEvent;
  readonly kind: 'paid' | 'failed' | 'refunded';
  readonly payment: Payment;
  /** All that was paid back when it was made. */
  readonly refunded: number;
  /** True time of the first answer 200, and what it said. */
  acknowledgedMs: number | undefined;
  outcome: string | undefined;
}

/** A checkout that was made for a session. */
interface Checkout {
  readonly id: string;
  readonly url: string;
  readonly sessionId: string;
  readonly amount: number;
}

interface Kept {
  readonly sent: string;
  readonly status: number;
  readonly body: unknown;
  readonly atMs: number;
}

/** Stripe as the service may expect it: it keeps what it did under idempotency keys, loses answers, and has news of all that it did. */
export class SimulatedProcessor {
  readonly payments: Payment[] = [];
  readonly news: News[] = [];
  readonly checkouts: Checkout[] = [];
  readonly #time: SimulatedTime;
  readonly #kept = new Map<string, Kept>();
  readonly #tokens = new Set<string>();
  readonly #fate: () => ProcessorFate;

  /** @param fate Says what becomes of the next request. */
  constructor(time: SimulatedTime, fate: () => ProcessorFate) {
    this.#time = time;
    this.#fate = fate;
  }

  /** Stripe's own client, whose requests come here. It repeats none by itself: that would wait in the time of the machine. */
  client(reach: (answer: () => Promise<Response>) => Promise<Response>): Stripe {
    const httpClient = Stripe.createFetchHttpClient((input: string | URL | Request, init?: RequestInit) =>
      reach(() => this.#answer(new URL(input instanceof Request ? input.url : input).pathname, init)),
    );
    return new Stripe('sk_test_simulated0001', { httpClient, maxNetworkRetries: 0, telemetry: false });
  }

  /** A buyer pays on a hosted checkout, whatever became of the session meanwhile. */
  payHosted(sessionId: string, amount: number): Payment {
    const payment = this.#add({ sessionId, attempt: undefined, token: undefined, amount, state: 'succeeded' });
    this.#tell('paid', payment, checkoutCompleted(sessionId, amount, { payment_intent: payment.id }, `evt_${this.news.length}`));
    // Of one payment two messages tell, where the payment itself knows its session.
    if (this.checkouts.some((checkout) => checkout.sessionId === sessionId)) this.#tellIntent(payment);
    return payment;
  }

  /** A payment that was under way ends. */
  settle(payment: Payment, state: 'succeeded' | 'failed'): void {
    payment.state = state;
    this.#tellIntent(payment);
  }

  /** The publisher pays back until so much is paid back. */
  refund(payment: Payment, refunded: number): void {
    payment.refunded = Math.max(payment.refunded, Math.min(refunded, payment.amount));
    this.#tell('refunded', payment, chargeRefunded(payment.id, payment.refunded, `evt_${this.news.length}`));
  }

  async #answer(path: string, { method = 'GET', headers, body }: RequestInit = {}): Promise<Response> {
    await this.#time.sleep(120);
    const sent = String(body ?? '');
    const key = new Headers(headers).get('idempotency-key') ?? undefined;
    if (method === 'GET') return this.#retrieved(path);
    const kept = key === undefined ? undefined : this.#kept.get(key);
    if (kept !== undefined && this.#time.nowMs - kept.atMs < KEYS_KEPT_MS)
      return kept.sent === sent ? answerOf(kept.status, kept.body) : refusal(400, 'idempotency_error', { code: 'idempotency_key_in_use' });
    const fate = this.#fate();
    if (fate === 'down') throw new TypeError('fetch failed');
    if (fate === 'busy') return refusal(429, 'invalid_request_error', { code: 'rate_limit' });
    const form = new URLSearchParams(sent);
    const { status, body: made } = path.endsWith('/checkout/sessions') ? this.#checkout(form) : this.#intent(form, fate);
    if (key !== undefined) this.#kept.set(key, { sent, status, body: made, atMs: this.#time.nowMs });
    if (fate === 'pays_late') await this.#time.sleep(7_000);
    if (fate.endsWith('_silent')) throw new TypeError('the connection broke');
    return answerOf(status, made);
  }

  #retrieved(path: string): Response {
    const payment = this.payments.find(({ id }) => path.endsWith(`/${id}`));
    return payment === undefined ? refusal(404, 'invalid_request_error', { code: 'resource_missing' }) : answerOf(200, published(payment));
  }

  #intent(form: URLSearchParams, fate: ProcessorFate): { status: number; body: unknown } {
    const token = form.get('payment_method_data[shared_payment_granted_token]') ?? '';
    const sessionId = form.get('metadata[checkout_session_id]') ?? '';
    const attempt = form.get('metadata[attempt]') ?? '';
    if (fate === 'faulty') return errorBody(500, 'api_error', {});
    // A token pays once.
    if (this.#tokens.has(token)) return errorBody(400, 'invalid_request_error', { code: 'token_already_used' });
    const isDeclined = fate.startsWith('declines');
    if (!isDeclined) this.#tokens.add(token);
    const state = isDeclined ? 'failed' : fate === 'settles_later' ? 'processing' : 'succeeded';
    const payment = this.#add({ sessionId, attempt, token, amount: Number(form.get('amount')), state });
    if (state !== 'processing') this.#tellIntent(payment);
    return isDeclined
      ? errorBody(402, 'card_error', { code: 'card_declined', decline_code: 'insufficient_funds' })
      : { status: 200, body: published(payment) };
  }

  #checkout(form: URLSearchParams): { status: number; body: unknown } {
    const at = (index: number, name: string): number => Number(form.get(`line_items[${index}]${name}`) ?? Number.NaN);
    let amount = 0;
    for (let index = 0; form.has(`line_items[${index}][quantity]`); index += 1)
      amount += at(index, '[quantity]') * at(index, '[price_data][unit_amount]');
    const id = `cs_test_${this.checkouts.length}`;
    const checkout = { id, url: `https://checkout.stripe.com/c/pay/${id}`, sessionId: form.get('client_reference_id') ?? '', amount };
    this.checkouts.push(checkout);
    return { status: 200, body: { id, object: 'checkout.session', url: checkout.url } };
  }

  #add(given: Omit<Payment, 'id' | 'refunded'>): Payment {
    const payment = { ...given, id: `pi_${this.payments.length}`, refunded: 0 };
    this.payments.push(payment);
    return payment;
  }

  #tellIntent(payment: Payment): void {
    const { id, sessionId, attempt, amount, state } = payment;
    const metadata = { checkout_session_id: sessionId, ...(attempt === undefined ? {} : { attempt }) };
    const how = state === 'succeeded' ? 'succeeded' : 'payment_failed';
    const { type, data } = intentMessage(how, { id, amount_received: state === 'succeeded' ? amount : 0, metadata });
    this.#tell(state === 'succeeded' ? 'paid' : 'failed', payment, eventOf(type, data.object, `evt_${this.news.length}`));
  }

  #tell(kind: News['kind'], payment: Payment, event: TestEvent): void {
    this.news.push({ kind, payment, event, refunded: payment.refunded, acknowledgedMs: undefined, outcome: undefined });
  }
}

function published({ id, amount, state, sessionId, attempt }: Payment) {
  const status = state === 'failed' ? 'requires_payment_method' : state;
  const metadata = { checkout_session_id: sessionId, ...(attempt === undefined ? {} : { attempt }) };
  const received = state === 'succeeded' ? amount : 0;
  return { id, object: 'payment_intent', status, amount, amount_received: received, currency: 'usd', metadata, last_payment_error: null };
}

function errorBody(status: number, type: string, members: Readonly<Record<string, string>>): { status: number; body: unknown } {
  return { status, body: { error: { type, message: 'said by the simulation', ...members } } };
}

function refusal(status: number, type: string, members: Readonly<Record<string, string>>): Response {
  return answerOf(status, errorBody(status, type, members).body);
}

function answerOf(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', 'Request-Id': 'req_simulated' } });
}
