import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand } from '../../src/cli/define-command.ts';
import { installPackages } from '../support/install-packages.ts';

/** `npm run demo`: the packages of this folder are installed first. */
const program = defineCommand()
  .name('commerce')
  .description('Commerce on this machine with the official clients. Nothing here is worth money.');
program
  .command('demo')
  .description("Make an agent's whole journey against a fresh service: discover, register, query, verify, buy, pay, fetch the receipt.")
  .action(async () => {
    installPackages(import.meta.dirname);
    await import('./demo.ts');
  });
program
  .command('check-types')
  .description('Check the types of this folder, if its packages are installed.')
  .action(() => {
    if (!existsSync(join(import.meta.dirname, 'node_modules')))
      return console.log('skipped: the packages of tests/commerce are not installed');
    const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
    process.exitCode = spawnSync(process.execPath, [tsc, '-p', import.meta.dirname], { stdio: 'inherit' }).status ?? 1;
  });
await program.parseAsync();
