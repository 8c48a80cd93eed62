import { Argument } from '@commander-js/extra-typings';
import { changeGrant, GRANTABLE_SCOPES, listAgents, readAgentId, revokeAgent, showAgent } from '../../administration/agents.ts';
import { databaseCommand, runOnDatabase, type TaskRunner } from '../database-command.ts';
import { examples, readAsField, wholeNumber } from '../define-command.ts';

const agentArgument = new Argument('<agent>', 'agent id, such as agt_0123456789abcdef').argParser(readAsField(readAgentId));
const scopeArgument = new Argument('<scope>').choices(GRANTABLE_SCOPES);

export function agentsCommand(run: TaskRunner) {
  const { command, onDatabase, act } = databaseCommand(run);
  command
    .description('List registered agents, grant scopes to them and revoke their keys.')
    .addHelpText('after', examples('npm run agents -- list', 'npm run agents -- grant agt_0123456789abcdef submit --remote'));
  command
    .command('list')
    .description('list the newest agents')
    .option('--limit <agents>', 'most agents to list', wholeNumber(1, 10_000), 50)
    .action(({ limit }) => onDatabase((database, { nowMs }) => listAgents(database, limit, nowMs)));
  command
    .command('show')
    .description('print an agent and its revocations')
    .addArgument(agentArgument)
    .action((agent) => onDatabase((database) => showAgent(database, agent)));
  for (const [name, description] of [
    ['grant', 'grant a scope to an agent'],
    ['ungrant', 'withdraw a scope from an agent'],
  ] as const)
    command
      .command(name)
      .description(description)
      .addArgument(agentArgument)
      .addArgument(scopeArgument)
      .action((agent, scope) =>
        act(`agents ${name}`, `agt_${agent} ${scope}`, (database) => changeGrant(database, agent, scope, name === 'grant')),
      );
  command
    .command('revoke')
    .description('revoke every key of an agent')
    .addArgument(agentArgument)
    .action((agent) => act('agents revoke', `agt_${agent}`, (database, { nowMs }) => revokeAgent(database, agent, nowMs)));
  return command;
}

export const command = agentsCommand(runOnDatabase);
