import type { Buyer } from '../../../schemas/commerce/buyer.ts';
import { outage, ok, type Result, refuse } from '../../result.ts';
import { bodyDigest, heldFor, type KeyedRequest, keyExpiry, slotOf } from '../../idempotency/bind-key.ts';
import { DECLINED, notKnown, replayed, type SessionAnswer, type WriteSession } from './change-session.ts';
import { type CheckoutDependencies, openSession, ownSession } from './checkout-sessions.ts';
import { takeQuota } from '../../limits/take-quota.ts';
import type { IdempotencySlot } from '../../intake/intake-ports.ts';
import { completion } from '../orders/make-order.ts';
import type { Order } from '../orders/order.ts';
import { type ChargeOutcome, IN_FLIGHT, type PaymentProcessor, type SessionChange } from '../orders/order-ports.ts';
import { hasSingleBillingInterval } from './price-cart.ts';
import type { Session } from './session.ts';

/**
 * How long a payment may be under way before a repetition of its request asks the processor again, in milliseconds: longer than a
 * request to it can take.
 */
export const CHARGE_LEASE_MS = 60_000;

/**
 * Pays a session with a shared payment token. The charge is claimed in the database first, with the idempotency key, so that two
 * requests never charge both; the processor gets an idempotency key of its own that follows from the session and that of the request,
 * so that a repetition after a crash finds the same charge. What the processor did and this service did not hear of comes with its
 * message: then a repetition finds the completed session.
 *
 * @param token What pays; `undefined` if the caller has something else, which is refused where the session could be paid at all.
 */
export async function completeSession(
  request: KeyedRequest & { readonly idempotencyKey: string; readonly buyer?: Buyer | undefined },
  id: string,
  token: string | undefined,
  owner: string,
  write: WriteSession,
  deps: CheckoutDependencies,
): Promise<Result<SessionAnswer>> {
  const { store, clock, processor } = deps;
  const slot = await slotOf(request);
  if (slot === undefined) throw new TypeError('a payment needs an idempotency key');
  const bodySha256 = await bodyDigest(request);
  const attempt = `${id}-${slot.keySha256.slice(0, 32)}`;
  const known = await store.look(slot, id, clock.nowMs()).catch(() => undefined);
  if (known === undefined) return outage('state_unavailable', 'The database did not answer; nothing was charged.');
  const given = heldFor(known.given, bodySha256);
  if (given !== undefined && (given.bodySha256 !== bodySha256 || given.status !== IN_FLIGHT)) return replayed(given, bodySha256);
  const own = ownSession(known, owner);
  if (!own.ok) return own;
  if (given !== undefined) {
    const again = alreadyBegun(own.value, attempt, write, clock.nowMs());
    if (again !== undefined) return again;
  }
  const mine = given === undefined ? openSession(known, owner, clock.nowMs()) : ok(own.value.session);
  if (!mine.ok) return mine;
  if (processor === undefined || token === undefined)
    return refuse('payment_unsupported', 'The session is paid on the hosted checkout at its continue_url.');
  const before = mine.value;
  if (!canBeCharged(before))
    return refuse('payment_unsupported', 'What is paid again every month or year is bought on the hosted checkout at continue_url.');
  if (wouldChargeForDemo(before, processor)) return refuse('payment_unsupported', NO_MONEY_FOR_DEMONSTRATIONS);
  const quota = before.totalMinor === 0 ? 'network_free_orders' : 'network_charges';
  // An attempt that is taken up again was counted when it began, and may have charged.
  const counted = known.given === undefined ? await takeQuota(deps.quotas, quota, deps.network, clock) : ok(undefined);
  if (!counted.ok) return counted;
  const nowMs = clock.nowMs();
  const charging: Session = {
    ...before,
    buyer: request.buyer ?? before.buyer,
    state: 'charging',
    attempt,
    revision: before.revision + 1,
    updatedAtMs: nowMs,
  };
  const claimed = await store
    .apply({
      session: charging,
      isNew: false,
      // One that is taken up again keeps the time of its key: the processor knows it for a day from then, and would charge again after it.
      ...(given === undefined ? { answer: answerUnder({ slot, bodySha256 }, IN_FLIGHT, '', nowMs) } : {}),
      log: [{ kind: 'payment_started', atMs: nowMs, detail: { total_minor: before.totalMinor } }],
      counts: [],
      notify: undefined,
      nowMs,
    })
    .catch(() => undefined);
  if (claimed === undefined) return notKnown();
  if (!claimed.applied) {
    const held = heldFor(claimed.given, bodySha256);
    return held ? replayed(held, bodySha256) : refuse('request_in_flight', 'Another change of the session came first.');
  }
  let charge: ChargeOutcome | NothingDue;
  try {
    charge =
      charging.totalMinor === 0
        ? { kind: 'nothing_due' }
        : await processor.charge({
            sessionId: id,
            token,
            amountMinor: charging.totalMinor,
            currency: charging.currency,
            // The same for every repetition of this request, and another one for the next attempt to pay.
            idempotencyKey: attempt,
          });
  } catch {
    return refuse(
      'processor_unavailable',
      'The processor did not answer. The same request with the same Idempotency-Key finds out what it did.',
      { retryAfterSeconds: CHARGE_LEASE_MS / 1_000 },
    );
  }
  return settle(charge, charging, { slot, bodySha256 }, write, deps);
}

