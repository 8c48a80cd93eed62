import { fromHex, sha256Hex, toHex } from '../../provenance/bytes-and-sha256.ts';
import type { RevokedKeys, RevokeRequest, RotatedKey, RotateRequest } from '../../schemas/agents.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { IntakePolicy } from '../../schemas/publisher.ts';
import { bodyDigest, type KeyedRequest, type KeyScope, keyConflict, keyExpiry } from '../idempotency/bind-idempotency-key.ts';
import { consumeQuota } from '../limits/quotas.ts';
import type { Clock, Quotas, Randomness } from '../platform-ports.ts';
import { ok, type Result, reached, refuse } from '../result.ts';
import type { AgentStore, HeldRotation, KeyPayload, Revocation, Rotation, RotationSlot } from './agent-ports.ts';
import {
  agentIdOf,
  CLOCK_SKEW_MINUTES,
  decodePayload,
  encodePayload,
  isoSeconds,
  issuedKey,
  keyExpiresAtMs,
  keyIdOf,
  type Mint,
  minuteOf,
  type VerifiedKey,
} from './api-key.ts';
import { REPLACED_AT_ONCE_MS, type RevocationList, revokes } from './revocation-list.ts';
import { refuseWithoutScope } from './scopes.ts';

interface KeyChangeDependencies {
  readonly clock: Clock;
  readonly agents: AgentStore;
  readonly quotas: Quotas;
  readonly revocations: RevocationList;
  readonly network: string;
}

/** Two clocks may differ by twice the allowed skew. */
const SKEW_MS = 2 * CLOCK_SKEW_MINUTES * 60_000;

/** @param effectiveAtMs When the key stops working; 0 or {@link REPLACED_AT_ONCE_MS} for immediately, so that no slow clock keeps it alive. */
export function revocationOfKey(payload: KeyPayload, effectiveAtMs: number): Revocation {
  const { agent, serial, issuedMinute, isRaised } = payload;
  // A sold key's lifetime follows from its offer, which may extend it later.
  const ttlDays = isRaised ? LIMITS.keyTtlDays : payload.ttlDays;
  return { agent, serial, issuedMinute, effectiveAtMs, expiresAtMs: keyExpiresAtMs({ issuedMinute, ttlDays }) + SKEW_MS };
}

const LAST_MINUTE = 0xffff_ffff;

/** The publisher's revocation of an agent: all its keys, whenever issued, until a day after the longest possible key has expired. */
export function revocationForGood(agent: string, nowMs: number): Revocation {
  const lastMs = keyExpiresAtMs({ issuedMinute: minuteOf(nowMs), ttlDays: LIMITS.keyTtlDays + 1 });
  return { agent, serial: undefined, issuedMinute: LAST_MINUTE, effectiveAtMs: 0, expiresAtMs: lastMs + SKEW_MS };
}

/** Revokes every key of an agent until now, including one that a machine with a fast clock just issued. New keys require an existing one. */
export function revocationOfAgent(agent: string, nowMs: number, ttlDays: number): Revocation {
  const revocation = { agent, serial: undefined, issuedMinute: minuteOf(nowMs) + CLOCK_SKEW_MINUTES, effectiveAtMs: 0 };
  return { ...revocation, expiresAtMs: keyExpiresAtMs({ ...revocation, ttlDays }) + SKEW_MS };
}

/** Revokes the presented key, or every key of its agent: here immediately. Retrying after a failure is safe. */
export async function revokeKeys(
  { keys }: RevokeRequest,
  { payload }: VerifiedKey,
  { agents, quotas, clock, network, revocations }: KeyChangeDependencies,
): Promise<Result<RevokedKeys>> {
  const nowMs = clock.nowMs();
  const own = await consumeQuota(quotas, 'own_revocations', payload.agent, clock);
  const counted = own.ok ? own : await consumeQuota(quotas, 'revocations', network, clock);
  if (!counted.ok) return counted;
  const revocation =
    keys === 'this' ? revocationOfKey(payload, 0) : revocationOfAgent(payload.agent, nowMs, Math.max(LIMITS.keyTtlDays, payload.ttlDays));
  const stored = await reached(agents.revoke(revocation, nowMs), 'The revocation could not be stored. Retry until it succeeds.');
  if (!stored.ok) return stored;
  revocations.add([revocation], nowMs);
  return ok({
    agent_id: agentIdOf(payload),
    key_id: keyIdOf(payload),
    revoked: keys,
    revoked_at: isoSeconds(nowMs),
    refused_everywhere_at: isoSeconds(nowMs + LIMITS.revocationMaxSeconds * 1_000),
  });
}

