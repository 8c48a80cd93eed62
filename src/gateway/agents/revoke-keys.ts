import type { RevokedKeys, RevokeRequest } from '../../schemas/agents/agent-keys.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { takeQuota } from '../limits/take-quota.ts';
import type { Clock, Quotas } from '../ports.ts';
import { ok, type Result, reached, refuse } from '../result.ts';
import type { AgentStore, Revocation } from './agent-ports.ts';
import {
  agentIdOf,
  CLOCK_SKEW_MINUTES,
  isoSeconds,
  type KeyPayload,
  keyExpiresAtMs,
  keyIdOf,
  minuteOf,
  type VerifiedKey,
} from './api-key.ts';
import type { RevocationList } from './revocation-list.ts';

/** What changes of keys need. */
export interface KeyChangeDependencies {
  readonly clock: Clock;
  readonly agents: AgentStore | undefined;
  readonly quotas: Quotas | undefined;
  readonly revocations: RevocationList;
  /** Network that the request comes from. */
  readonly network: string;
}

/** Clocks may differ by twice the skew that is allowed for: one goes ahead, another one behind. */
const SKEW_MS = 2 * CLOCK_SKEW_MINUTES * 60_000;

/**
 * The revocation of one key.
 *
 * @param effectiveAtMs When the key stops working; 0 for at once. A time of this machine's clock is as exact as clocks agree, and
 *   fits the end of an overlap. At once is no time, so that no clock that is behind keeps a key alive.
 */
export function revocationOfKey(payload: KeyPayload, effectiveAtMs: number): Revocation {
  const { agent, serial, issuedMinute, isRaised } = payload;
  // The days of a sold key follow from its offer, which may give it more of them later.
  const ttlDays = isRaised ? LIMITS.keyTtlDays : payload.ttlDays;
  return { agent, serial, issuedMinute, effectiveAtMs, expiresAtMs: keyExpiresAtMs({ issuedMinute, ttlDays }) + SKEW_MS };
}

/** The last minute that a key's payload can name. */
const LAST_MINUTE = 0xffff_ffff;

/**
 * The publisher's revocation of an agent: every key of it, whenever it was issued, so that the clock of the machine that sends it does
 * not matter. It is kept a day longer than any key can live.
 */
export function revocationForGood(agent: string, nowMs: number): Revocation {
  const lastMs = keyExpiresAtMs({ issuedMinute: minuteOf(nowMs), ttlDays: LIMITS.keyTtlDays + 1 });
  return { agent, serial: undefined, issuedMinute: LAST_MINUTE, effectiveAtMs: 0, expiresAtMs: lastMs + SKEW_MS };
}

/**
 * The revocation of every key that an agent was issued until now. A key that another machine issued just before may bear a minute
 * that is still to come here: it is meant too. An agent gets further keys only by a key that it has, so none is met by mistake.
 */
export function revocationOfAgent(agent: string, nowMs: number, ttlDays: number = LIMITS.keyTtlDays): Revocation {
  const issuedMinute = minuteOf(nowMs) + CLOCK_SKEW_MINUTES;
  return {
    agent,
    serial: undefined,
    issuedMinute,
    effectiveAtMs: 0,
    expiresAtMs: keyExpiresAtMs({ issuedMinute, ttlDays }) + SKEW_MS,
  };
}

/**
 * Revokes the key that was sent, or every key of its agent. Here it is refused from the answer on. A revocation that failed can be
 * repeated: storing one twice is storing it once.
 */
export async function revokeKeys(
  { keys }: RevokeRequest,
  { payload }: VerifiedKey,
  { agents, quotas, clock, network, revocations }: KeyChangeDependencies,
): Promise<Result<RevokedKeys>> {
  if (agents === undefined || quotas === undefined)
    return refuse('not_configured', 'No database is bound, so a revocation cannot be stored.');
  const nowMs = clock.nowMs();
  const own = await takeQuota(quotas, 'own_revocations', payload.agent, clock);
  const counted = own.ok ? own : await takeQuota(quotas, 'revocations', network, clock);
  if (!counted.ok) return counted;
  const revocation =
    keys === 'this' ? revocationOfKey(payload, 0) : revocationOfAgent(payload.agent, nowMs, Math.max(LIMITS.keyTtlDays, payload.ttlDays));
  const stored = await reached(
    agents.revoke(revocation, nowMs),
    'The revocation could not be stored. Repeat the request until it is answered.',
  );
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
