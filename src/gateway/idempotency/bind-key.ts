import { sha256Hex } from '../../provenance/bytes.ts';
import { canonicalDigest } from '../../provenance/digest.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { errorEntry, type ErrorCode } from '../errors.ts';
import type { IdempotencyRecord, IdempotencySlot } from '../intake/intake-ports.ts';
import { ok, type Refusal, type Result, refuse } from '../result.ts';

/*
 * One rule for the idempotency keys of every protocol: a key belongs to the body of the first request that was read as JSON and judged,
 * whether it was accepted or refused. The same body is judged again until it is accepted, and has the stored answer from then on; another
 * body is a conflict. Sources: UCP 2026-08-25, "Message Signatures", Replay Protection (a mismatched payload is rejected and never
 * executed; any change of the body takes a fresh key); ACP, rfc.agentic_checkout.md sections 6.2 to 6.5 (bodies are compared as JSON by
 * RFC 8785, a request after 5xx is a fresh one); draft-ietf-httpapi-idempotency-key-header-07 section 2.7 (a key with another payload is
 * an error).
 */

/** Status under which an idempotency record says that its key belongs to a body and has no answer to give again. */
export const KEY_BOUND = 1;

/** Caller of operations that need no API key. Their idempotency keys share one scope, so they have to be hard to guess. */
export const ANYBODY = 'anybody';

const HOUR_MS = 3_600_000;

/** Whose idempotency key it is, and which endpoint it counts for: the same key elsewhere is another key. */
export interface KeyScope {
  /** Agent or other owner of idempotency keys. */
  readonly caller: string;
  /** Operation id, and the resource where there is one. */
  readonly endpoint: string;
  /** What counts as part of the body without standing in it. */
  readonly besides?: Readonly<Record<string, unknown>>;
}

/** A request under an idempotency key, if it has one. */
export interface KeyedRequest extends KeyScope {
  readonly idempotencyKey: string | undefined;
  /** JSON body as it was sent. Two bodies are the same if their canonical forms are (RFC 8785): `null` is not what is absent. */
  readonly sentBody: unknown;
}

/** Where idempotency keys are bound. */
export interface KeyBindings {
  /**
   * Digest of the body that a key belongs to; `undefined` while it is free.
   *
   * @throws If the database cannot be reached.
   */
  readonly find: (slot: IdempotencySlot, nowMs: number) => Promise<string | undefined>;
  /**
   * Binds a key to a body, unless it is bound already.
   *
   * @param bodySha256 Digest of the body, in hexadecimal.
   * @returns The digest of the body that the key belongs to afterwards.
   * @throws If the database cannot be reached; the key may be bound all the same.
   */
  readonly bind: (slot: IdempotencySlot, bodySha256: string, nowMs: number, expiresAtMs: number) => Promise<string>;
}

/** The place in which the answer of a request is kept; none without an idempotency key. */
export async function slotOf({ caller, endpoint, idempotencyKey }: KeyedRequest): Promise<IdempotencySlot | undefined> {
  if (idempotencyKey === undefined) return undefined;
  return { caller, route: endpoint, keySha256: await sha256Hex(idempotencyKey) };
}

/** Digest of the body of a request, in hexadecimal. */
export async function bodyDigest({ sentBody, besides }: Pick<KeyedRequest, 'sentBody' | 'besides'>): Promise<string> {
  const counted = besides === undefined ? (sentBody ?? null) : [sentBody ?? null, besides];
  return (await canonicalDigest(counted)).slice('sha256:'.length);
}

/** When what is kept under an idempotency key expires, in milliseconds since the epoch. */
export function keyExpiry(nowMs: number): number {
  return nowMs + LIMITS.idempotencyHours * HOUR_MS;
}

/** What a key holds for a body: nothing while it is only bound to that body, which is then judged again. */
export function heldFor(given: IdempotencyRecord | undefined, bodySha256: string): IdempotencyRecord | undefined {
  return given?.status === KEY_BOUND && given.bodySha256 === bodySha256 ? undefined : given;
}

/** The refusal of a key that belongs to another body. */
export function keyConflict(what = 'a request with another body'): Result<never> {
  return refuse('idempotency_conflict', `This Idempotency-Key belongs to ${what}. Send that body again, or take a new key.`);
}

/**
 * Binds the key of a request to its body. Without a key there is nothing to bind.
 *
 * @returns The conflict, if the key belongs to another body.
 * @throws If the database cannot be reached.
 */
export async function bindKey(request: KeyedRequest, bindings: KeyBindings, nowMs: number): Promise<Result<undefined>> {
  const slot = await slotOf(request);
  if (slot === undefined) return ok(undefined);
  const bodySha256 = await bodyDigest(request);
  const bound = await bindings.bind(slot, bodySha256, nowMs, keyExpiry(nowMs));
  return bound === bodySha256 ? ok(undefined) : keyConflict();
}

/** Refusals of a request that is to be sent again as it is, with a solved challenge beside it. */
const WANTS_CHALLENGE: readonly ErrorCode[] = ['challenge_required', 'challenge_invalid'];

/**
 * Whether a refusal decides about a request, so that its key is bound. One that may be otherwise later decides nothing (limits, a challenge,
 * a payment under way, an outage), and a repetition of it is a fresh request.
 */
function isDecision({ code }: Pick<Refusal, 'code'>): boolean {
  return code !== 'idempotency_conflict' && errorEntry(code).retry !== 'later' && !WANTS_CHALLENGE.includes(code);
}

/**
 * The answer to a request under an idempotency key. If it was refused, its key is bound to its body, or the answer is that it is bound to
 * another one.
 *
 * @param refusal Why it was refused; `undefined` for an accepted request, whose operation has stored its answer.
 */
export async function answerUnderKey<T>(
  answered: Result<T>,
  refusal: Pick<Refusal, 'code'> | undefined,
  request: KeyedRequest,
  { keys, nowMs }: { readonly keys: KeyBindings | undefined; readonly nowMs: number },
): Promise<Result<T>> {
  if (refusal === undefined || !isDecision(refusal) || keys === undefined) return answered;
  // Nothing was done, so a refusal stays one where its key cannot be bound.
  const bound = await bindKey(request, keys, nowMs).catch(() => ok(undefined));
  return bound.ok ? answered : bound;
}
