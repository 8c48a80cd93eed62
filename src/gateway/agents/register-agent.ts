import { fromHex, sha256Hex, toHex } from '../../provenance/bytes-and-sha256.ts';
import { canonicalDigest } from '../../provenance/canonical-json.ts';
import type { Registration, RegistrationRequest } from '../../schemas/agents.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { IntakePolicy } from '../../schemas/publisher.ts';
import { CHALLENGE, errorEntry } from '../errors.ts';
import { keyConflict, keyExpiry } from '../idempotency/bind-idempotency-key.ts';
import { consumeQuota, usedUp } from '../limits/quotas.ts';
import { LruCache } from '../memory-caches.ts';
import type { BudgetAccess, Clock, Quotas, QuotaTaken, Randomness } from '../platform-ports.ts';
import { ok, type Refusal, type Result, reached, refuse } from '../result.ts';
import type { AgentRecord, AgentStore, KeyPayload, NamedKey, RegistrationRecord, RegistrationStore } from './agent-ports.ts';
import { encodePayload, issuedKey, keyExpiresAtMs, keyIdOf, type Mint, minuteOf } from './api-key.ts';
import { redeemChallenge, usedOnce } from './proof-of-work.ts';
import { offeredScopes } from './scopes.ts';

export interface RegistrationDependencies extends Mint {
  readonly intake: IntakePolicy;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly registrations: RegistrationStore | undefined;
  readonly quotas: Quotas | undefined;
  readonly registry: AgentRegistry;
  readonly network: string;
  readonly challengeBits: number;
  /** Set when the network has used up its registrations: the refusal, and the quota for solved challenges. */
  readonly overLimit?: { readonly refusal: Refusal; readonly takeSolved: () => Promise<Result<undefined>> } | undefined;
  /** Binds the idempotency key to the request body. Refuses a key that is bound to another body. */
  readonly bindKey: () => Promise<Result<undefined>>;
  readonly defer: (work: Promise<unknown>) => void;
}

/**
 * Registers an agent and mints its key. The response waits for the database only for the scope submit, or with an idempotency key: the same
 * request then returns the same key for {@link LIMITS.idempotencyHours} hours, minted again from the stored payload.
 */
export async function registerAgent(
  request: RegistrationRequest,
  idempotencyKey: string | undefined,
  deps: RegistrationDependencies,
): Promise<Result<Registration>> {
  const nowMs = deps.clock.nowMs();
  const admitted = await passOverLimit(request, deps, nowMs);
  if (!admitted.ok) return admitted;
  if (idempotencyKey === undefined) {
    const payload = await newPayload(request, deps, nowMs);
    if (!payload.ok) return payload;
    deps.defer(deps.registry.note(recordOf(payload.value, request, nowMs), deps.network, nowMs, accessOf(request, payload.value)));
    return ok(await issuedKey(encodePayload(payload.value), deps));
  }
  if (deps.registrations === undefined)
    return refuse('not_configured', 'No database is bound, so an Idempotency-Key cannot be stored. Omit it.');
  return registerOnce(request, idempotencyKey, deps.registrations, deps, nowMs);
}

async function passOverLimit(request: RegistrationRequest, deps: RegistrationDependencies, nowMs: number): Promise<Result<unknown>> {
  const { overLimit } = deps;
  if (overLimit === undefined) return ok(undefined);
  const { refusal } = overLimit;
  if (request.challenge === undefined)
    return {
      ok: false,
      refusal: {
        ...refusal,
        detail: `${refusal.detail} A registration with a solved challenge is accepted immediately.`,
        nextActions: [
          ...errorEntry(refusal.code).nextActions,
          { ...CHALLENGE, description: 'To register now, request a challenge and send its solution.' },
        ],
      },
    };
  const solved = await redeemChallenge(request.challenge, deps.challengeBits, deps.secrets, nowMs);
  return solved.ok ? overLimit.takeSolved() : solved;
}

const NOT_STORED = 'The registration could not be stored under its Idempotency-Key. Retry with the same key, or without one.';

async function registerOnce(
  request: RegistrationRequest,
  idempotencyKey: string,
  registrations: RegistrationStore,
  deps: RegistrationDependencies,
  nowMs: number,
): Promise<Result<Registration>> {
  const [keySha256, bodySha256] = await Promise.all([sha256Hex(idempotencyKey), canonicalDigest(request)]);
  const existing = await reached(registrations.find(keySha256, nowMs), NOT_STORED);
  if (!existing.ok) return existing;
  if (existing.value) return replayRegistration(existing.value, bodySha256, deps);
  const payload = await newPayload(request, deps, nowMs, (agent) => takeRow(deps, nowMs, accessOf(request, agent)));
  if (!payload.ok) return payload;
  const bound = await reached(deps.bindKey(), NOT_STORED);
  if (!bound.ok) return bound;
  if (!bound.value.ok) return bound.value;
  const record: RegistrationRecord = {
    bodySha256,
    keyPayload: toHex(encodePayload(payload.value)),
    createdAtMs: nowMs,
    expiresAtMs: keyExpiry(nowMs),
  };
  const stored = await reached(registrations.save(keySha256, record, recordOf(payload.value, request, nowMs)), NOT_STORED);
  return stored.ok ? replayRegistration(stored.value, bodySha256, deps) : stored;
}

