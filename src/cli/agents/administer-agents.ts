import type { AgentRecord, NumberedRevocation } from '../../gateway/agents/agent-ports.ts';
import { readKeyId } from '../../gateway/agents/api-key.ts';
import { revocationForGood } from '../../gateway/agents/revocation.ts';
import { revokes } from '../../gateway/agents/revocation-list.ts';
import { agentStore } from '../../platform/d1/agent-store.ts';
import { agentById, agentOf, type AgentRow, changedGrant, newestAgents } from '../../platform/d1/agents.ts';
import type { Database } from '../../platform/d1/database.ts';
import { revocationOf, type RevocationRow, revocationsOf, revocationsOfNewestAgents } from '../../platform/d1/revocations.ts';
import { LIMITS, QUOTAS } from '../../schemas/limits.ts';
import { AgentId, Scope } from '../../schemas/agents/registration.ts';
import { BuildSettingError } from '../../build/deployment.ts';

/** What the publisher can do with agents. */
export type AgentTask =
  | { readonly name: 'list'; readonly limit: number }
  | { readonly name: 'show' | 'revoke'; readonly agent: string }
  | { readonly name: 'grant' | 'ungrant'; readonly agent: string; readonly scope: Scope };

const USAGE =
  'say what to do: npm run agents -- list, show <agent id>, grant <agent id> <scope>, ungrant <agent id> <scope>, or revoke <agent id>; with --remote at Cloudflare';

/**
 * What words on the command line ask for.
 *
 * @throws {BuildSettingError} If that is not clear.
 */
export function readAgentTask([name, id, scope, ...rest]: readonly string[], limit: string | undefined): AgentTask {
  if (name === 'list' && id === undefined) return { name, limit: readLimit(limit) };
  const isAboutOne = name === 'show' || name === 'revoke';
  const isGrant = name === 'grant' || name === 'ungrant';
  if ((!isAboutOne && !isGrant) || id === undefined || rest.length > 0 || (scope === undefined) === isGrant)
    throw new BuildSettingError(USAGE);
  if (!AgentId.safeParse(id).success) throw new BuildSettingError(`"${id}" is no agent id; it looks like agt_0123456789abcdef`);
  const agent = id.slice('agt_'.length);
  if (isAboutOne) return { name, agent };
  const granted = Scope.safeParse(scope);
  if (!isGrant || !granted.success || granted.data === 'read')
    throw new BuildSettingError(
      `"${scope}" cannot be granted; the scopes are submit, buy and metrics (every key has read unless its owner gave it up)`,
    );
  return { name, agent, scope: granted.data };
}

function readLimit(text = '50'): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
    throw new BuildSettingError(`--limit ${text} is not a number from 1 to 10000`);
  return limit;
}

/**
 * Does one task and gives the lines to show.
 *
 * @throws {BuildSettingError} If the registry does not hold the agent that a scope is to be granted to.
 */
export async function administerAgents(task: AgentTask, database: Database, nowMs: number): Promise<string[]> {
  switch (task.name) {
    case 'list': {
      const [agents, revoked] = await database.batch<unknown>([
        newestAgents(database, task.limit),
        revocationsOfNewestAgents(database, task.limit),
      ]);
      const records = ((agents?.results ?? []) as AgentRow[]).map(agentOf);
      const revocations = ((revoked?.results ?? []) as RevocationRow[]).map(revocationOf);
      if (records.length === 0) return ['the registry holds no agents'];
      return records.map((record) => `${summary(record)}${isShutOut(record, revocations, nowMs) ? '  revoked' : ''}`);
    }
    case 'show': {
      const [record, revocations] = await Promise.all([
        agentById(database, task.agent).first<AgentRow>(),
        revocationsOf(database, task.agent).all<RevocationRow>(),
      ]);
      return [
        ...(record === null ? [`agt_${task.agent} is not in the registry`] : description(agentOf(record))),
        ...revocations.results.map((row) => revocationLine(revocationOf(row), row.created_at_ms)),
      ];
    }
    case 'grant':
    case 'ungrant': {
      const row = await changedGrant(database, task.agent, task.scope, task.name === 'grant').first<AgentRow>();
      if (row === null) throw new BuildSettingError(`agt_${task.agent} ${NOT_IN_REGISTRY}`);
      return [summary(agentOf(row)), 'This counts from the next request on; the agent needs no new key.'];
    }
    case 'revoke':
      await agentStore(database).revoke(revocationForGood(task.agent, nowMs), nowMs);
      return [
        `agt_${task.agent}: every key of it is revoked`,
        `It is refused at once where something is changed, and everywhere within ${LIMITS.revocationMaxSeconds} seconds.`,
      ];
  }
}

const NOT_IN_REGISTRY = `is not in the registry, so nothing can be granted to it. An agent gets its row when it registers, unless its network has left ${QUOTAS.registry.requests} in that hour already or the database did not answer then; the row goes when the newest key has expired. A registration with an Idempotency-Key is not answered without a row: let the agent register anew with one, and grant the scope to its new id`;

/** Whether the newest key of an agent is refused: it has nothing left to get another one with. */
function isShutOut({ keyId }: AgentRecord, revocations: readonly NumberedRevocation[], nowMs: number): boolean {
  const newest = readKeyId(keyId);
  return newest !== undefined && revocations.some((revocation) => revokes(revocation, newest, nowMs));
}

/** One line for a list. What agents said of themselves is quoted: it is theirs. */
function summary({ agent, name, platform, granted, createdAtMs }: AgentRecord): string {
  const scopes = granted.length === 0 ? '' : `  granted: ${granted.join(', ')}`;
  return `agt_${agent}  ${minute(createdAtMs)}  ${JSON.stringify(name)}${platform === undefined ? '' : ` on ${JSON.stringify(platform)}`}${scopes}`;
}

function description(record: AgentRecord): string[] {
  const { agent, name, platform, contact, keyId, createdAtMs, rotatedAtMs, granted, expiresAtMs } = record;
  return [
    `agt_${agent}`,
    `  name        ${JSON.stringify(name)}`,
    ...(platform === undefined ? [] : [`  platform    ${JSON.stringify(platform)}`]),
    ...(contact === undefined ? [] : [`  contact     ${JSON.stringify(contact)}`]),
    `  registered  ${minute(createdAtMs)}`,
    ...(rotatedAtMs === undefined ? [] : [`  rotated     ${minute(rotatedAtMs)}`]),
    `  newest key  ${keyId}, until ${minute(expiresAtMs)}`,
    `  granted     ${granted.length === 0 ? 'nothing besides the scopes of its keys' : granted.join(', ')}`,
  ];
}

function revocationLine({ serial, issuedMinute, effectiveAtMs }: NumberedRevocation, createdAtMs: number): string {
  const which =
    serial === undefined
      ? effectsAll(issuedMinute, createdAtMs)
        ? 'all keys'
        : `all keys issued until ${minute(issuedMinute * 60_000)}`
      : `the key ${serial.toString(16).padStart(4, '0')} of ${minute(issuedMinute * 60_000)}`;
  return `  revoked     ${which}, ${effectiveAtMs <= createdAtMs ? 'at once' : `from ${minute(effectiveAtMs)} on`}, stored ${minute(createdAtMs)}`;
}

/** Whether a revocation reaches so far ahead of its making that it means every key there is. */
function effectsAll(issuedMinute: number, createdAtMs: number): boolean {
  return issuedMinute * 60_000 > createdAtMs + LIMITS.keyTtlDays * 86_400_000;
}

function minute(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
