import type { Buyer } from '../../../schemas/commerce/orders.ts';
import { isTestNetwork } from '../../../schemas/commerce/stablecoin-payments.ts';
import {
  bodyDigest,
  decidingRecord,
  IN_FLIGHT,
  idempotencyKeyOf,
  type KeyedRequest,
  keyExpiry,
} from '../../idempotency/bind-idempotency-key.ts';
import { consumeQuota } from '../../limits/quotas.ts';
import type { IdempotencyKey } from '../../platform-ports.ts';
import { ok, type Result, refuse } from '../../result.ts';
import { heldAlready, refuseHeld } from '../cart/access-passes.ts';
import type { ChargeOutcome, Line, Order, PaymentProcessor, Session, SessionChange } from '../cart/checkout-ports.ts';
import {
  type CheckoutDependencies,
  canBeCharged,
  DECLINED,
  DEMO_NOT_CHARGED,
  isExpired,
  openSession,
  outcomeUnknown,
  ownSession,
  replayRecord,
  requestInFlight,
  type SessionResponse,
  type WriteSession,
  wouldChargeForDemo,
} from '../cart/checkout-sessions.ts';
import { hasId } from '../catalog/find-offer.ts';
import { completionStep, releaseStep } from './order-transitions.ts';

/** How long a charge may be in progress before a retry asks the payment processor again: longer than its requests can take. */
export const CHARGE_LEASE_MS = 60_000;

/**
 * Pays a session with a shared payment token. The charge is stored as begun first, so that only one of several concurrent requests charges. The
 * payment processor gets a key derived from the session and the request's key: a retry after a crash finds the same charge.
 *
 * @param token `undefined` if the request has another instrument, which is refused where the session can be paid.
 */
export async function completeSession(
  request: KeyedRequest & { readonly idempotencyKey: string; readonly buyer?: Buyer | undefined },
  id: string,
  token: string | undefined,
  owner: string,
  write: WriteSession,
  deps: CheckoutDependencies,
): Promise<Result<SessionResponse>> {
  const { store, clock, processor } = deps;
  const key = await idempotencyKeyOf(request);
  if (key === undefined) throw new TypeError('a payment needs an idempotency key');
  const used: UsedKey = { key, bodySha256: await bodyDigest(request) };
  const attempt = `${id}-${key.keySha256.slice(0, 32)}`;
  const stored = await store.load(key, id, clock.nowMs()).catch(() => undefined);
  if (stored === undefined) return refuse('state_unavailable', 'The database did not respond; nothing was charged.');
  const record = decidingRecord(stored.record, used.bodySha256);
  if (record !== undefined && (record.bodySha256 !== used.bodySha256 || record.status !== IN_FLIGHT))
    return replayRecord(record, used.bodySha256);
  const own = ownSession(stored, owner);
  if (!own.ok) return own;
  const isResumed = record !== undefined;
  if (isResumed) {
    const outcome = outcomeOfAttempt(own.value, attempt, write, clock.nowMs());
    if (outcome !== undefined) return outcome;
  }
  const payable = isResumed ? ok(own.value.session) : openSession(stored, owner, clock.nowMs());
  if (!payable.ok) return payable;
  const session = payable.value;
  if (processor === undefined || token === undefined)
    return refuse('payment_unsupported', 'The session is paid on the hosted checkout at its continue_url.');
  if (!canBeCharged(session))
    return refuse('payment_unsupported', 'Subscriptions are bought on the hosted checkout at the continue_url of the session.');
  if (wouldChargeForDemo(session, processor)) return refuse('payment_unsupported', DEMO_NOT_CHARGED);
  const held = isResumed ? ok(undefined) : await refuseHeld(session, deps);
  if (!held.ok) return held;
  // A resumed attempt was counted when it started, and may have charged.
  const quota = session.totalMinor === 0 ? 'network_free_orders' : 'network_charges';
  const counted = stored.record === undefined ? await consumeQuota(deps.quotas, quota, deps.network, clock) : ok(undefined);
  if (!counted.ok) return counted;
  const charging: Session = { ...session, buyer: request.buyer ?? session.buyer, state: 'charging', attempt };
  const started = await startCharge(charging, used, isResumed, deps);
  if ('response' in started) return started.response;
  const charge = await chargeToken(started.session, token, attempt, processor).catch(() => undefined);
  if (charge === undefined) {
    const detail = 'The payment processor did not respond. Retry with the same Idempotency-Key to get the outcome.';
    return refuse('processor_unavailable', detail, { retryAfterSeconds: CHARGE_LEASE_MS / 1_000 });
  }
  return settle(charge, started.session, used, write, deps);
}

