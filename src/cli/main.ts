import { existsSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { engineVersion } from '../build/engine-package.ts';
import { UserError } from '../publication/content-problem.ts';
import { PUBLISHER_FILE } from '../publication/read-publisher.ts';
import { defineCommand, describeFailure } from './define-command.ts';

/** Every command, in the order of the help. */
const COMMANDS: readonly {
  readonly name: string;
  readonly summary: string;
  /** Whether it signs what it builds, with the private key in `LINEAGE_KEY`. */
  readonly signs?: true;
  readonly runsAnywhere?: true;
  /** Loaded on demand: some commands load the simulators of Cloudflare, which takes seconds. */
  readonly load: () => Promise<{ readonly command: CommandUnknownOpts }>;
}[] = [
  { name: 'init', summary: 'write a new publication into a folder', runsAnywhere: true, load: () => import('./commands/init.ts') },
  { name: 'upgrade', summary: 'adapt a publication to a newer engine', load: () => import('./commands/upgrade.ts') },
  {
    name: 'start',
    summary: 'build the site if needed and serve it on this machine',
    signs: true,
    load: () => import('./commands/start.ts'),
  },
  { name: 'dev', summary: 'serve the publication while you write, with previews', load: () => import('./commands/dev.ts') },
  { name: 'build', summary: 'build the site for deployment', signs: true, load: () => import('./commands/build.ts') },
  { name: 'setup', summary: 'prepare the account at Cloudflare', load: () => import('./commands/setup.ts') },
  { name: 'deploy', summary: 'build the site, put it online and check it', signs: true, load: () => import('./commands/deploy.ts') },
  { name: 'doctor', summary: 'check settings, account and site', load: () => import('./commands/doctor.ts') },
  { name: 'backup', summary: 'save database and blocks into a file', load: () => import('./commands/backup.ts') },
  { name: 'publish', summary: 'write the blocks of the newest build to KV', load: () => import('./commands/publish.ts') },
  { name: 'restore', summary: 'restore what was published, or a backup', load: () => import('./commands/restore.ts') },
  { name: 'deploy-companion', summary: 'deploy the companion Worker', load: () => import('./commands/deploy-companion.ts') },
  { name: 'check', summary: 'check the files in content/', load: () => import('./commands/check.ts') },
  { name: 'new', summary: 'create a capsule or an offer to fill in', load: () => import('./commands/new.ts') },
  { name: 'import', summary: 'import texts from another site, repository or vault', load: () => import('./commands/import.ts') },
  { name: 'strings', summary: 'write the file in which the interface is translated', load: () => import('./commands/strings.ts') },
  { name: 'revise', summary: 'freeze a version of a capsule and begin the next', load: () => import('./commands/revise.ts') },
  { name: 'rename', summary: 'give a capsule or an offer another id', load: () => import('./commands/rename.ts') },
  { name: 'take-down', summary: 'remove a published capsule for good; a tombstone stays', load: () => import('./commands/take-down.ts') },
  { name: 'eval', summary: 'ask your own questions, and see which are answered', load: () => import('./commands/eval.ts') },
  { name: 'new-key', summary: 'create or retire a signing key', load: () => import('./commands/new-key.ts') },
  { name: 'intake', summary: 'review proposals of agents', load: () => import('./commands/intake.ts') },
  { name: 'agents', summary: 'list agents, grant scopes and revoke keys', load: () => import('./commands/agents.ts') },
  { name: 'orders', summary: 'list and reconcile orders', load: () => import('./commands/orders.ts') },
  { name: 'insights', summary: 'show what was asked, and what found no answer', load: () => import('./commands/insights.ts') },
  { name: 'audit', summary: 'list what was done here and in the dashboard', load: () => import('./commands/audit.ts') },
  { name: 'verify', summary: 'verify a proof, a bundle or a whole site', runsAnywhere: true, load: () => import('./commands/verify.ts') },
];

const requested = process.argv.slice(2, 4);
const called = process.argv.slice(2).find((word) => !word.startsWith('-'));
const { signs = false, runsAnywhere = false } = COMMANDS.find(({ name }) => name === called) ?? {};
// Programs that other commands run, such as wrangler and workerd, must not inherit the private key.
if (!signs) delete process.env['LINEAGE_KEY'];
const program = defineCommand()
  .name('akg')
  .description('Publish knowledge capsules and offers to people and to AI agents.')
  .version(await engineVersion(), '-V, --version', 'print the version of the engine');
for (const { name, summary, load } of COMMANDS) {
  const command = requested.includes(name) ? (await load()).command : defineCommand();
  program.addCommand(
    command
      .name(name)
      .summary(summary)
      .description(command.description() || `${summary}.`),
  );
}
program.hook('preAction', () => {
  // Elsewhere, commands would leave stores and secrets in the folder before they fail.
  if (!runsAnywhere && !existsSync(PUBLISHER_FILE))
    throw new UserError(
      `${process.cwd()} has no ${PUBLISHER_FILE}: go to the folder of your publication, or write one with "akg init <folder>"`,
    );
});
// A reader that has enough, such as "head", closes the pipe.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
try {
  await program.parseAsync();
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
