import { outage, ok, type Result, refuse } from '../result.ts';
import {
  answerExpiry,
  bodyDigest,
  notKnown,
  replayed,
  type SessionAnswer,
  type SessionRequest,
  slotOf,
  type WriteSession,
} from './change-session.ts';
import { type CheckoutDependencies, openSession, ownSession } from './checkout-sessions.ts';
import { completion } from './make-order.ts';
import { type ChargeOutcome, IN_FLIGHT, type KnownSession } from './order-ports.ts';
import { hasOneRhythm } from './price-cart.ts';
import type { Session } from './session.ts';

/**
 * How long a payment may be under way before a repetition of its request asks the processor again, in milliseconds: longer than a
 * request to it can take.
 */
const CHARGE_LEASE_MS = 60_000;

/**
 * Pays a session with a shared payment token. The charge is claimed in the database first, with the idempotency key, so that two
 * requests never charge both; the processor gets an idempotency key of its own that follows from the session and its revision, so that
 * a repetition after a crash finds the same charge. What the processor did and this service did not hear of comes with its message.
 */
export async function completeSession(
  request: SessionRequest & { readonly idempotencyKey: string },
  id: string,
  token: string,
  owner: string,
  write: WriteSession,
  deps: CheckoutDependencies,
): Promise<Result<SessionAnswer>> {
  const { store, clock, processor } = deps;
  const slot = await slotOf(request);
  if (slot === undefined) throw new TypeError('a payment needs an idempotency key');
  const bodySha256 = await bodyDigest(request);
  const inFlight = { slot, given: { bodySha256, status: IN_FLIGHT, response: '' }, expiresAtMs: answerExpiry(clock.nowMs()) };
  const known = await store.look(slot, id, clock.nowMs()).catch(() => undefined);
  if (known === undefined) return outage('state_unavailable', 'The database did not answer; nothing was charged.');
  const again = known.given && (isForgotten(known, bodySha256, owner, clock.nowMs()) ? undefined : replayed(known.given, bodySha256));
  if (again !== undefined) return again;
  const mine = known.given === undefined ? openSession(known, owner, clock.nowMs()) : ownCharging(known, owner);
  if (!mine.ok) return mine;
  if (processor === undefined) return refuse('payment_unsupported', 'The session is paid on the hosted checkout at its continue_url.');
  const before = mine.value;
  if (!canBeCharged(before))
    return refuse('payment_unsupported', 'What is paid again every month or year is bought on the hosted checkout at continue_url.');
  const nowMs = clock.nowMs();
  const charging: Session = { ...before, state: 'charging', revision: before.revision + 1, updatedAtMs: nowMs };
  const claimed = await store
    .apply({
      session: charging,
      isNew: false,
      answer: inFlight,
      log: [{ kind: 'payment_started', atMs: nowMs, detail: { total_minor: before.totalMinor } }],
      counts: [],
      notify: undefined,
      nowMs,
    })
    .catch(() => undefined);
  if (claimed === undefined) return notKnown();
  if (!claimed.applied)
    return claimed.given ? replayed(claimed.given, bodySha256) : refuse('request_in_flight', 'Another change of the session came first.');
  let charge: ChargeOutcome;
  try {
    charge = await processor.charge({
      sessionId: id,
      token,
      amountMinor: charging.totalMinor,
      currency: charging.currency,
      // The same for every repetition of this request, and another one for the next attempt to pay.
      idempotencyKey: `${id}-${slot.keySha256.slice(0, 32)}`,
    });
  } catch {
    return refuse(
      'processor_unavailable',
      'The processor did not answer. The same request with the same Idempotency-Key finds out what it did.',
      {
        retryAfterSeconds: CHARGE_LEASE_MS / 1_000,
      },
    );
  }
  return settle(charge, charging, { slot, bodySha256 }, write, deps);
}

/** What is paid once; a token pays one time. */
function canBeCharged({ lines }: Session): boolean {
  return hasOneRhythm(lines) && lines.every(({ cadence }) => cadence === 'one_time' || cadence === 'free');
}

/** Whether a payment of the same request was begun so long ago that nobody works on it any more. */
function isForgotten({ given, session }: KnownSession, bodySha256: string, owner: string, nowMs: number): boolean {
  return (
    given?.status === IN_FLIGHT &&
    given.bodySha256 === bodySha256 &&
    session?.owner === owner &&
    session.state === 'charging' &&
    nowMs >= session.updatedAtMs + CHARGE_LEASE_MS
  );
}

function ownCharging(known: KnownSession, owner: string): Result<Session> {
  const own = ownSession(known, owner);
  return own.ok ? ok(own.value.session) : own;
}

/** Stores what a charge came to. If its message came first, the session is completed already. */
async function settle(
  charge: ChargeOutcome,
  charging: Session,
  key: { readonly slot: NonNullable<Awaited<ReturnType<typeof slotOf>>>; readonly bodySha256: string },
  write: WriteSession,
  { store, clock, randomness }: CheckoutDependencies,
): Promise<Result<SessionAnswer>> {
  const nowMs = clock.nowMs();
  if (charge.kind === 'pending') {
    return refuse('request_in_flight', 'The payment has begun; the session is completed once the processor tells that it is settled.');
  }
  if (charge.kind === 'paid' && (charge.amountMinor !== charging.totalMinor || charge.currency.toUpperCase() !== charging.currency))
    throw new TypeError('the processor charged another amount than it was asked to');
  const answered = (status: number, body: string) => ({
    slot: key.slot,
    given: { bodySha256: key.bodySha256, status, response: body },
    expiresAtMs: answerExpiry(nowMs),
  });
  if (charge.kind === 'declined') {
    const open: Session = { ...charging, state: 'open', revision: charging.revision + 1, updatedAtMs: nowMs };
    const log = [{ kind: 'payment_declined', atMs: nowMs, detail: { reason: charge.reason } }];
    // The same request again gets the same refusal, from the processor, which keeps it under its own key.
    const stored = await store
      .apply({ session: open, isNew: false, log, counts: [], notify: undefined, nowMs, freesKey: key.slot })
      .catch(() => undefined);
    return stored === undefined ? notKnown() : refuse('payment_declined', `The processor declined the payment: ${charge.reason}.`);
  }
  const step = completion(charging, { reference: charge.paymentReference, by: 'agent' }, randomness, nowMs);
  const { status, body } = write(step.session, step.order);
  const stored = await store.apply({ ...step, answer: answered(status, body), nowMs }).catch(() => undefined);
  if (stored === undefined) return notKnown();
  if (stored.applied) return ok({ status, body, isReplay: false });
  const meanwhile = await store.look(undefined, charging.id, nowMs).catch(() => undefined);
  if (meanwhile?.session?.state !== 'completed') return notKnown();
  const late = write(meanwhile.session, meanwhile.order);
  return ok({ ...late, isReplay: false });
}
