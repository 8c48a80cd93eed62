import { isDeepStrictEqual } from 'node:util';
import { ACP_VERSION } from '../../../src/protocols/acp/schemas.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { below } from '../../eval/random.ts';
import { WEBHOOK_HOST } from '../builds.ts';
import { type CheckoutSlot, type Counter, type KnownCheckout, type KnownKey, type KnownOrder, UNSENT } from '../knowledge.ts';
import type { Heard, Lifetime } from '../lifetime.ts';
import type { Isolate } from '../place.ts';
import type { Question } from '../question.ts';
import { hold } from '../violation.ts';
import { askWithKey } from './read.ts';

/** A session as an answer of either protocol has it. */
interface AnsweredSession {
  readonly id: string;
  readonly status: string;
  readonly lines: readonly { readonly offerId: string; readonly unitMinor: number; readonly quantity: number }[];
  readonly totalMinor: number | undefined;
  readonly continueUrl: string | undefined;
  readonly order: Pick<KnownOrder, 'id' | 'receipt'> | undefined;
  /** Whether it says that what was asked for is not sold so: then the session stayed as it was. */
  readonly isRefusal: boolean;
}

/** What was known of a session when a request about it was sent. */
type SessionFacts = Pick<KnownCheckout, 'order' | 'isCanceled'>;

interface SentSession {
  readonly id?: string;
  readonly status: string;
  readonly line_items: readonly {
    readonly item: { readonly id: string; readonly unit_amount?: number; readonly price?: number };
    readonly quantity: number;
  }[];
  readonly totals: readonly { readonly type: string; readonly amount: number }[];
  readonly messages?: readonly { readonly code?: string }[];
  readonly continue_url?: string;
  readonly order?: { readonly id: string; readonly permalink_url: string };
}

/** The session of an answer; `undefined` where it is the reason why there is none. */
function readSessionAnswer(body: string): AnsweredSession | undefined {
  const { id, status, line_items, totals, messages = [], continue_url, order } = JSON.parse(body) as SentSession;
  if (id === undefined) return undefined;
  return {
    id,
    status,
    lines: line_items.map(({ item, quantity }) => ({ offerId: item.id, unitMinor: item.unit_amount ?? item.price ?? -1, quantity })),
    totalMinor: totals.find(({ type }) => type === 'total')?.amount,
    continueUrl: continue_url,
    order: order && { id: order.id, receipt: order.permalink_url.slice(order.permalink_url.lastIndexOf('/') + 1) },
    isRefusal: messages.some(({ code }) => code === 'quantity_exceeded' || code === 'item_unavailable'),
  };
}

/**
 * Holds that a session is what was acknowledged of it, costs what a catalog says, and has an order exactly if it is completed; notes what
 * is new about it.
 */
function holdSession(
  life: Lifetime,
  heard: Heard,
  session: AnsweredSession,
  known: { readonly checkout: KnownCheckout; readonly before: SessionFacts; readonly isPricedHere: boolean },
): void {
  const { checkout, before, isPricedHere } = known;
  const seen = (): string => `${checkout.id}: ${heard.body}`;
  hold('acknowledged', session.id === checkout.id, seen);
  const catalogs = isPricedHere ? [heard.isolate.deployed] : life.stage.builds;
  const isPriced = session.lines.every(({ offerId, unitMinor }) =>
    catalogs.some(({ generated }) =>
      generated.deployment.offers.some(({ id, amountMinor }) => id === offerId && amountMinor === unitMinor),
    ),
  );
  hold('priced', isPriced, seen);
  const sum = session.lines.reduce((total, { unitMinor, quantity }) => total + unitMinor * quantity, 0);
  hold('priced', session.totalMinor === sum, seen);
  hold('paid', (session.status === 'completed') === (session.order !== undefined), seen);
  if (before.isCanceled) hold('transition', session.status === 'canceled', seen);
  if (before.order !== undefined) hold('acknowledged', session.order?.id === before.order.id, seen);
  if (session.continueUrl !== undefined) checkout.continueUrls.add(session.continueUrl);
  const { order } = session;
  if (order === undefined) return;
  hold('acknowledged', checkout.order === undefined || checkout.order.id === order.id, seen);
  checkout.order ??= { ...order, delivered: new Map() };
}

