import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Checks the types of this folder, which the project's own check leaves out: its packages need not be installed. */
const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
if (existsSync(join(import.meta.dirname, 'node_modules')))
  process.exitCode = spawnSync(process.execPath, [tsc, '-p', import.meta.dirname], { stdio: 'inherit' }).status ?? 1;
else console.log('skipped: the packages of tests/commerce are not installed');
