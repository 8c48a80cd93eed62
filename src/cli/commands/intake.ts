import { parseArgs } from 'node:util';
import { withDatabase } from '../../build/local/database.ts';
import { BuildSettingError } from '../../build/deployment.ts';
import { describeFailure } from '../../build/describe-failure.ts';
import { administerIntake, type IntakeCommand } from '../intake/administer-intake.ts';

const USAGE =
  'say what to do: npm run intake -- list [--all], show <number or receipt>, accept <…> [--as <id>], reject <…> --reason "…", or reopen <…>; with --remote for the database at Cloudflare';

function commandOf(positionals: readonly string[], values: { all: boolean; as?: string; reason?: string }): IntakeCommand {
  const [action, name = '', ...rest] = positionals;
  const isNamed = name !== '' && rest.length === 0;
  if (action === 'list' && name === '') return { action, all: values.all };
  if ((action === 'show' || action === 'reopen') && isNamed) return { action, name };
  if (action === 'accept' && isNamed) return { action, name, as: values.as };
  if (action === 'reject' && isNamed) return { action, name, reason: values.reason ?? '' };
  throw new BuildSettingError(USAGE);
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      remote: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      as: { type: 'string' },
      reason: { type: 'string' },
    },
  });
  const command = commandOf(positionals, values);
  const desk = { root: process.cwd(), nowMs: Date.now() };
  console.log(await withDatabase(desk.root, values.remote ? 'remote' : 'local', (database) => administerIntake(command, database, desk)));
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