/** Where the answer of a request is kept, and the digest of its body. */
interface UsedKey {
  readonly slot: IdempotencySlot;
  readonly bodySha256: string;
}

function answerUnder({ slot, bodySha256 }: UsedKey, status: number, response: string, nowMs: number): NonNullable<SessionChange['answer']> {
  return { slot, given: { bodySha256, status, response }, expiresAtMs: keyExpiry(nowMs) };
}

/** Nothing is to be paid, so nothing is charged. */
interface NothingDue {
  readonly kind: 'nothing_due';
}

/** Said of a session that is not paid because no money may be taken for something in it. */
export const NO_MONEY_FOR_DEMONSTRATIONS =
  'Something in the session is a demonstration, for which no money is taken, and the key of the payment processor here takes real money.';

/** Whether a payment would take money for a demonstration, whose page says that none is taken. */
export function wouldChargeForDemo(
  { lines }: Pick<Session, 'lines'>,
  { takesRealMoney }: Pick<PaymentProcessor, 'takesRealMoney'>,
): boolean {
  return takesRealMoney && lines.some(({ demo }) => demo);
}

/** What is paid once; a token pays one time. */
export function canBeCharged({ lines }: Pick<Session, 'lines'>): boolean {
  return hasSingleBillingInterval(lines) && lines.every(({ cadence }) => cadence === 'one_time' || cadence === 'free');
}

/**
 * What a repetition of a request is told whose payment was begun and whose answer was never stored; `undefined` if nobody works on it
 * any more, so that it is taken up again.
 */
function alreadyBegun(
  { session, order }: { readonly session: Session; readonly order: Order | undefined },
  attempt: string,
  write: WriteSession,
  nowMs: number,
): Result<SessionAnswer> | undefined {
  if (session.state === 'completed') return ok({ ...write(session, order), isReplay: true });
  // A message said that this payment failed; what came after it belongs to others.
  if (session.state !== 'charging' || session.attempt !== attempt)
    return refuse('payment_declined', 'The processor declined the payment. Nothing was charged.');
  if (nowMs >= session.updatedAtMs + CHARGE_LEASE_MS) return undefined;
  return refuse('request_in_flight', 'The request with this Idempotency-Key has begun and is not answered yet.');
}

/** Stores what a charge came to. If its message came first, the session is completed or open already. */
async function settle(
  charge: ChargeOutcome | NothingDue,
  charging: Session,
  key: UsedKey,
  write: WriteSession,
  { store, clock, randomness }: CheckoutDependencies,
): Promise<Result<SessionAnswer>> {
  const nowMs = clock.nowMs();
  if (charge.kind === 'pending')
    return refuse('request_in_flight', 'The payment has begun; the session is completed once the processor tells that it is settled.');
  if (charge.kind === 'declined' || charge.kind === 'unavailable') {
    const reason = charge.kind === 'declined' ? charge.reason : 'processor_unavailable';
    const open: Session = { ...charging, state: 'open', revision: charging.revision + 1, updatedAtMs: nowMs };
    const log = [{ kind: 'payment_declined', atMs: nowMs, detail: { reason } }];
    const detail = `The processor declined the payment: ${reason}.`;
    // A key whose payment was declined stays that of its body: the processor refuses another one under it. One without effect is free again.
    const kept = charge.kind === 'declined' ? { answer: answerUnder(key, DECLINED, detail, nowMs) } : { releaseIdempotencyKey: key.slot };
    const stored = await store
      .apply({ session: open, isNew: false, log, counts: [], notify: undefined, nowMs, ...kept })
      .catch(() => undefined);
    if (stored === undefined) return notKnown();
    const paid = stored.applied ? undefined : await completedMeanwhile(charging, write, store, nowMs);
    if (paid !== undefined) return paid;
    return charge.kind === 'declined'
      ? refuse('payment_declined', detail)
      : refuse('processor_unavailable', 'The processor took no payment, and nothing was charged. The session is open as before.');
  }
  if (charge.kind === 'paid' && (charge.amountMinor !== charging.totalMinor || charge.currency.toUpperCase() !== charging.currency))
    throw new TypeError('the processor charged another amount than it was asked to');
  const reference = charge.kind === 'paid' ? charge.paymentReference : undefined;
  const step = completion(charging, { reference, by: 'agent' }, randomness, nowMs);
  const { status, body } = write(step.session, step.order);
  const stored = await store.apply({ ...step, answer: answerUnder(key, status, body, nowMs), nowMs }).catch(() => undefined);
  if (stored === undefined) return notKnown();
  if (stored.applied) return ok({ status, body, isReplay: false });
  return (await completedMeanwhile(charging, write, store, nowMs)) ?? notKnown();
}

/** The session as it was completed by somebody else, if it was. */
async function completedMeanwhile(
  { id }: Session,
  write: WriteSession,
  store: CheckoutDependencies['store'],
  nowMs: number,
): Promise<Result<SessionAnswer> | undefined> {
  const meanwhile = await store.look(undefined, id, nowMs).catch(() => undefined);
  if (meanwhile?.session?.state !== 'completed') return undefined;
  return ok({ ...write(meanwhile.session, meanwhile.order), isReplay: false });
}