const HOUR_MS = 3_600_000;
const SKEW_MS = 300_000;

/** Longest time until a payment is answered, in milliseconds: the processor is asked at most three times, and stores before and after. */
const PAID_MS_MAX = 45_000;

/** Where each protocol has its sessions. */
const SESSIONS = { acp: `${PATHS.acp}/checkout_sessions`, ucp: `${PATHS.ucp}/checkout-sessions` } as const;

/** What is wanted: mostly what is paid once, because only that is paid with a token. */
const OFFERS = [
  'evidence-review',
  'evidence-review',
  'evidence-review',
  'evidence',
  'catalog',
  'catalog-review',
  'weekly-digest',
  'change-notices',
];
const ALL_OFFERS = [...OFFERS, 'change-notices', 'team-licence'];

/** Refusals that are given to a repetition as well: they say nothing about what was answered before. */
const PASSING: readonly number[] = [401, 403, 429, 503];

/** Some key that may buy: mostly one that nobody has tried to end. */
function buyer(life: Lifetime): KnownKey | undefined {
  const able = life.known.keys.filter(({ scopes }) => scopes.includes('buy'));
  const alive = able.filter((key) => !key.mayBeRevoked && key.expiresAtMs > life.time.nowMs);
  const from = alive.length > 0 && life.chance(0.85) ? alive : able;
  return from.length === 0 ? undefined : life.pick(from.slice(-4));
}

/** Some session: mostly a late one, because what happened just now matters most. */
export function someCheckout(life: Lifetime, counters: readonly Counter[] = ['acp', 'ucp', 'page']): KnownCheckout | undefined {
  const all = life.known.shop.checkouts.filter(({ counter }) => counters.includes(counter));
  const open = all.filter(({ order, isCanceled }) => order === undefined && !isCanceled);
  const from = open.length > 0 && life.chance(0.7) ? open : all;
  return from.length === 0 ? undefined : life.pick(life.chance(0.6) ? from.slice(-2) : from);
}

/** An agent opens a session. */
export async function openSession(life: Lifetime): Promise<void> {
  const counter = life.chance(0.75) ? 'acp' : 'ucp';
  const key = buyer(life);
  if (counter === 'acp' && key === undefined) return;
  const slot = newSlot(life, 'create', counter, SESSIONS[counter], contentOf(life, counter, life.chance(0.4)), key);
  await sendRequest(life, slot);
}

/** An agent puts something else into a session. */
export async function changeSession(life: Lifetime, checkout = someCheckout(life, ['acp', 'ucp'])): Promise<void> {
  if (checkout === undefined) return;
  const counter = checkout.counter === 'ucp' ? 'ucp' : 'acp';
  await sendRequest(life, newSlot(life, 'update', counter, addressOf(checkout), contentOf(life, counter, false), checkout.key, checkout));
}

/** An agent gives a session up. */
export async function cancelSession(life: Lifetime, checkout = someCheckout(life, ['acp', 'ucp'])): Promise<void> {
  if (checkout === undefined) return;
  await sendRequest(life, newSlot(life, 'cancel', checkout.counter, `${addressOf(checkout)}/cancel`, {}, checkout.key, checkout));
}

/** An agent pays a session with a shared payment token, or with something that pays nothing. */
export async function completeSession(life: Lifetime, checkout = someCheckout(life, life.chance(0.9) ? ['acp'] : ['ucp'])): Promise<void> {
  if (checkout === undefined) return;
  const credential = { type: 'spt', token: life.fresh('spt') };
  const handler_id = life.chance(0.93) ? 'card_tokenized' : 'other';
  const body = checkout.counter === 'acp' ? { payment_data: { handler_id, instrument: { type: 'card', credential } } } : {};
  await sendRequest(life, newSlot(life, 'complete', checkout.counter, `${addressOf(checkout)}/complete`, body, checkout.key, checkout));
}

