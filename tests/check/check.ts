import { spawnSync } from 'node:child_process';
import { examples } from '../../src/cli/define-command.ts';
import { newScript } from '../support/campaign.ts';
import { ROOT } from '../support/paths.ts';

/** The scripts of the gate, cheapest first. The first one that fails ends it. */
const SCRIPTS = ['check:types', 'check:lint', 'check:unused', 'test'];

newScript('check', 'Run everything that must pass before a change lands: types, lint, unused code and all tests.')
  .addHelpText('after', examples(...SCRIPTS.map((script) => `npm run ${script}`)).replace('Examples', 'Runs'))
  .parse();
const hasFailed = SCRIPTS.some((script) => spawnSync('npm', ['run', script], { cwd: ROOT, stdio: 'inherit' }).status !== 0);
process.exitCode = hasFailed ? 1 : 0;
