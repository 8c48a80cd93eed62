import type { AgentRecord } from '../gateway/agents/agent-ports.ts';
import { readKeyId } from '../gateway/agents/api-key.ts';
import { revocationForGood } from '../gateway/agents/change-keys.ts';
import { revokes } from '../gateway/agents/revocation-list.ts';
import {
  agentById,
  agentOf,
  agentStore,
  newestAgents,
  revocationOf,
  revocationsOfAgent,
  revocationsOfNewestAgents,
  setGrant,
} from '../platform/d1/agent-store.ts';
import { type Database, type Row, readAll, readFirst } from '../platform/d1/database.ts';
import { AgentId } from '../schemas/agents.ts';
import { LIMITS, QUOTAS } from '../schemas/limits.ts';
import { DAY_MS } from '../schemas/time.ts';
import { minuteText } from '../text/terminal-safe-text.ts';
import { ActionError } from './action-error.ts';

/** Scopes that a publisher grants. Every key has `read` unless its owner dropped it. */
export const GRANTABLE_SCOPES = ['submit', 'buy', 'metrics'] as const;
export type GrantableScope = (typeof GRANTABLE_SCOPES)[number];

/** The id of an agent as it is stored. @throws {ActionError} If the text is no id. */
export function readAgentId(text: string): string {
  if (!AgentId.safeParse(text).success) throw new ActionError('An agent id looks like agt_0123456789abcdef.');
  return text.slice('agt_'.length);
}

/** The newest agents. `isRevoked`: the newest key is revoked, so the agent cannot get another. */
export async function readAgents(database: Database, limit: number, nowMs: number): Promise<(AgentRecord & { isRevoked: boolean })[]> {
  const [agents, revoked] = await database.batch<Row>([newestAgents(database, limit), revocationsOfNewestAgents(database, limit)]);
  const revocations = (revoked?.results ?? []).map(revocationOf);
  return (agents?.results ?? []).map(agentOf).map((record) => {
    const newest = readKeyId(record.keyId);
    return { ...record, isRevoked: newest !== undefined && revocations.some((revocation) => revokes(revocation, newest, nowMs)) };
  });
}

export async function listAgents(database: Database, limit: number, nowMs: number): Promise<string[]> {
  const records = await readAgents(database, limit, nowMs);
  if (records.length === 0) return ['No agents are registered.'];
  return records.map((record) => `${summary(record)}${record.isRevoked ? '  revoked' : ''}`);
}

export async function showAgent(database: Database, agent: string): Promise<string[]> {
  const [record, revocations] = await Promise.all([
    readFirst(agentById(database, agent), agentOf),
    readAll(revocationsOfAgent(database, agent), revocationOf),
  ]);
  if (record === undefined && revocations.length === 0)
    throw new ActionError(`agt_${agent} is not in the registry; "agents list" names those that are`);
  return [...(record === undefined ? [`agt_${agent} is not in the registry`] : description(record)), ...revocations.map(revocationLine)];
}

export async function changeGrant(database: Database, agent: string, scope: GrantableScope, isGranted: boolean): Promise<string[]> {
  const record = await readFirst(setGrant(database, agent, scope, isGranted), agentOf);
  if (record === undefined) throw new ActionError(`agt_${agent} ${NOT_IN_REGISTRY}`);
  return [summary(record), 'The change applies from the next request; the agent keeps its key.'];
}

export async function revokeAgent(database: Database, agent: string, nowMs: number): Promise<string[]> {
  await agentStore(database).revoke(revocationForGood(agent, nowMs), nowMs);
  return [
    `agt_${agent}: all its keys are revoked`,
    `Operations that change something refuse them at once, all others within ${LIMITS.revocationMaxSeconds} seconds.`,
  ];
}

const NOT_IN_REGISTRY = `is not in the registry, so its scopes cannot change. An agent has no row if its network registered more than ${QUOTAS.registry.requests} agents in that hour, if the database failed then, or if its newest key has expired. Let it register again with an Idempotency-Key, which requires a row, and grant the scope to the new id`;

function summary({ agent, name, platform, granted, createdAtMs }: AgentRecord): string {
  const scopes = granted.length === 0 ? '' : `  granted: ${granted.join(', ')}`;
  return `agt_${agent}  ${minuteText(createdAtMs)}  ${JSON.stringify(name)}${platform === undefined ? '' : ` on ${JSON.stringify(platform)}`}${scopes}`;
}

function description(record: AgentRecord): string[] {
  const { agent, name, platform, contact, keyId, createdAtMs, rotatedAtMs, granted, expiresAtMs } = record;
  return [
    `agt_${agent}`,
    `  name        ${JSON.stringify(name)}`,
    ...(platform === undefined ? [] : [`  platform    ${JSON.stringify(platform)}`]),
    ...(contact === undefined ? [] : [`  contact     ${JSON.stringify(contact)}`]),
    `  registered  ${minuteText(createdAtMs)}`,
    ...(rotatedAtMs === undefined ? [] : [`  rotated     ${minuteText(rotatedAtMs)}`]),
    `  newest key  ${keyId}, until ${minuteText(expiresAtMs)}`,
    `  granted     ${granted.length === 0 ? 'no scopes beyond those of its keys' : granted.join(', ')}`,
  ];
}

function revocationLine({ serial, issuedMinute, effectiveAtMs, createdAtMs }: ReturnType<typeof revocationOf>): string {
  const issued = minuteText(issuedMinute * 60_000);
  const areAll = issuedMinute * 60_000 > createdAtMs + LIMITS.keyTtlDays * DAY_MS;
  const ofAgent = areAll ? 'all keys' : `all keys issued until ${issued}`;
  const which = serial === undefined ? ofAgent : `the key ${serial.toString(16).padStart(4, '0')} of ${issued}`;
  return `  revoked     ${which}, ${effectiveAtMs <= createdAtMs ? 'at once' : `from ${minuteText(effectiveAtMs)} on`}, stored ${minuteText(createdAtMs)}`;
}
