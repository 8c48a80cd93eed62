import type { RevokedKeys, RevokeRequest } from '../../schemas/agents/agent-keys.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { takeQuota } from '../limits/take-quota.ts';
import { ok, reached, refuse, type Result } from '../result.ts';
import { keyIdOf, type VerifiedKey } from './api-key.ts';
import { agentIdOf, isoSeconds } from './issued-key.ts';
import { revocationOfAgent, revocationOfKey } from './revocation.ts';
import type { KeyChangeDependencies } from './rotate-key.ts';

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