const ANOTHER_ROTATION = 'a rotation with another body, or of another key';

export function rotationKeyScope({ payload }: VerifiedKey): KeyScope {
  return { caller: payload.agent, endpoint: 'rotateKey', context: { key_id: keyIdOf(payload) } };
}

/**
 * Issues a new key with a full lifetime and the same or fewer scopes; the current one works until the overlap ends. A replaced key cannot be
 * rotated again, so a stolen old key never gives access to a later one; only the same request under its Idempotency-Key is repeated.
 */
export async function rotateKey(
  request: RotateRequest,
  key: VerifiedKey,
  { idempotencyKey, sentBody }: Pick<KeyedRequest, 'idempotencyKey' | 'sentBody'>,
  deps: KeyChangeDependencies & Mint & { readonly randomness: Randomness; readonly intake: IntakePolicy },
): Promise<Result<RotatedKey>> {
  const { agents, quotas } = deps;
  const { payload } = key;
  const foreign = request.scopes?.find((scope) => !payload.scopes.includes(scope));
  if (foreign !== undefined)
    return refuseWithoutScope(
      `The current key does not have the scope "${foreign}", and a rotation cannot add scopes.`,
      foreign,
      deps.intake,
      deps.features,
    );
  const nowMs = deps.clock.nowMs();
  const bodySha256 = await bodyDigest({ ...rotationKeyScope(key), sentBody });
  const slot = idempotencyKey === undefined ? undefined : await slotOf(payload.agent, idempotencyKey, nowMs);
  const unknown = notKnown(slot !== undefined, request.overlap_minutes);
  const existing = slot && (await reached(agents.findRotation(slot, nowMs), unknown));
  if (existing?.ok === false) return existing;
  if (existing?.value && existing.value.bodySha256 !== bodySha256) return keyConflict(ANOTHER_ROTATION);
  if (isRotation(existing?.value)) return rotatedKey(existing.value, payload, deps);
  // A working key that has an end time was rotated: revocations by its owner or the publisher have no overlap. Under an Idempotency-Key the
  // database decides, because the same request may have been processed in the meantime.
  if (slot === undefined && deps.revocations.endOf(payload) !== undefined) return replacedAlready(payload);
  const counted = await consumeQuota(quotas, 'revocations', deps.network, deps.clock);
  if (!counted.ok) return counted;
  const fresh = freshPayload(payload, request, deps, nowMs);
  const worksUntilMs = Math.min(nowMs + request.overlap_minutes * 60_000, keyExpiresAtMs(payload));
  const rotation: Rotation = { bodySha256, keyPayload: toHex(encodePayload(fresh)), worksUntilMs };
  const replaced = revocationOfKey(payload, request.overlap_minutes === 0 ? REPLACED_AT_ONCE_MS : worksUntilMs);
  const newKey = { keyId: keyIdOf(fresh), keyScopes: fresh.scopes, expiresAtMs: keyExpiresAtMs(fresh) };
  const stored = await reached(agents.rotate(rotation, replaced, newKey, slot, nowMs), unknown);
  if (!stored.ok) return stored;
  if (stored.value && stored.value.bodySha256 !== bodySha256) return keyConflict(ANOTHER_ROTATION);
  if (!isRotation(stored.value)) return replacedAlready(payload);
  if (stored.value.keyPayload === rotation.keyPayload) deps.revocations.add([replaced], nowMs);
  return rotatedKey(stored.value, payload, deps);
}

/**
 * The response to a rotation that ended the current key, repeated under its Idempotency-Key, so that a lost response does not lose the new key.
 *
 * @returns `undefined` if either key was revoked otherwise, or the database cannot be reached.
 */
