import { toHex } from '../../../provenance/bytes-and-sha256.ts';
import { canonicalDigest } from '../../../provenance/canonical-json.ts';
import type { Buyer } from '../../../schemas/commerce/orders.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { checkoutSessionPath, isTestCheckout } from '../../../schemas/paths.ts';
import { SESSION_ID_PREFIX } from '../../../schemas/primitives.ts';
import { dayOf, HOUR_MS } from '../../../schemas/time.ts';
import {
  bodyDigest,
  decidingRecord,
  IN_FLIGHT,
  idempotencyKeyOf,
  type KeyedRequest,
  keyConflict,
  keyExpiry,
} from '../../idempotency/bind-idempotency-key.ts';
import { consumeQuota } from '../../limits/quotas.ts';
import type { Clock, IdempotencyRecord, NotConfigured, Quotas, Randomness } from '../../platform-ports.ts';
import { ok, type Refusal, type Result, refuse } from '../../result.ts';
import { hasId, payablePriceIn, refuseUnsoldItems } from '../catalog/find-offer.ts';
import { refuseHeld, soldPasses } from './access-passes.ts';
import type {
  Channel,
  Line,
  LogEntry,
  Order,
  OrderStore,
  PaymentProcessor,
  Session,
  SessionStep,
  StoredSession,
} from './checkout-ports.ts';
import { hostedLinkFor, withLabels } from './permalink.ts';
import { type CartItem, cartPath, fitsHostedLink, hasSingleBillingInterval, payableCart, totalOf } from './price-cart.ts';

export interface CheckoutDependencies {
  readonly deployment: Pick<
    Deployment,
    'offers' | 'quoteOnlyOffers' | 'discontinuedOffers' | 'baseUrl' | 'commerce' | 'payments' | 'soldTexts'
  >;
  readonly store: OrderStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly quotas: Quotas;
  readonly network: string;
  readonly processor: PaymentProcessor | undefined;
}

export interface SessionOwner {
  readonly owner: string;
  readonly channel: Channel;
  readonly agent: string | undefined;
  readonly holder?: string | undefined;
}

