import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import { canonicalDigest } from '../../provenance/canonical-json.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { HOUR_MS } from '../../schemas/time.ts';
import { type ErrorCode, errorEntry } from '../errors.ts';
import type { IdempotencyKey, IdempotencyRecord, KeyBindings } from '../platform-ports.ts';
import { ok, type Refusal, type Result, refuse } from '../result.ts';

/**
 * One rule for the idempotency keys of all protocols: a key is bound to the body of the first request under it that was decided. The same body is
 * decided again until it is accepted, and replayed from then on; another body is a conflict. Sources: UCP 2026-08-25, "Message Signatures", Replay
 * Protection; ACP, rfc.agentic_checkout.md sections 6.2 to 6.5; draft-ietf-httpapi-idempotency-key-header-07 section 2.7.
 */

/** Status of an idempotency record whose key is bound to a body without a response to replay. */
export const KEY_BOUND = 1;

export const IN_FLIGHT = 0;

/** Caller of operations without an API key. Their idempotency keys share one scope, so they must be hard to guess. */
export const ANYBODY = 'anybody';

/** Owner and endpoint of an idempotency key: the same key elsewhere is another key. */
export interface KeyScope {
  readonly caller: string;
  /** Operation id, with the resource if there is one. */
  readonly endpoint: string;
  /** Values outside the body that are compared as part of it. */
  readonly context?: Readonly<Record<string, unknown>>;
}

export interface KeyedRequest extends KeyScope {
  readonly idempotencyKey: string | undefined;
  /** JSON body as sent. Bodies are compared in canonical form (RFC 8785): `null` differs from an absent member. */
  readonly sentBody: unknown;
}

export async function idempotencyKeyOf({ caller, endpoint, idempotencyKey }: KeyedRequest): Promise<IdempotencyKey | undefined> {
  if (idempotencyKey === undefined) return undefined;
  return { caller, route: endpoint, keySha256: await sha256Hex(idempotencyKey) };
}

export async function bodyDigest({ sentBody, context }: Pick<KeyedRequest, 'sentBody' | 'context'>): Promise<string> {
  const digested = context === undefined ? (sentBody ?? null) : [sentBody ?? null, context];
  return (await canonicalDigest(digested)).slice('sha256:'.length);
}

export function keyExpiry(nowMs: number): number {
  return nowMs + LIMITS.idempotencyHours * HOUR_MS;
}

/** The record that determines the response to a request; none while the key is only bound to the same body. */
export function decidingRecord(record: IdempotencyRecord | undefined, bodySha256: string): IdempotencyRecord | undefined {
  return record?.status === KEY_BOUND && record.bodySha256 === bodySha256 ? undefined : record;
}

export function keyConflict(what = 'a request with another body'): Result<never> {
  return refuse('idempotency_conflict', `This Idempotency-Key belongs to ${what}. Send that body again, or use a new key.`);
}

/** Binds the key of a request, if it has one; a conflict if it is bound to another body. Throws if the database cannot be reached. */
export async function bindKey(request: KeyedRequest, bindings: KeyBindings, nowMs: number): Promise<Result<undefined>> {
  const key = await idempotencyKeyOf(request);
  if (key === undefined) return ok(undefined);
  const bodySha256 = await bodyDigest(request);
  const bound = await bindings.bind(key, bodySha256, nowMs, keyExpiry(nowMs));
  return bound === bodySha256 ? ok(undefined) : keyConflict();
}

/**
 * Final refusals that bind no key: a conflict, whose key belongs to another body, and those after which the same request is sent again with a
 * solved challenge. After a temporary refusal, which binds none either, a retry is a new request.
 */
const UNBOUND_REFUSALS: readonly ErrorCode[] = ['idempotency_conflict', 'challenge_required', 'challenge_invalid'];

/** The result of a request under an idempotency key. A final refusal binds the key to the request body, or becomes a conflict. */
export async function bindRefusedKey<T>(
  result: Result<T>,
  refusal: Pick<Refusal, 'code'> | undefined,
  request: KeyedRequest,
  { keys, nowMs }: { readonly keys: KeyBindings | undefined; readonly nowMs: number },
): Promise<Result<T>> {
  const isFinal = refusal !== undefined && errorEntry(refusal.code).retry !== 'later' && !UNBOUND_REFUSALS.includes(refusal.code);
  if (!isFinal || keys === undefined) return result;
  // Nothing was done, so the refusal is returned even if its key cannot be bound.
  const bound = await bindKey(request, keys, nowMs).catch(() => ok(undefined));
  return bound.ok ? result : bound;
}