async function takeRow(deps: RegistrationDependencies, nowMs: number, access: BudgetAccess): Promise<Result<unknown>> {
  const row = await reached(deps.registry.takeRow(deps.network, nowMs, deps.quotas, access), NOT_STORED);
  return !row.ok || row.value.allowed ? row : usedUp('registry', row.value, nowMs);
}

/** A challenge determines one agent, so it admits one row. */
function accessOf({ challenge }: RegistrationRequest, agent: Pick<NamedKey, 'agent' | 'issuedMinute'>): BudgetAccess {
  return challenge === undefined ? {} : { solvedChallenge: usedOnce(agent) };
}

async function replayRegistration(stored: RegistrationRecord, bodySha256: string, mint: Mint): Promise<Result<Registration>> {
  if (stored.bodySha256 !== bodySha256) return keyConflict();
  return ok(await issuedKey(fromHex(stored.keyPayload), mint));
}

/** @param beforeCounting Must succeed before a key with the scope submit is counted, so that none is counted in vain. */
async function newPayload(
  request: RegistrationRequest,
  deps: RegistrationDependencies,
  nowMs: number,
  beforeCounting: (agent: NamedKey) => Promise<Result<unknown>> = async () => ok(undefined),
): Promise<Result<KeyPayload>> {
  const challenged = request.challenge ? await redeemChallenge(request.challenge, deps.challengeBits, deps.secrets, nowMs) : undefined;
  if (challenged?.ok === false) return challenged;
  const { agent, serial, issuedMinute } = challenged?.value ?? randomAgent(deps.randomness, nowMs);
  const scopes = offeredScopes(deps.intake, deps.features)
    .filter(({ scope, granted }) => granted === 'by_default' || (granted === 'on_request' && request.scopes?.includes(scope)))
    .map(({ scope }) => scope);
  const canSubmit = scopes.includes('submit');
  if (canSubmit && challenged === undefined)
    return refuse('challenge_required', 'The scope "submit" requires a solved challenge. Send one, or omit the scope.');
  if (canSubmit && deps.quotas === undefined)
    return refuse('not_configured', 'No database is bound, so keys with the scope "submit" cannot be counted.');
  const room = await beforeCounting({ agent, serial, issuedMinute });
  if (!room.ok) return room;
  const counted = canSubmit && deps.quotas ? await consumeQuota(deps.quotas, 'submit_keys', deps.network, deps.clock) : ok(undefined);
  if (!counted.ok) return counted;
  const ttlDays = request.ttl_days ?? LIMITS.keyTtlDays;
  return ok({ secretId: deps.secrets[0].id, agent, serial, issuedMinute, ttlDays, scopes });
}

function randomAgent(randomness: Randomness, nowMs: number): NamedKey {
  const random = randomness.bytes(10);
  return {
    agent: toHex(random.subarray(0, 8)),
    serial: new DataView(random.buffer, random.byteOffset).getUint16(8),
    issuedMinute: minuteOf(nowMs),
  };
}

function recordOf(payload: KeyPayload, request: RegistrationRequest, nowMs: number): AgentRecord {
  return {
    agent: payload.agent,
    name: request.agent_name,
    platform: request.platform,
    contact: request.contact,
    keyId: keyIdOf(payload),
    keyScopes: payload.scopes,
    createdAtMs: nowMs,
    rotatedAtMs: undefined,
    granted: [],
    expiresAtMs: keyExpiresAtMs(payload),
  };
}

/** Stores registered agents within the quota `registry`. Networks without quota are remembered, so that a flood does not reach the database. */
export class AgentRegistry {
  readonly #store: Pick<AgentStore, 'add'> | undefined;
  readonly #quotas: Quotas | undefined;
  readonly #usedUp = new LruCache<string, number>(10_000);

  constructor(store: Pick<AgentStore, 'add'> | undefined, quotas: Quotas | undefined) {
    this.#store = store;
    this.#quotas = quotas;
  }

  /** Throws if the database cannot be reached. */
  async takeRow(
    network: string,
    nowMs: number,
    quotas: Quotas | undefined = this.#quotas,
    access?: BudgetAccess,
  ): Promise<Pick<QuotaTaken, 'allowed' | 'endsAtMs' | 'refusedBy'>> {
    const endsAtMs = this.#usedUp.get(network);
    if (endsAtMs !== undefined && nowMs < endsAtMs) return { allowed: false, endsAtMs, refusedBy: 'quota' };
    this.#usedUp.delete(network);
    if (quotas === undefined) return { allowed: true, endsAtMs: nowMs };
    const taken = await quotas.take('registry', network, nowMs, access);
    if (!taken.allowed && taken.refusedBy === 'quota') this.#usedUp.set(network, taken.endsAtMs);
    return taken;
  }

  /** Stores a record, if a database is bound and a row is left. If it throws, the record may still have been stored. */
  async note(record: AgentRecord, network: string, nowMs: number, access?: BudgetAccess): Promise<void> {
    if (this.#store === undefined) return;
    const { allowed } = await this.takeRow(network, nowMs, this.#quotas, access);
    if (allowed) await this.#store.add(record);
  }
}
