import { bodyDigest, heldFor, type KeyedRequest, keyConflict, keyExpiry, slotOf } from '../../idempotency/bind-key.ts';
import type { IdempotencyRecord } from '../../intake/intake-ports.ts';
import { outage, ok, type Refusal, type Result, refuse } from '../../result.ts';
import { IN_FLIGHT, type KnownSession, type OrderStore, type SessionChange } from '../orders/order-ports.ts';
import type { Order } from '../orders/order.ts';
import type { Session } from './session.ts';

/** Status and body of an answer, as a protocol writes them. */
export interface SessionAnswer {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  /** Whether it was given before, under the same idempotency key. */
  readonly isReplay: boolean;
  /** Why nothing was done, where a protocol says so in a session or in place of one. */
  readonly refusal?: Refusal;
}

/** Writes a session, and its order where there is one, in the form of a protocol. */
export type WriteSession = (session: Session, order: Order | undefined) => { readonly status: number; readonly body: string };

/** A step before it is stored: what changes, and what follows from it. */
export type SessionStep = Omit<SessionChange, 'answer' | 'nowMs'>;

/** Status under which an idempotency record says that a payment was declined; its response is the detail of that refusal. */
export const DECLINED = 402;

/** How often a step is tried again when another one came before it. */
const ATTEMPTS_MAX = 4;

/** What was answered before under the same key, or why the key cannot be used again. */
export function replayed(given: IdempotencyRecord, bodySha256: string): Result<SessionAnswer> {
  if (given.bodySha256 !== bodySha256) return keyConflict();
  if (given.status === IN_FLIGHT)
    return refuse('request_in_flight', 'The request with this Idempotency-Key has begun and is not answered yet.');
  if (given.status === DECLINED) return refuse('payment_declined', given.response, { headers: { 'Idempotent-Replayed': 'true' } });
  return ok({ status: given.status, body: given.response, isReplay: true });
}

/** The refusal of a step that may have been stored all the same. */
export function notKnown(): Result<never> {
  return outage(
    'state_unavailable',
    'It is not known whether the change was stored. Repeat the same request with the same Idempotency-Key.',
  );
}

/**
 * Changes a session by one step, once for each idempotency key, however often and however much at the same time it is asked for.
 *
 * @param sessionId Session that is changed; `undefined` for a new one.
 * @param step Works out the change from what is stored; called again if another change came first.
 */
export async function changeSession(
  request: KeyedRequest,
  sessionId: string | undefined,
  step: (known: KnownSession) => Promise<Result<SessionStep>>,
  write: WriteSession,
  deps: { readonly store: OrderStore; readonly nowMs: number },
): Promise<Result<SessionAnswer>> {
  const { store, nowMs } = deps;
  const slot = await slotOf(request);
  const bodySha256 = await bodyDigest(request);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const known = await store.look(slot, sessionId, nowMs).catch(() => undefined);
    if (known === undefined) return outage('state_unavailable', 'The database did not answer; nothing was changed.');
    const held = heldFor(known.given, bodySha256);
    if (held !== undefined) return replayed(held, bodySha256);
    const next = await step(known);
    if (!next.ok) {
      // The same request may have been stored in the meantime by a repetition.
      const meanwhile = slot && (await store.look(slot, undefined, nowMs).catch(() => undefined));
      const heldMeanwhile = heldFor(meanwhile?.given, bodySha256);
      return heldMeanwhile === undefined ? next : replayed(heldMeanwhile, bodySha256);
    }
    const { status, body } = write(next.value.session, next.value.order);
    const given = { bodySha256, status, response: body };
    const stored = await store
      .apply({ ...next.value, nowMs, ...(slot === undefined ? {} : { answer: { slot, given, expiresAtMs: keyExpiry(nowMs) } }) })
      .catch(() => undefined);
    if (stored === undefined) return notKnown();
    if (stored.applied) return ok({ status, body, isReplay: false });
    const heldNow = heldFor(stored.given, bodySha256);
    if (heldNow !== undefined) return replayed(heldNow, bodySha256);
  }
  return refuse('request_in_flight', 'Other changes of the session came first, again and again.');
}