/** Content of a session; an update leaves omitted members unchanged. */
export interface SessionContent {
  readonly items?: readonly CartItem[] | undefined;
  /** Currency of the prices, ISO 4217 in upper case; of a new session US dollars by default. */
  readonly currency?: string | undefined;
  /** `null` removes the buyer. */
  readonly buyer?: Buyer | null | undefined;
  readonly notifyUrl?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Labels of the campaign that led to a session, and a reference of its link. */
type Labels = ReadonlyMap<string, string>;

function sellableCart(
  items: readonly CartItem[],
  nowMs: number,
  currency: string,
  { deployment }: Pick<CheckoutDependencies, 'deployment'>,
  isTest?: boolean,
): Result<readonly Line[]> {
  const today = dayOf(nowMs);
  return refuseUnsoldItems(items, deployment, today) ?? payableCart(items, deployment, today, currency, isTest);
}

export async function createSession(
  request: KeyedRequest,
  content: SessionContent & { readonly items: readonly CartItem[]; readonly labels?: Labels; readonly isTest?: boolean },
  by: SessionOwner,
  write: WriteSession,
  deps: CheckoutDependencies,
): Promise<Result<SessionResponse>> {
  const nowMs = deps.clock.nowMs();
  const step = async () => {
    const { currency = 'USD' } = content;
    const lines = sellableCart(content.items, nowMs, currency, deps, content.isTest);
    if (!lines.ok) return lines;
    const sold = passesOf(lines.value, by.holder, deps);
    const held = await refuseHeld(sold, deps);
    if (!held.ok) return held;
    const shared = await consumeQuota(deps.quotas, 'network_checkouts', deps.network, deps.clock);
    const quota = shared.ok && by.agent !== undefined ? await consumeQuota(deps.quotas, 'checkouts', by.agent, deps.clock) : shared;
    if (!quota.ok) return quota;
    const totalMinor = totalOf(lines.value);
    const session: Session = {
      id: SESSION_ID_PREFIX + toHex(deps.randomness.bytes(16)),
      owner: by.owner,
      channel: by.channel,
      state: 'open',
      currency,
      lines: lines.value,
      totalMinor,
      buyer: content.buyer ?? undefined,
      ...sold,
      notifyUrl: content.notifyUrl,
      details: content.details ?? {},
      revision: 1,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      expiresAtMs: nowMs + LIMITS.sessionHours * HOUR_MS,
    };
    const log = [
      {
        kind: 'session_created',
        atMs: nowMs,
        detail: { channel: by.channel, total_minor: totalMinor, ...Object.fromEntries(content.labels ?? []) },
      },
    ];
    return ok({ session, isNew: true, log, counts: [], notify: undefined });
  };
  return changeSession(request, undefined, step, write, { store: deps.store, nowMs });
}

function passesOf(lines: readonly Line[], holder: string | undefined, { deployment }: Pick<CheckoutDependencies, 'deployment'>) {
  const passes = soldPasses(lines, deployment.offers);
  return passes.length === 0 ? { holder } : { holder, passes };
}

export async function readSession(
  id: string,
  owner: string,
  { store, clock }: Pick<CheckoutDependencies, 'store' | 'clock'>,
): Promise<Result<{ session: Session; order: Order | undefined }>> {
  const known = await store.load(undefined, id, clock.nowMs()).catch(() => undefined);
  if (known === undefined) return refuse('state_unavailable', 'The database did not respond.');
  return ownSession(known, owner);
}

/** A session of an owner; foreign sessions get the same refusal as unknown ids. */
export function ownSession({ session, order }: StoredSession, owner: string): Result<{ session: Session; order: Order | undefined }> {
  if (session === undefined || session.owner !== owner) return refuse('session_not_found', 'You have no checkout session with this id.');
  return ok({ session, order });
}

export function openSession(known: StoredSession, owner: string, nowMs: number): Result<Session> {
  const own = ownSession(known, owner);
  if (!own.ok) return own;
  const { session } = own.value;
  if (session.state === 'charging') return refuse('request_in_flight', 'A payment of the session is in progress.');
  if (session.state === 'canceled') return refuse('session_closed', 'The session is canceled. Create a new one.');
  if (session.state !== 'open') return refuse('session_closed', `The session is ${session.state}.`);
  if (isExpired(session, nowMs)) return refuse('session_closed', 'The session has expired. Create a new one.');
  return ok(session);
}

export interface OpenChange {
  readonly becomes: Partial<Session>;
  readonly log: Pick<LogEntry, 'kind' | 'detail'>;
}

export async function changeOpenSession(
  request: KeyedRequest,
  id: string,
  owner: string,
  change: (before: Session, nowMs: number) => Result<OpenChange>,
  write: WriteSession,
  { store, clock, quotas, network }: Pick<CheckoutDependencies, 'store' | 'clock' | 'quotas' | 'network'>,
): Promise<Result<SessionResponse>> {
  const nowMs = clock.nowMs();
  // A step that is repeated after a conflict is counted once.
  let counted: Result<undefined> | undefined;
  const step = async (known: StoredSession) => {
    const open = openSession(known, owner, nowMs);
    if (!open.ok) return open;
    const changed = change(open.value, nowMs);
    if (!changed.ok) return changed;
    counted ??= await consumeQuota(quotas, 'network_checkout_changes', network, clock);
    if (!counted.ok) return counted;
    const session = { ...open.value, ...changed.value.becomes, revision: open.value.revision + 1, updatedAtMs: nowMs };
    return ok({ session, isNew: false, log: [{ ...changed.value.log, atMs: nowMs }], counts: [], notify: undefined });
  };
  return changeSession(request, id, step, write, { store, nowMs });
}

export async function updateSession(
  request: KeyedRequest,
  id: string,
  content: SessionContent,
  owner: string,
  write: WriteSession,
  deps: CheckoutDependencies,
): Promise<Result<SessionResponse>> {
  const change = (before: Session, nowMs: number): Result<OpenChange> => {
    const { currency = before.currency } = content;
    const own = before.lines.map(({ offerId, quantity }) => ({ id: offerId, quantity, pointer: '/currency' }));
    const items = content.items ?? (currency === before.currency ? undefined : own);
    const lines = items ? sellableCart(items, nowMs, currency, deps) : ok(before.lines);
    if (!lines.ok) return lines;
    const totalMinor = totalOf(lines.value);
    const becomes = {
      currency,
      lines: lines.value,
      totalMinor,
      buyer: content.buyer === null ? undefined : (content.buyer ?? before.buyer),
      ...passesOf(lines.value, before.holder, deps),
      notifyUrl: content.notifyUrl ?? before.notifyUrl,
      details: content.details ?? before.details,
    };
    return ok({ becomes, log: { kind: 'session_updated', detail: { total_minor: totalMinor } } });
  };
  return changeOpenSession(request, id, owner, change, write, deps);
}

/** Cancels a session. A later payment on its hosted checkout is kept for the publisher to refund. */
export async function cancelSession(
  request: KeyedRequest,
  id: string,
  owner: string,
  write: WriteSession,
  deps: CheckoutDependencies,
): Promise<Result<SessionResponse>> {
  const change = () => ok<OpenChange>({ becomes: { state: 'canceled' }, log: { kind: 'session_canceled', detail: {} } });
  return changeOpenSession(request, id, owner, change, write, deps);
}

export interface SessionResponse {
  readonly status: number;
  readonly body: string;
  readonly isReplay: boolean;
  /** Why nothing was done, for protocols that report it in a session. */
  readonly refusal?: Refusal;
}

export type WriteSession = (session: Session, order: Order | undefined) => { readonly status: number; readonly body: string };

/** Status of an idempotency record whose payment was declined; its response is the refusal's detail. */
export const DECLINED = 402;

const ATTEMPTS_MAX = 4;

export function replayRecord(record: IdempotencyRecord, bodySha256: string): Result<SessionResponse> {
  if (record.bodySha256 !== bodySha256) return keyConflict();
  if (record.status === IN_FLIGHT) return requestInFlight();
  if (record.status === DECLINED) return refuse('payment_declined', record.response, { headers: { 'Idempotent-Replayed': 'true' } });
  return ok({ status: record.status, body: record.response, isReplay: true });
}

export function requestInFlight(): Result<never> {
  return refuse('request_in_flight', 'Another request with this Idempotency-Key is still being processed.');
}

export function outcomeUnknown(): Result<never> {
  return refuse('state_unavailable', 'The outcome of the change is unknown. Retry with the same Idempotency-Key.');
}

/** Changes a session by one step, once for each idempotency key. `step` computes it from the stored state, again after a conflict. */
async function changeSession(
  request: KeyedRequest,
  sessionId: string | undefined,
  step: (stored: StoredSession) => Promise<Result<SessionStep>>,
  write: WriteSession,
  { store, nowMs }: { readonly store: OrderStore; readonly nowMs: number },
): Promise<Result<SessionResponse>> {
  const key = await idempotencyKeyOf(request);
  const bodySha256 = await bodyDigest(request);
  const replayOf = (record: IdempotencyRecord | undefined): Result<SessionResponse> | undefined => {
    const deciding = decidingRecord(record, bodySha256);
    return deciding && replayRecord(deciding, bodySha256);
  };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const stored = await store.load(key, sessionId, nowMs).catch(() => undefined);
    if (stored === undefined) return refuse('state_unavailable', 'The database did not respond; nothing was changed.');
    const replay = replayOf(stored.record);
    if (replay !== undefined) return replay;
    const next = await step(stored);
    if (!next.ok) {
      // A retry may have stored the same request in the meantime.
      const meanwhile = key && (await store.load(key, undefined, nowMs).catch(() => undefined));
      return replayOf(meanwhile?.record) ?? next;
    }
    const { status, body } = write(next.value.session, next.value.order);
    const record = { bodySha256, status, response: body };
    const applied = await store
      .apply({ ...next.value, nowMs, ...(key === undefined ? {} : { idempotency: { key, record, expiresAtMs: keyExpiry(nowMs) } }) })
      .catch(() => undefined);
    if (applied === undefined) return outcomeUnknown();
    if (applied.applied) return ok({ status, body, isReplay: false });
    const replayed = replayOf(applied.record);
    if (replayed !== undefined) return replayed;
  }
  return refuse('request_in_flight', 'Other requests are changing the session.');
}

