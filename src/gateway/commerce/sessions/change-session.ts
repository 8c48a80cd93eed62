import {
  bodyDigest,
  decidingRecord,
  type IdempotencyRecord,
  IN_FLIGHT,
  idempotencyKeyOf,
  type KeyedRequest,
  keyConflict,
  keyExpiry,
} from '../../idempotency/bind-idempotency-key.ts';
import { ok, outage, type Refusal, type Result, refuse } from '../../result.ts';
import type { Order, OrderStore, SessionStep, StoredSession } from '../orders/order-ports.ts';
import type { Session } from './session.ts';

/** Status and body of a response, as a protocol writes them. */
export interface SessionResponse {
  readonly status: number;
  readonly body: string;
  /** Whether it is replayed under the same idempotency key. */
  readonly isReplay: boolean;
  /** Why nothing was done, for protocols that report it in a session. */
  readonly refusal?: Refusal;
}

/** Writes a session, with its order if it has one, in the form of a protocol. */
export type WriteSession = (session: Session, order: Order | undefined) => { readonly status: number; readonly body: string };

/** Status of an idempotency record whose payment was declined; its response is the refusal's detail. */
export const DECLINED = 402;

const ATTEMPTS_MAX = 4;

/** The response in an idempotency record, or why the key cannot be used again. */
export function replayRecord(record: IdempotencyRecord, bodySha256: string): Result<SessionResponse> {
  if (record.bodySha256 !== bodySha256) return keyConflict();
  if (record.status === IN_FLIGHT) return requestInFlight();
  if (record.status === DECLINED) return refuse('payment_declined', record.response, { headers: { 'Idempotent-Replayed': 'true' } });
  return ok({ status: record.status, body: record.response, isReplay: true });
}

/** The refusal of a request while another one with the same idempotency key is under way. */
export function requestInFlight(): Result<never> {
  return refuse('request_in_flight', 'Another request with this Idempotency-Key is still being processed.');
}

/** The refusal of a step whose outcome is unknown. */
export function outcomeUnknown(): Result<never> {
  return outage('state_unavailable', 'The outcome of the change is unknown. Retry with the same Idempotency-Key.');
}

/**
 * Changes a session by one step, once for each idempotency key, however many concurrent requests repeat it.
 *
 * @param sessionId Session to change; `undefined` for a new one.
 * @param step Computes the change from the stored state; called again after a conflict.
 */
export async function changeSession(
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
    if (stored === undefined) return outage('state_unavailable', 'The database did not respond; nothing was changed.');
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