/** An impatient agent, its buyer and the processor do several things with one session at once. */
export async function crowdSession(life: Lifetime): Promise<void> {
  const checkout = someCheckout(life, ['acp']);
  if (checkout === undefined) return;
  const [request] = life.known.shop.requests.filter((slot) => slot.checkout === checkout).slice(-1);
  const acts = [
    () => changeSession(life, checkout),
    () => cancelSession(life, checkout),
    () => completeSession(life, checkout),
    () => (request ? sendRequest(life, request) : changeSession(life, checkout)),
  ];
  await Promise.all(Array.from({ length: 2 + below(life.random, 3) }, () => life.pick(acts)()));
}

/** A request is sent again under its Idempotency-Key, perhaps twice at once or somewhere else; seldom with another body. */
export async function repeatRequest(life: Lifetime): Promise<void> {
  const { requests } = life.known.shop;
  if (requests.length === 0) return;
  const slot = life.pick(life.chance(0.6) ? requests.slice(-3) : requests);
  if (life.chance(0.1)) return sendRival(life, slot);
  await Promise.all(Array.from({ length: 1 + below(life.random, 2) }, () => sendRequest(life, slot)));
}

/** Somebody reads a session that was opened. */
export async function readSession(life: Lifetime): Promise<void> {
  const checkout = someCheckout(life, ['acp', 'ucp']);
  if (checkout === undefined) return;
  const before = factsOf(checkout);
  const heard = await askAtCounter(life, life.isolate(), { method: 'GET', path: addressOf(checkout) }, checkout.counter, checkout.key);
  if (heard === undefined || PASSING.includes(heard.status)) return;
  const keptMs = LIMITS.sessionHours * HOUR_MS + LIMITS.sessionKeptDays * 24 * HOUR_MS - 2 * SKEW_MS;
  const isKept = before.order !== undefined || heard.heardMs - checkout.createdMs < keptMs;
  const session = heard.status === 200 ? readSessionAnswer(heard.body) : undefined;
  hold('acknowledged', session !== undefined || !isKept, () => `${checkout.id}: ${heard.status} ${heard.body}`);
  if (session !== undefined) holdSession(life, heard, session, { checkout, before, isPricedHere: false });
}

/** Another agent tries to read, change, pay or give up a session, and one that does not exist. */
export async function useForeignSession(life: Lifetime): Promise<void> {
  const checkout = someCheckout(life, ['acp', 'page']);
  const others = life.known.keys.filter(({ agent, scopes }) => agent !== checkout?.key?.agent && scopes.includes('buy'));
  if (checkout === undefined || others.length === 0) return;
  const other = life.pick(others);
  const isolate = life.isolate();
  const [method, action, body] = life.pick([
    ['GET', '', undefined],
    ['POST', '', contentOf(life, 'acp', false)],
    ['POST', '/cancel', {}],
    ['POST', '/complete', { payment_data: { handler_id: 'card_tokenized', instrument: { credential: { type: 'spt', token: 'spt_x' } } } }],
  ] as const);
  const unknown = `cs_${[...checkout.id.slice(3)].reverse().join('')}`;
  const ask = (id: string): Promise<Heard | undefined> => {
    const question: Question = {
      method,
      path: `${SESSIONS.acp}/${id}${action}`,
      ...(body ? { body, idempotencyKey: life.fresh('try') } : {}),
    };
    return askAtCounter(life, isolate, question, 'acp', other);
  };
  const answers = [await ask(checkout.id), await ask(unknown)] as const;
  hold('not-public', (answers[0]?.status ?? 500) >= 400, () => `${other.agent} uses ${checkout.id}: ${answers[0]?.body}`);
  if (answers.every((heard) => heard?.status === 404))
    hold('not-public', answers[0]?.body === answers[1]?.body, () => `${answers[0]?.body}\n  ${answers[1]?.body}`);
  if (checkout.counter === 'acp' && life.chance(0.3)) await readAtOtherCounter(life, checkout);
}

