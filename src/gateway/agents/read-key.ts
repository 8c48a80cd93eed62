import type { KeyDetails } from '../../schemas/agents/agent-keys.ts';
import type { IntakePolicy } from '../../schemas/publisher.ts';
import type { Clock } from '../ports.ts';
import { ok, type Result } from '../result.ts';
import type { AgentRecord, AgentStore } from './agent-ports.ts';
import { keyIdOf, type VerifiedKey } from './api-key.ts';
import { agentIdOf, isoSeconds } from './issued-key.ts';
import { keyRevoked } from './key-standing.ts';
import type { RevocationList } from './revocation-list.ts';
import { joinedScopes } from './scopes.ts';

/** What reading a key needs. */
export interface ReadKeyDependencies {
  readonly agents: Pick<AgentStore, 'standing'> | undefined;
  readonly clock: Clock;
  readonly deployment: { readonly intake: IntakePolicy };
  readonly revocations: Pick<RevocationList, 'add' | 'endOf' | 'names'>;
}

/**
 * What a key is, never the key. What the registry holds of its agent is left out if it cannot be read.
 *
 * @param degrade Notes that the registry could not be read.
 */
export async function readKey(
  { payload, expiresAtMs }: VerifiedKey,
  { agents, clock, deployment, revocations }: ReadKeyDependencies,
  degrade: (what: 'registry') => void,
): Promise<Result<KeyDetails>> {
  const standing = await agents?.standing(payload).catch(() => undefined);
  if (standing === undefined) degrade('registry');
  const nowMs = clock.nowMs();
  revocations.add(standing?.revocations ?? [], nowMs);
  if (revocations.names(payload, nowMs)) return keyRevoked(payload);
  const record = standing?.record;
  return ok({
    agent_id: agentIdOf(payload),
    key_id: keyIdOf(payload),
    scopes: joinedScopes(payload.scopes, record?.granted ?? [], deployment.intake),
    issued_at: isoSeconds(payload.issuedMinute * 60_000),
    expires_at: isoSeconds(Math.min(expiresAtMs, revocations.endOf(payload) ?? expiresAtMs)),
    agent: record ? describeAgent(record) : null,
  });
}

function describeAgent({ name, platform, contact, createdAtMs, rotatedAtMs }: AgentRecord): NonNullable<KeyDetails['agent']> {
  return {
    name,
    ...(platform === undefined ? {} : { platform }),
    ...(contact === undefined ? {} : { contact }),
    registered_at: isoSeconds(createdAtMs),
    ...(rotatedAtMs === undefined ? {} : { rotated_at: isoSeconds(rotatedAtMs) }),
  };
}
