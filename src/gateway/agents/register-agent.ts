import { fromHex, sha256Hex, toHex } from '../../provenance/bytes.ts';
import { canonicalDigest } from '../../provenance/digest.ts';
import type { Registration, RegistrationRequest, Scope } from '../../schemas/agents/registration.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { IntakePolicy } from '../../schemas/publisher.ts';
import { keyConflict, keyExpiry } from '../idempotency/bind-idempotency-key.ts';
import { takeQuota, usedUp } from '../limits/take-quota.ts';
import type { Clock, Quotas, QuotaTaken, Randomness, RegistrationClaims, RegistrationRecord, Standing } from '../ports.ts';
import { ok, type Refusal, type Result, reached, refuse } from '../result.ts';
import type { AgentRecord, AgentStore } from './agent-ports.ts';
import { encodePayload, issuedKey, type KeyPayload, keyExpiresAtMs, keyIdOf, type Mint, minuteOf } from './api-key.ts';
import { type ChallengedAgent, redeemChallenge, usedOnce } from './challenge.ts';
import { offeredScopes } from './scopes.ts';

/** What registration needs. */
export interface RegistrationDependencies extends Mint {
  readonly intake: IntakePolicy;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Where replays are kept; `undefined` when no database is bound. */
  readonly claims: RegistrationClaims | undefined;
  readonly quotas: Quotas | undefined;
  readonly registry: AgentRegistry;
  /** Network that the request comes from. */
  readonly network: string;
  /** Leading zero bits that a challenge of this network has. */
  readonly challengeBits: number;
  /** Set when the network has used up its registrations: why, and what counts those that a solved challenge lets through. */
  readonly overLimit?: { readonly refusal: Refusal; readonly takeSolved: () => Promise<Result<undefined>> } | undefined;
  /** Binds the idempotency key to the body of the request, or says that it belongs to another one. */
  readonly bindKey: () => Promise<Result<undefined>>;
  /** Work that goes on after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
}

/**
 * Registers an agent and mints its key. Without an idempotency key the answer waits for no database, unless the scope submit is asked
 * for; with one, a repetition of the same request within {@link LIMITS.idempotencyHours} hours gets the same key, minted again from
 * the stored payload.
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
    deps.defer(deps.registry.note(recordOf(payload.value, request, nowMs), deps.network, nowMs, standingOf(request, payload.value)));
    return ok(await issuedKey(encodePayload(payload.value), deps));
  }
  if (deps.claims === undefined)
    return refuse('not_configured', 'No database is bound, so an Idempotency-Key cannot be kept. Send the request without one.');
  return registerOnce(request, idempotencyKey, deps.claims, deps, nowMs);
}

/** A network that has used up its registrations goes on with solved challenges. */
async function passOverLimit(request: RegistrationRequest, deps: RegistrationDependencies, nowMs: number): Promise<Result<unknown>> {
  const { overLimit } = deps;
  if (overLimit === undefined) return ok(undefined);
  const { refusal } = overLimit;
  if (request.challenge === undefined)
    return {
      ok: false,
      refusal: { ...refusal, detail: `${refusal.detail} A registration with a solved challenge is let through at once.` },
    };
  const solved = await redeemChallenge(request.challenge, deps.challengeBits, deps.secrets, nowMs);
  return solved.ok ? overLimit.takeSolved() : solved;
}

const NOT_KEPT =
  'The registration could not be kept under its Idempotency-Key. Repeat the same request with the same key, or send it without one.';

/** A registration under an idempotency key. */
async function registerOnce(
  request: RegistrationRequest,
  idempotencyKey: string,
  claims: RegistrationClaims,
  deps: RegistrationDependencies,
  nowMs: number,
): Promise<Result<Registration>> {
  const [keySha256, bodySha256] = await Promise.all([sha256Hex(idempotencyKey), canonicalDigest(request)]);
  const given = await reached(claims.find(keySha256, nowMs), NOT_KEPT);
  if (!given.ok) return given;
  if (given.value) return repeated(given.value, bodySha256, deps);
  const payload = await newPayload(request, deps, nowMs, (agent) => takeRow(deps, nowMs, standingOf(request, agent)));
  if (!payload.ok) return payload;
  const bound = await reached(deps.bindKey(), NOT_KEPT);
  if (!bound.ok) return bound;
  if (!bound.value.ok) return bound.value;
  const record: RegistrationRecord = {
    bodySha256,
    keyPayload: toHex(encodePayload(payload.value)),
    agentName: request.agent_name,
    platform: request.platform,
    contact: request.contact,
    createdAtMs: nowMs,
    expiresAtMs: keyExpiry(nowMs),
  };
  const kept = await reached(claims.claim(keySha256, record, recordOf(payload.value, request, nowMs)), NOT_KEPT);
  return kept.ok ? repeated(kept.value, bodySha256, deps) : kept;
}

/** Room for what a registration under an idempotency key leaves in the database. */
async function takeRow(
  { registry, quotas, network }: RegistrationDependencies,
  nowMs: number,
  standing: Standing,
): Promise<Result<unknown>> {
  const row = await reached(registry.takeRow(network, nowMs, quotas, standing), NOT_KEPT);
  return !row.ok || row.value.allowed ? row : usedUp('registry', row.value, nowMs);
}

/** What the challenge of a registration is worth: it stands for one agent, so it lets one row through. */
function standingOf({ challenge }: RegistrationRequest, agent: Pick<ChallengedAgent, 'agent' | 'issuedMinute'>): Standing {
  return challenge === undefined ? {} : { solvedChallenge: usedOnce(agent) };
}

async function repeated(kept: RegistrationRecord, bodySha256: string, mint: Mint): Promise<Result<Registration>> {
  if (kept.bodySha256 !== bodySha256) return keyConflict();
  return ok(await issuedKey(fromHex(kept.keyPayload), mint));
}

/**
 * Payload of a new key: of a new agent, or of the one that a solved challenge stands for.
 *
 * @param beforeCounting Must succeed before the key is counted among those with the scope submit, so that none is counted in vain.
 */
async function newPayload(
  request: RegistrationRequest,
  deps: RegistrationDependencies,
  nowMs: number,
  beforeCounting: (agent: ChallengedAgent) => Promise<Result<unknown>> = async () => ok(undefined),
): Promise<Result<KeyPayload>> {
  const challenged = request.challenge ? await redeemChallenge(request.challenge, deps.challengeBits, deps.secrets, nowMs) : undefined;
  if (challenged?.ok === false) return challenged;
  const { agent, serial, issuedMinute } = challenged?.value ?? randomAgent(deps.randomness, nowMs);
  const scopes = await scopesFor(request, challenged !== undefined, deps, () => beforeCounting({ agent, serial, issuedMinute }));
  if (!scopes.ok) return scopes;
  return ok({ secretId: deps.secrets[0].id, agent, serial, issuedMinute, ttlDays: LIMITS.keyTtlDays, scopes: scopes.value });
}

/** Scopes that a request gets: what is not given here is left out, and the answer says which were given. */
async function scopesFor(
  request: RegistrationRequest,
  hasSolved: boolean,
  deps: RegistrationDependencies,
  beforeCounting: () => Promise<Result<unknown>>,
): Promise<Result<Scope[]>> {
  const wanted = new Set(request.scopes ?? []);
  const scopes = offeredScopes(deps.intake)
    .filter(({ scope, granted }) => granted === 'by_default' || (granted === 'on_request' && wanted.has(scope)))
    .map(({ scope }) => scope);
  if (!scopes.includes('submit')) {
    const room = await beforeCounting();
    return room.ok ? ok(scopes) : room;
  }
  if (!hasSolved)
    return refuse('challenge_required', 'The scope "submit" is given for a solved challenge. Send one, or leave the scope out.');
  if (deps.quotas === undefined)
    return refuse('not_configured', 'No database is bound, so keys with the scope "submit" cannot be counted.');
  const room = await beforeCounting();
  if (!room.ok) return room;
  const counted = await takeQuota(deps.quotas, 'submit_keys', deps.network, deps.clock);
  return counted.ok ? ok(scopes) : counted;
}

function randomAgent(randomness: Randomness, nowMs: number): ChallengedAgent {
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
    createdAtMs: nowMs,
    rotatedAtMs: undefined,
    granted: [],
    expiresAtMs: keyExpiresAtMs(payload),
  };
}