async function readAtOtherCounter(life: Lifetime, { id }: KnownCheckout): Promise<void> {
  const heard = await askAtCounter(life, life.isolate(), { method: 'GET', path: `${SESSIONS.ucp}/${id}` }, 'ucp', undefined);
  if (heard?.status === 200) hold('not-public', readSessionAnswer(heard.body) === undefined, () => `${id} is read at another counter`);
}

/** What was known of a session before a request about it was sent. */
function factsOf({ order, isCanceled }: KnownCheckout): SessionFacts {
  return { order, isCanceled };
}

function addressOf({ counter, id }: KnownCheckout): string {
  return `${counter === 'ucp' ? SESSIONS.ucp : SESSIONS.acp}/${id}`;
}

function contentOf(life: Lifetime, counter: Counter, wantsWebhooks: boolean): object {
  const from = life.chance(0.75) ? OFFERS : ALL_OFFERS;
  const wanted = Array.from({ length: life.chance(0.6) ? 1 : 2 }, () => ({ id: life.pick(from), quantity: 1 + below(life.random, 2) }));
  if (counter === 'ucp') return { line_items: wanted.map(({ id, quantity }) => ({ item: { id }, quantity })) };
  const metadata = wantsWebhooks ? { metadata: { order_webhook_url: `https://${WEBHOOK_HOST}/${life.fresh('hook')}` } } : {};
  return { line_items: wanted, currency: 'usd', capabilities: {}, ...metadata };
}

function newSlot(
  life: Lifetime,
  kind: CheckoutSlot['kind'],
  counter: Counter,
  path: string,
  body: object,
  key: KnownKey | undefined,
  checkout?: KnownCheckout,
): CheckoutSlot {
  const method = kind === 'update' && counter === 'ucp' ? 'PUT' : 'POST';
  const network = key?.network ?? '203.0.113.90';
  const slot = { ...UNSENT, kind, counter, method, path, body, key, network, idempotencyKey: life.fresh(kind), checkout } as const;
  life.known.shop.requests.push(slot);
  return slot;
}

function askAtCounter(life: Lifetime, isolate: Isolate, question: Question, counter: Counter, key: KnownKey | undefined) {
  const headers: Record<string, string> =
    counter === 'ucp' ? { 'UCP-Agent': 'profile="https://agent.example/profile.json"' } : { 'API-Version': ACP_VERSION };
  const asked: Question = { withinMs: PAID_MS_MAX, ...question, headers };
  return counter === 'ucp' || key === undefined ? life.ask(isolate, asked) : askWithKey(life, isolate, asked, key, 'buy');
}

async function sendRival(life: Lifetime, slot: CheckoutSlot): Promise<void> {
  const wasKnown = isKept(life, slot);
  slot.hasRival = true;
  const { method, path, idempotencyKey, counter, key } = slot;
  const body = { ...(slot.body as object), order_notes: life.fresh('rival') };
  const heard = await askAtCounter(life, life.isolate(), { method, path, body, idempotencyKey }, counter, key);
  if (heard === undefined || !wasKnown || PASSING.includes(heard.status)) {
    if (!wasKnown) slot.checkout = undefined;
    return;
  }
  hold('one-effect', heard.code === 'idempotency_conflict', () => `${idempotencyKey} was taken for another body: ${heard.body}`);
}

/** Whether the answer under an Idempotency-Key must still be given again. */
function isKept(life: Lifetime, { acknowledgedMs }: CheckoutSlot): boolean {
  return acknowledgedMs !== undefined && life.time.nowMs - acknowledgedMs < LIMITS.idempotencyHours * HOUR_MS - 2 * SKEW_MS;
}

