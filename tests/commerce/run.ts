import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand, wholeNumber } from '../../src/cli/define-command.ts';
import { installPackages } from '../support/install-packages.ts';

/** `npm run demo` and `npm run facilitator:dev`: the packages of this folder are installed first. */
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
  .command('facilitator-dev')
  .description('Start the official x402 facilitator over a token in memory, to try paid capsules on this machine.')
  .option('--network <id>', 'CAIP-2 id of the network', 'eip155:84532')
  .option('--port <number>', 'port to listen on', wholeNumber(0, 65_535), 4022)
  .action(async (options) => {
    installPackages(import.meta.dirname);
    const { runFacilitator } = await import('./facilitator-dev.ts');
    await runFacilitator(options);
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
