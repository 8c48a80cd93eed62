import { withDatabase } from '../../build/local/database.ts';
import { defineCommand, examples } from '../define-command.ts';
import { administerIntake, type IntakeTask } from '../intake/administer-intake.ts';

const PROPOSAL = 'number of the proposal, or a receipt for it';

export const command = defineCommand()
  .description('Review what agents propose: new capsules and corrections.')
  .option('--remote', 'use the database at Cloudflare instead of the local one')
  .addHelpText('after', examples('npm run intake -- list', 'npm run intake -- show 4', 'npm run intake -- accept 4 --as http-caching'));

command
  .command('list')
  .description('list proposals that wait for a decision')
  .option('--all', 'list decided proposals too')
  .action(({ all = false }) => run({ action: 'list', all }));
command
  .command('show')
  .description('print a proposal in full')
  .argument('<proposal>', PROPOSAL)
  .action((name) => run({ action: 'show', name }));
command
  .command('accept')
  .description('write a proposal into content/')
  .argument('<proposal>', PROPOSAL)
  .option('--as <id>', 'another id for a proposed capsule')
  .action((name, { as }) => run({ action: 'accept', name, as }));
command
  .command('reject')
  .description('reject a proposal')
  .argument('<proposal>', PROPOSAL)
  .requiredOption('--reason <text>', 'why, in one line; the agent reads it')
  .action((name, { reason }) => run({ action: 'reject', name, reason }));
command
  .command('reopen')
  .description('undo a decision')
  .argument('<proposal>', PROPOSAL)
  .action((name) => run({ action: 'reopen', name }));

async function run(task: IntakeTask): Promise<void> {
  const context = { root: process.cwd(), nowMs: Date.now() };
  const place = command.opts().remote ? 'remote' : 'local';
  console.log(await withDatabase(context.root, place, (database) => administerIntake(task, database, context)));
}