/** Networks whose quota is used up that one isolate remembers. */
const MAX_NETWORKS = 10_000;

/**
 * Writes who registered, at most as many rows for each network and hour as the quota `registry` allows. An isolate remembers which
 * networks have none left, so that a flood from one network does not ask the database again and again.
 */
export class AgentRegistry {
  readonly #store: Pick<AgentStore, 'add'> | undefined;
  readonly #quotas: Quotas | undefined;
  /** When the window of a network ends that has nothing left in it, the first remembered one first. */
  readonly #usedUp = new Map<string, number>();

  constructor(store: Pick<AgentStore, 'add'> | undefined, quotas: Quotas | undefined) {
    this.#store = store;
    this.#quotas = quotas;
  }

  /**
   * Takes one row of what a network has left, and of the budget of all, if there is any; `endsAtMs` is when there will be some again.
   *
   * @param quotas Where it is counted, for a request that tells what it took.
   * @throws If the database cannot be reached.
   */
  async takeRow(
    network: string,
    nowMs: number,
    quotas: Quotas | undefined = this.#quotas,
    standing?: Standing,
  ): Promise<Pick<QuotaTaken, 'allowed' | 'endsAtMs' | 'refusedBy'>> {
    const known = this.#usedUp.get(network);
    if (known !== undefined && nowMs < known) return { allowed: false, endsAtMs: known, refusedBy: 'quota' };
    this.#usedUp.delete(network);
    if (quotas === undefined) return { allowed: true, endsAtMs: nowMs };
    const taken = await quotas.take('registry', network, nowMs, standing);
    if (!taken.allowed && taken.refusedBy === 'quota') this.#remember(network, taken.endsAtMs);
    return taken;
  }

  /**
   * Writes a record, if a database is bound and there is a row left.
   *
   * @throws If the database cannot be reached; the record may have been written all the same.
   */
  async note(record: AgentRecord, network: string, nowMs: number, standing?: Standing): Promise<void> {
    if (this.#store === undefined) return;
    const { allowed } = await this.takeRow(network, nowMs, this.#quotas, standing);
    if (allowed) await this.#store.add(record);
  }

  #remember(network: string, endsAtMs: number): void {
    this.#usedUp.set(network, endsAtMs);
    const [oldest] = this.#usedUp.keys();
    if (this.#usedUp.size > MAX_NETWORKS && oldest !== undefined) this.#usedUp.delete(oldest);
  }
}