export function isExpired({ state, expiresAtMs }: Pick<Session, 'state' | 'expiresAtMs'>, nowMs: number): boolean {
  return state === 'open' && nowMs >= expiresAtMs;
}

export const DEMO_NOT_CHARGED = 'The session contains a demonstration: no money is taken, and no work is done.';

export function wouldChargeForDemo({ lines }: Pick<Session, 'lines'>, { takesRealMoney }: PaymentProcessor): boolean {
  return takesRealMoney && lines.some(({ demo }) => demo);
}

/** Whether a payment token can pay a session: everything in it is paid once. */
export function canBeCharged({ lines }: Pick<Session, 'lines'>): boolean {
  return hasSingleBillingInterval(lines) && lines.every(({ cadence }) => cadence === 'one_time' || cadence === 'free');
}

interface OpeningDependencies extends Pick<CheckoutDependencies, 'store' | 'clock'> {
  readonly deployment: Pick<Deployment, 'offers' | 'baseUrl' | 'commerce'>;
  readonly processor: PaymentProcessor | NotConfigured | undefined;
}

export type OpenedCheckout =
  | { readonly kind: 'leave'; readonly location: string }
  /** The test checkout of a demonstration, which this site shows itself. */
  | { readonly kind: 'test'; readonly session: Session }
  | { readonly kind: 'show'; readonly state: Session['state'] | 'expired'; readonly session: Session; readonly order: Order | undefined };