async function sendRequest(life: Lifetime, slot: CheckoutSlot): Promise<void> {
  const { kind, counter, method, path, body, idempotencyKey, key } = slot;
  const isolate = life.isolate();
  const before = slot.checkout && factsOf(slot.checkout);
  const wasAcknowledged = slot.acknowledgedMs !== undefined;
  const heard = await askAtCounter(life, isolate, { method, path, body, idempotencyKey }, counter, key);
  if (heard === undefined || life.chance(0.15)) return;
  if (heard.code === 'idempotency_conflict') hold('one-effect', slot.hasRival, () => `${idempotencyKey} has no rival: ${heard.body}`);
  const session = heard.status < 300 ? readSessionAnswer(heard.body) : undefined;
  if (wasAcknowledged && isKept(life, slot) && !slot.hasRival && !PASSING.includes(heard.status))
    hold('one-effect', isSameAnswer(kind, slot.answer, heard.body), () => `${path} ${idempotencyKey}\n  ${slot.answer}\n  ${heard.body}`);
  if (heard.code === 'payment_declined') holdNothingCharged(life, slot, heard);
  if (session === undefined || session.isRefusal || slot.hasRival) return;
  if (kind === 'create') slot.checkout = noteCheckout(life, slot, session.id);
  if (slot.checkout === undefined) return;
  // What is no longer kept has a new effect.
  if (slot.answer !== heard.body && !isKept(life, slot)) {
    slot.acknowledgedMs = heard.heardMs;
    slot.answer = heard.body;
  }
  // An answer that is given again tells how the session was then.
  const isFresh = !heard.headers.has('idempotent-replayed');
  const isPricedHere = isFresh && (kind === 'create' || kind === 'update');
  const facts = isFresh && before && kind !== 'create' ? before : { order: undefined, isCanceled: false };
  holdSession(life, heard, session, { checkout: slot.checkout, before: facts, isPricedHere });
  const isOver = heard.clockAtStartMs - slot.checkout.createdMs > LIMITS.sessionHours * HOUR_MS + SKEW_MS;
  if (isPricedHere) hold('transition', !isOver, () => `${path} is changed after its time: ${heard.body}`);
  if (kind === 'cancel') {
    hold('transition', session.status === 'canceled', () => `${path}: ${heard.body}`);
    slot.checkout.isCanceled = true;
  }
  if (kind === 'complete' && counter === 'acp') hold('paid', session.status === 'completed', () => `${path}: ${heard.body}`);
}

function noteCheckout(life: Lifetime, { counter, key }: CheckoutSlot, id: string): KnownCheckout {
  const { checkouts } = life.known.shop;
  const present = checkouts.find((checkout) => checkout.id === id);
  if (present !== undefined) return present;
  const made = { id, counter, key, createdMs: life.time.nowMs, continueUrls: new Set<string>(), order: undefined, isCanceled: false };
  checkouts.push(made);
  return made;
}

/** A declined payment has charged nothing, whatever was lost on the way. */
function holdNothingCharged(life: Lifetime, { body }: CheckoutSlot, heard: Heard): void {
  const { payment_data } = body as { payment_data?: { instrument: { credential: { token: string } } } };
  const token = payment_data?.instrument.credential.token;
  const charged = life.outside.processor.payments.find((payment) => payment.token === token && payment.state !== 'failed');
  hold('paid', charged === undefined, () => `${charged?.id} is ${charged?.state}: ${heard.body}`);
}

/** Answers to a payment are the same order; what was paid back since may stand in the later one. All others are the same bytes. */
function isSameAnswer(kind: CheckoutSlot['kind'], first: string | undefined, again: string): boolean {
  return first === again || (kind === 'complete' && first !== undefined && isDeepStrictEqual(withoutRefunds(first), withoutRefunds(again)));
}

function withoutRefunds(body: string): unknown {
  return JSON.parse(body, (name, value: unknown) => {
    if (name === 'updated_at' || name === 'adjustments') return undefined;
    return Array.isArray(value) ? value.filter((item: { type?: string } | undefined) => item?.type !== 'amount_refunded') : value;
  }) as unknown;
}
