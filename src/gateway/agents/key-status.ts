import type { KeyDetails, Scope } from '../../schemas/agents.ts';
import type { IntakePolicy } from '../../schemas/publisher.ts';
import type { Clock } from '../ports.ts';
import { ok, type Result, reached, refuse } from '../result.ts';
import type { AgentRecord, AgentStore, KeyPayload } from './agent-ports.ts';
import { agentIdOf, isoSeconds, keyIdOf, type VerifiedKey } from './api-key.ts';
import { type RevocationList, revokes } from './revocation-list.ts';
import { joinedScopes } from './scopes.ts';

/** What confirming a key needs. */
export interface KeyStatusDependencies {
  readonly agents: AgentStore | undefined;
  readonly revocations: RevocationList;
}

interface Confirmation {
  readonly degrade: (what: 'revocations') => void;
  readonly defer: (work: Promise<unknown>) => void;
}

/** Confirms a verified key with this isolate's revocation list, for operations that only read: they continue while the database is down. */
export async function confirmByList(
  payload: KeyPayload,
  nowMs: number,
  { revocations }: KeyStatusDependencies,
  { degrade, defer }: Confirmation,
): Promise<Result<readonly Scope[]>> {
  const judgement = await revocations.judge(payload, nowMs, defer);
  if (judgement === 'revoked') return keyRevoked(payload);
  if (judgement === 'unknown') degrade('revocations');
  return ok(payload.scopes);
}

/**
 * Confirms a verified key with the database, for operations that change something.
 *
 * @returns Scopes of the key and those granted to its agent, which take effect immediately; see {@link joinedScopes}.
 */
export async function confirmByDatabase(
  payload: KeyPayload,
  nowMs: number,
  intake: IntakePolicy,
  { agents, revocations }: KeyStatusDependencies,
): Promise<Result<readonly Scope[]>> {
  if (revocations.names(payload, nowMs)) return keyRevoked(payload);
  if (agents === undefined)
    return refuse('not_configured', 'No database is bound, so revocations cannot be checked and nothing can be stored.');
  const standing = await reached(agents.standing(payload), 'Revocations cannot be checked at the moment, so nothing was done.');
  if (!standing.ok) return standing;
  revocations.add(standing.value.revocations, nowMs);
  if (standing.value.revocations.some((revocation) => revokes(revocation, payload, nowMs))) return keyRevoked(payload);
  return ok(joinedScopes(payload.scopes, standing.value.record?.granted ?? [], intake));
}

/** The refusal of a revoked key. */
export function keyRevoked(payload: KeyPayload): Result<never> {
  return refuse('api_key_revoked', `The key ${keyIdOf(payload)} was revoked.`);
}

/** What reading a key needs. */
export interface ReadKeyDependencies {
  readonly agents: Pick<AgentStore, 'standing'> | undefined;
  readonly clock: Clock;
  readonly deployment: { readonly intake: IntakePolicy };
  readonly revocations: Pick<RevocationList, 'add' | 'endOf' | 'names'>;
}

/** Details of a key, never the key itself. Registry data is omitted if it cannot be read. */
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
