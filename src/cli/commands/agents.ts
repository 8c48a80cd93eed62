import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import { withDatabase } from '../../build/local/database.ts';
import { UserError } from '../../build/user-error.ts';
import type { AgentRecord, NumberedRevocation } from '../../gateway/agents/agent-ports.ts';
import { readKeyId } from '../../gateway/agents/api-key.ts';
import { revokes } from '../../gateway/agents/revocation-list.ts';
import { revocationForGood } from '../../gateway/agents/revoke-keys.ts';
import { agentStore } from '../../platform/d1/agent-store.ts';
import {
  agentById,
  agentOf,
  newestAgents,
  revocationOf,
  revocationsOfAgent,
  revocationsOfNewestAgents,
  setGrant,
} from '../../platform/d1/agents.ts';
import { type Database, type Row, readFirst } from '../../platform/d1/database.ts';
import { AgentId } from '../../schemas/agents/registration.ts';
import { LIMITS, QUOTAS } from '../../schemas/limits.ts';
import { defineCommand, examples, wholeNumber } from '../define-command.ts';

/** Scopes that a publisher grants. Every key has `read` unless its owner gave it up. */
const GRANTABLE_SCOPES = ['submit', 'buy', 'metrics'] as const;
type GrantableScope = (typeof GRANTABLE_SCOPES)[number];

export const command = defineCommand()
  .description('List registered agents, grant scopes to them and revoke their keys.')
  .option('--remote', 'use the database at Cloudflare instead of the local one')
  .addHelpText('after', examples('npm run agents -- list', 'npm run agents -- grant agt_0123456789abcdef submit --remote'));

const agentArgument = new Argument('<agent>', 'agent id, such as agt_0123456789abcdef').argParser((text) => {
  if (!AgentId.safeParse(text).success) throw new InvalidArgumentError('An agent id looks like agt_0123456789abcdef.');
  return text.slice('agt_'.length);
});
const scopeArgument = new Argument('<scope>').choices(GRANTABLE_SCOPES);

command
  .command('list')
  .description('list the newest agents')
  .option('--limit <agents>', 'most agents to list', wholeNumber(1, 10_000), 50)
  .action(({ limit }) => run({ name: 'list', limit }));
command
  .command('show')
  .description('print an agent and its revocations')
  .addArgument(agentArgument)
  .action((agent) => run({ name: 'show', agent }));
command
  .command('grant')
  .description('grant a scope to an agent')
  .addArgument(agentArgument)
  .addArgument(scopeArgument)
  .action((agent, scope) => run({ name: 'grant', agent, scope }));
command
  .command('ungrant')
  .description('withdraw a scope from an agent')
  .addArgument(agentArgument)
  .addArgument(scopeArgument)
  .action((agent, scope) => run({ name: 'ungrant', agent, scope }));
command
  .command('revoke')
  .description('revoke every key of an agent')
  .addArgument(agentArgument)
  .action((agent) => run({ name: 'revoke', agent }));

async function run(task: AgentTask): Promise<void> {
  const place = command.opts().remote ? 'remote' : 'local';
  const lines = await withDatabase(process.cwd(), place, (database) => administerAgents(task, database, Date.now()));
  for (const line of lines) console.log(line);
}

/** What a publisher can do with agents. `agent` is an id without its prefix `agt_`. */
export type AgentTask =
  | { readonly name: 'list'; readonly limit: number }
  | { readonly name: 'show' | 'revoke'; readonly agent: string }
  | { readonly name: 'grant' | 'ungrant'; readonly agent: string; readonly scope: GrantableScope };

/**
 * Runs a task and returns the lines to print.
 *
 * @throws {UserError} If the registry does not hold the agent that a scope is to be granted to.
 */
export async function administerAgents(task: AgentTask, database: Database, nowMs: number): Promise<string[]> {
  switch (task.name) {
    case 'list': {
      const [agents, revoked] = await database.batch<Row>([
        newestAgents(database, task.limit),
        revocationsOfNewestAgents(database, task.limit),
      ]);
      const records = (agents?.results ?? []).map(agentOf);
      const revocations = (revoked?.results ?? []).map(revocationOf);
      if (records.length === 0) return ['No agents are registered.'];
      return records.map((record) => `${summary(record)}${hasNoValidKey(record, revocations, nowMs) ? '  revoked' : ''}`);
    }
    case 'show': {
      const [record, revocations] = await Promise.all([
        readFirst(agentById(database, task.agent), agentOf),
        revocationsOfAgent(database, task.agent).all<Row>(),
      ]);
      return [
        ...(record === undefined ? [`agt_${task.agent} is not in the registry`] : description(record)),
        ...revocations.results.map(revocationOf).map((revocation) => revocationLine(revocation, revocation.createdAtMs)),
      ];
    }
    case 'grant':
    case 'ungrant': {
      const record = await readFirst(setGrant(database, task.agent, task.scope, task.name === 'grant'), agentOf);
      if (record === undefined) throw new UserError(`agt_${task.agent} ${NOT_IN_REGISTRY}`);
      return [summary(record), 'It applies from the next request; the agent needs no new key.'];
    }
    case 'revoke':
      await agentStore(database).revoke(revocationForGood(task.agent, nowMs), nowMs);
      return [
        `agt_${task.agent}: all its keys are revoked`,
        `Operations that change something refuse them at once, all others within ${LIMITS.revocationMaxSeconds} seconds.`,
      ];
  }
}

const NOT_IN_REGISTRY = `is not in the registry, so nothing can be granted to it. An agent gets its row when it registers, unless its network has left ${QUOTAS.registry.requests} in that hour already or the database did not answer then; the row goes when the newest key has expired. A registration with an Idempotency-Key is not answered without a row: let the agent register anew with one, and grant the scope to its new id`;

/** Whether the newest key of an agent is revoked: the agent cannot get another one. */
function hasNoValidKey({ keyId }: AgentRecord, revocations: readonly NumberedRevocation[], nowMs: number): boolean {
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
    `  granted     ${granted.length === 0 ? 'no scopes besides those of its keys' : granted.join(', ')}`,
  ];
}

function revocationLine({ serial, issuedMinute, effectiveAtMs }: NumberedRevocation, createdAtMs: number): string {
  const which =
    serial === undefined
      ? revokesAllKeys(issuedMinute, createdAtMs)
        ? 'all keys'
        : `all keys issued until ${minute(issuedMinute * 60_000)}`
      : `the key ${serial.toString(16).padStart(4, '0')} of ${minute(issuedMinute * 60_000)}`;
  return `  revoked     ${which}, ${effectiveAtMs <= createdAtMs ? 'at once' : `from ${minute(effectiveAtMs)} on`}, stored ${minute(createdAtMs)}`;
}

/** Whether a revocation reaches so far ahead of its making that it means every key there is. */
function revokesAllKeys(issuedMinute: number, createdAtMs: number): boolean {
  return issuedMinute * 60_000 > createdAtMs + LIMITS.keyTtlDays * 86_400_000;
}

function minute(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