/** Whether the test checkout of lines can end with an order: all are demonstrations, and what they deliver, if anything, has no value. */
export function endsWithOrder(
  lines: readonly Line[],
  { offers, payments }: Pick<CheckoutDependencies['deployment'], 'offers' | 'payments'>,
): boolean {
  const delivers = lines.some(({ offerId }) => offers.some((offer) => hasId(offer, offerId) && offer.delivers.length > 0));
  return lines.every(({ demo }) => demo) && (!delivers || isTestNetwork(payments));
}

/**
 * Completes the test checkout of a session with an order whose total is 0.
 *
 * @param seen The revision whose lines the buyer saw.
 * @returns The order, also of a completed session; `undefined` if the session is not open otherwise, or has another revision.
 */
export async function completeDemonstration(
  id: string,
  seen: number | 'any' | undefined,
  deps: CheckoutDependencies,
): Promise<Result<Order | undefined>> {
  const { store, clock, randomness, quotas, network, deployment } = deps;
  const nowMs = clock.nowMs();
  const known = await store.load(undefined, id, nowMs).catch(() => undefined);
  if (known === undefined) return refuse('state_unavailable', 'The database did not respond.');
  const { session, order } = known;
  if (session?.state !== 'open' || isExpired(session, nowMs) || (seen !== 'any' && seen !== session.revision)) return ok(order);
  if (!endsWithOrder(session.lines, deployment)) return refuse('cart_refused', 'Only demonstrations have a test checkout.');
  const counted = await consumeQuota(quotas, 'network_free_orders', network, clock);
  if (!counted.ok) return counted;
  const step = completionStep({ ...session, totalMinor: 0 }, { reference: undefined, by: 'processor' }, randomness, nowMs);
  const stored = await store.apply({ ...step, nowMs }).catch(() => undefined);
  if (stored?.applied === true) return ok(step.order);
  // Another request changed the session in the meantime.
  const changed = stored && (await store.load(undefined, id, nowMs).catch(() => undefined));
  return changed === undefined ? outcomeUnknown() : ok(changed.order);
}

interface UsedKey {
  readonly key: IdempotencyKey;
  readonly bodySha256: string;
}

function recordUnder({ key, bodySha256 }: UsedKey, status: number, response: string, nowMs: number): Pick<SessionChange, 'idempotency'> {
  return { idempotency: { key, record: { bodySha256, status, response }, expiresAtMs: keyExpiry(nowMs) } };
}

async function startCharge(
  charging: Session,
  used: UsedKey,
  isResumed: boolean,
  { store, clock, deployment }: CheckoutDependencies,
): Promise<{ readonly session: Session } | { readonly response: Result<SessionResponse> }> {
  const nowMs = clock.nowMs();
  const session: Session = { ...charging, revision: charging.revision + 1, updatedAtMs: nowMs };
  const claimed = await store
    .apply({
      session,
      isNew: false,
      // A resumed attempt keeps the expiry of its key: the payment processor remembers the key for a day, and would charge again
      // afterwards.
      ...(isResumed ? {} : recordUnder(used, IN_FLIGHT, '', nowMs)),
      log: [{ kind: 'payment_started', atMs: nowMs, detail: { total_minor: session.totalMinor } }],
      counts: [],
      notify: undefined,
      unlessHeld: heldAlready(session, deployment),
      nowMs,
    })
    .catch(() => undefined);
  if (claimed === undefined) return { response: outcomeUnknown() };
  if (claimed.applied) return { session };
  const record = decidingRecord(claimed.record, used.bodySha256);
  if (record !== undefined) return { response: replayRecord(record, used.bodySha256) };
  return { response: refuse('request_in_flight', 'Another change of the session, or a payment for the same pass, came first.') };
}