export async function replayRotation(
  key: VerifiedKey,
  { idempotencyKey, sentBody }: Pick<KeyedRequest, 'idempotencyKey' | 'sentBody'>,
  deps: Mint & Pick<KeyChangeDependencies, 'clock'> & { readonly agents: AgentStore | undefined },
): Promise<Result<RotatedKey> | undefined> {
  const { agents } = deps;
  if (agents === undefined || idempotencyKey === undefined) return undefined;
  const nowMs = deps.clock.nowMs();
  const slot = await slotOf(key.payload.agent, idempotencyKey, nowMs);
  const held = await agents.findRotation(slot, nowMs).catch(() => undefined);
  if (!isRotation(held) || held.worksUntilMs > nowMs) return undefined;
  if (held.bodySha256 !== (await bodyDigest({ ...rotationKeyScope(key), sentBody }))) return undefined;
  const fresh = decodePayload(fromHex(held.keyPayload));
  const status = fresh && (await agents.status(fresh).catch(() => undefined));
  if (fresh === undefined || status === undefined) return undefined;
  return status.revocations.some((revocation) => revokes(revocation, fresh, nowMs)) ? undefined : rotatedKey(held, key.payload, deps);
}

function isRotation(held: HeldRotation | undefined): held is Rotation {
  return held?.keyPayload !== undefined;
}

function notKnown(isRepeatable: boolean, overlapMinutes: number): string {
  const present = overlapMinutes > 0 ? ' The current key works at least until the overlap ends.' : '';
  const next = isRepeatable
    ? 'Retry with the same Idempotency-Key.'
    : 'Retry; if the response is api_key_replaced, the new key is lost: revoke all keys of the agent while this one works, and register again. An Idempotency-Key avoids this.';
  return `It is not known whether the rotation was stored.${present} ${next}`;
}

function replacedAlready(payload: KeyPayload): Result<never> {
  return refuse('api_key_replaced', `The key ${keyIdOf(payload)} was already replaced by a rotation.`);
}

async function slotOf(agent: string, idempotencyKey: string, nowMs: number): Promise<RotationSlot> {
  return { agent, keySha256: await sha256Hex(idempotencyKey), expiresAtMs: keyExpiry(nowMs) };
}

async function rotatedKey(stored: Rotation, replaced: KeyPayload, mint: Mint): Promise<Result<RotatedKey>> {
  return ok({
    ...(await issuedKey(fromHex(stored.keyPayload), mint)),
    previous_key: { key_id: keyIdOf(replaced), works_until: isoSeconds(stored.worksUntilMs) },
  });
}

function daysLeft(payload: KeyPayload, nowMinute: number): number {
  const minutes = keyExpiresAtMs(payload) / 60_000 - nowMinute;
  return Math.min(payload.ttlDays, Math.max(1, Math.ceil(minutes / 1_440)));
}

function freshPayload(
  payload: KeyPayload,
  { scopes }: RotateRequest,
  { randomness, revocations, secrets }: KeyChangeDependencies & Mint & { readonly randomness: Randomness },
  nowMs: number,
): KeyPayload {
  const random = randomness.bytes(2);
  const issuedMinute = minuteOf(nowMs);
  let serial = new DataView(random.buffer, random.byteOffset).getUint16(0);
  const isTaken = (): boolean =>
    (serial === payload.serial && issuedMinute === payload.issuedMinute) ||
    revocations.names({ agent: payload.agent, serial, issuedMinute }, Number.POSITIVE_INFINITY);
  for (let tries = 0; tries < 0xffff && isTaken(); tries += 1) serial = (serial + 1) & 0xffff;
  return {
    secretId: secrets[0].id,
    agent: payload.agent,
    serial,
    issuedMinute,
    // A sold key keeps its expiry.
    ttlDays: payload.isRaised ? daysLeft(payload, issuedMinute) : Math.min(payload.ttlDays, LIMITS.keyTtlDays),
    scopes: scopes ?? payload.scopes,
    ...(payload.isRaised ? { isRaised: true as const } : {}),
  };
}