/**
 * The URL where a person pays exactly the total of a session: the hosted link of its offer with the session id, the page of its own checkout,
 * or the cart page with other ways to buy, if a newer catalog changed the price or dropped the offer.
 */
export function continueUrl(session: Pick<Session, 'id' | 'lines' | 'currency'>, deployment: OpeningDependencies['deployment']): string {
  const { baseUrl, commerce } = deployment;
  const link = hostedLinkOf(session, deployment);
  if (link !== undefined && !isTestCheckout(link, baseUrl)) return hostedLinkFor(session.id, link);
  if (link !== undefined || commerce.processor === 'stripe') return baseUrl + checkoutSessionPath(session.id);
  return baseUrl + cartPath(session.lines, session.currency);
}

function hostedLinkOf(
  { lines, currency }: Pick<Session, 'lines' | 'currency'>,
  { offers, commerce }: OpeningDependencies['deployment'],
): string | undefined {
  const [line] = lines;
  const offer = line && offers.find((candidate) => hasId(candidate, line.offerId));
  const price = offer && payablePriceIn(offer, currency, commerce);
  const isUnchanged = price?.amountMinor === line?.unitMinor && offer?.cadence === line?.cadence;
  return fitsHostedLink(lines) && isUnchanged ? price?.checkoutUrl : undefined;
}

/**
 * Opens the checkout of a session: its hosted link if that charges exactly the session, else a checkout that the payment processor creates, one
 * for each cart. Nothing is stored: a session expires before the processor forgets idempotency keys (docs.stripe.com/api/idempotent_requests).
 *
 * @param isReadOnly Whether nothing may be created: a HEAD request, or a return from the checkout.
 * @param labels Passed on to a hosted link, whose reference is the session.
 */
export async function openCheckout(
  id: string,
  isReadOnly: boolean,
  deps: OpeningDependencies,
  labels: Labels = new Map(),
): Promise<Result<OpenedCheckout>> {
  const { deployment, store, clock, processor } = deps;
  const nowMs = clock.nowMs();
  const stored = await store.load(undefined, id, nowMs).catch(() => undefined);
  if (stored === undefined) return refuse('state_unavailable', 'The database did not respond.');
  const { session, order } = stored;
  if (session === undefined) return refuse('session_not_found', 'No checkout session has this id.');
  const state = isExpired(session, nowMs) ? 'expired' : session.state;
  if (state !== 'open' || isReadOnly) return ok({ kind: 'show', state, session, order });
  const location = continueUrl(session, deployment);
  if (location !== deployment.baseUrl + checkoutSessionPath(id)) return ok({ kind: 'leave', location: withLabels(location, labels) });
  if (hostedLinkOf(session, deployment) !== undefined) return ok({ kind: 'test', session });
  if (processor === undefined) return refuse('not_configured', 'This deployment creates no checkouts.');
  if ('missing' in processor) return refuse('not_configured', processor.missing);
  if (wouldChargeForDemo(session, processor)) return refuse('not_configured', DEMO_NOT_CHARGED);
  const payable = { lines: session.lines, currency: session.currency, email: session.buyer?.email };
  const digest = (await canonicalDigest({ ...payable, email: payable.email ?? null })).slice('sha256:'.length);
  const hostedUrl = await processor
    .openCheckout({
      ...payable,
      sessionId: id,
      returnUrl: `${deployment.baseUrl}${checkoutSessionPath(id)}?returned`,
      idempotencyKey: `${id}-${digest.slice(0, 32)}`,
    })
    .catch(() => undefined);
  if (hostedUrl === undefined) return refuse('processor_unavailable', 'The payment processor created no checkout; nothing was charged.');
  return ok({ kind: 'leave', location: hostedUrl });
}