type TokenCharge = ChargeOutcome | { readonly kind: 'nothing_due' };

async function chargeToken(
  { id, totalMinor, currency }: Session,
  token: string,
  attempt: string,
  processor: PaymentProcessor,
): Promise<TokenCharge> {
  if (totalMinor === 0) return { kind: 'nothing_due' };
  // All retries of a request share the key; the next attempt to pay has another.
  const metadata = { checkout_session_id: id, attempt };
  return processor.charge({ metadata, token, amountMinor: totalMinor, currency, idempotencyKey: attempt });
}

function outcomeOfAttempt(
  { session, order }: { readonly session: Session; readonly order: Order | undefined },
  attempt: string,
  write: WriteSession,
  nowMs: number,
): Result<SessionResponse> | undefined {
  if (session.state === 'completed') return ok({ ...write(session, order), isReplay: true });
  // An event reported that this payment failed; later changes belong to other requests.
  if (session.state !== 'charging' || session.attempt !== attempt)
    return refuse('payment_declined', 'The payment processor declined the payment. Nothing was charged.');
  return nowMs >= session.updatedAtMs + CHARGE_LEASE_MS ? undefined : requestInFlight();
}

async function settle(
  charge: TokenCharge,
  charging: Session,
  used: UsedKey,
  write: WriteSession,
  { store, clock, randomness }: CheckoutDependencies,
): Promise<Result<SessionResponse>> {
  const nowMs = clock.nowMs();
  if (charge.kind === 'pending')
    return refuse(
      'request_in_flight',
      'The payment is in progress. The session is completed when the payment processor reports it settled.',
    );
  if (charge.kind === 'declined' || charge.kind === 'unavailable') {
    const reason = charge.kind === 'declined' ? charge.reason : 'processor_unavailable';
    const detail = `The payment processor declined the payment: ${reason}.`;
    // A declined key stays bound, because the payment processor refuses another body under it. An unused key is released.
    const keyChange =
      charge.kind === 'declined' ? recordUnder(used, DECLINED, detail, nowMs) : ({ releaseIdempotencyKey: used.key } as const);
    const stored = await store.apply({ ...releaseStep(charging, reason, nowMs), ...keyChange }).catch(() => undefined);
    if (stored === undefined) return outcomeUnknown();
    const changed = stored.applied ? undefined : await responseAfterChange(charging, write, store, nowMs);
    if (changed !== undefined) return changed;
    return charge.kind === 'declined'
      ? refuse('payment_declined', detail)
      : refuse('processor_unavailable', 'The payment processor accepted no payment; nothing was charged. The session is open again.');
  }
  if (charge.kind === 'paid' && (charge.amountMinor !== charging.totalMinor || charge.currency.toUpperCase() !== charging.currency))
    throw new TypeError('the payment processor charged a different amount');
  const reference = charge.kind === 'paid' ? charge.paymentReference : undefined;
  const step = completionStep(charging, { reference, by: 'agent' }, randomness, nowMs);
  const { status, body } = write(step.session, step.order);
  const stored = await store.apply({ ...step, ...recordUnder(used, status, body, nowMs), nowMs }).catch(() => undefined);
  if (stored === undefined) return outcomeUnknown();
  if (stored.applied) return ok({ status, body, isReplay: false });
  return (await responseAfterChange(charging, write, store, nowMs)) ?? outcomeUnknown();
}

/** The completed session after a conflict; `request_in_flight` if a retry resumed the charge and will store its outcome. */
async function responseAfterChange(
  { id, attempt }: Session,
  write: WriteSession,
  store: CheckoutDependencies['store'],
  nowMs: number,
): Promise<Result<SessionResponse> | undefined> {
  const { session, order } = (await store.load(undefined, id, nowMs).catch(() => undefined)) ?? {};
  if (session?.state === 'completed') return ok({ ...write(session, order), isReplay: false });
  return session?.state === 'charging' && session.attempt === attempt ? requestInFlight() : undefined;
}
