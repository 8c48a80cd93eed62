import type { RevokedKeys, RevokeRequest } from '../../schemas/agents.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { consumeQuota } from '../limits/consume-quota.ts';
import type { Clock, Quotas } from '../ports.ts';
import { ok, type Result, reached } from '../result.ts';
import type { AgentStore, KeyPayload, Revocation } from './agent-ports.ts';
import { agentIdOf, CLOCK_SKEW_MINUTES, isoSeconds, keyExpiresAtMs, keyIdOf, minuteOf, type VerifiedKey } from './api-key.ts';
import type { RevocationList } from './revocation-list.ts';

/** What revoking and rotating keys need. */
export interface KeyChangeDependencies {
  readonly clock: Clock;
  readonly agents: AgentStore;
  readonly quotas: Quotas;
  readonly revocations: RevocationList;
  readonly network: string;
}

/** Two clocks may differ by twice the allowed skew. */
const SKEW_MS = 2 * CLOCK_SKEW_MINUTES * 60_000;

/**
 * The revocation of one key.
 *
 * @param effectiveAtMs When the key stops working; 0 for immediately, so that no slow clock keeps it alive.
 */
export function revocationOfKey(payload: KeyPayload, effectiveAtMs: number): Revocation {
  const { agent, serial, issuedMinute, isRaised } = payload;
  // A sold key's lifetime follows from its offer, which may extend it later.
  const ttlDays = isRaised ? LIMITS.keyTtlDays : payload.ttlDays;
  return { agent, serial, issuedMinute, effectiveAtMs, expiresAtMs: keyExpiresAtMs({ issuedMinute, ttlDays }) + SKEW_MS };
}

const LAST_MINUTE = 0xffff_ffff;

/**
 * The publisher's revocation of an agent: all its keys, whenever issued, so the sender's clock does not matter. Kept a day longer than any
 * key can live.
 */
export function revocationForGood(agent: string, nowMs: number): Revocation {
  const lastMs = keyExpiresAtMs({ issuedMinute: minuteOf(nowMs), ttlDays: LIMITS.keyTtlDays + 1 });
  return { agent, serial: undefined, issuedMinute: LAST_MINUTE, effectiveAtMs: 0, expiresAtMs: lastMs + SKEW_MS };
}

/**
 * The revocation of every key issued to an agent until now, including a key that a machine with a fast clock just issued. New keys require
 * an existing one, so no valid key is affected.
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

/** Revokes the presented key, or every key of its agent. It is refused here immediately. Retrying after a failure is safe. */
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
