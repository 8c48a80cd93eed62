import { databaseCommand, runOnDatabase, type TaskRunner } from '../database-command.ts';
import { examples } from '../define-command.ts';
import { acceptProposal, listProposalLines, rejectProposal, reopenProposal, showProposal } from '../intake/decide-proposal.ts';

const PROPOSAL = ['<proposal>', 'number of the proposal, or a receipt for it'] as const;

/** The command `intake`. */
export function intakeCommand(run: TaskRunner) {
  const { command, onDatabase } = databaseCommand(run);
  command
    .description('Review what agents propose: new capsules and corrections.')
    .addHelpText('after', examples('npm run intake -- list', 'npm run intake -- show 4', 'npm run intake -- accept 4 --as http-caching'));
  command
    .command('list')
    .description('list pending proposals')
    .option('--all', 'list decided proposals too')
    .action(({ all = false }) => onDatabase((database, { nowMs }) => listProposalLines(database, all, nowMs)));
  command
    .command('show')
    .description('print a proposal in full')
    .argument(...PROPOSAL)
    .action((name) => onDatabase((database) => showProposal(database, name)));
  command
    .command('accept')
    .description('write a proposal into content/')
    .argument(...PROPOSAL)
    .option('--as <id>', 'another id for a proposed capsule')
    .action((name, { as }) => onDatabase((database, context) => acceptProposal(database, name, as, context)));
  command
    .command('reject')
    .description('reject a proposal')
    .argument(...PROPOSAL)
    .requiredOption('--reason <text>', 'why, in one line; the agent reads it')
    .action((name, { reason }) => onDatabase((database, { nowMs }) => rejectProposal(database, name, reason, nowMs)));
  command
    .command('reopen')
    .description('undo a decision')
    .argument(...PROPOSAL)
    .action((name) => onDatabase((database, { root }) => reopenProposal(database, name, root)));
  return command;
}

export const command = intakeCommand(runOnDatabase);
