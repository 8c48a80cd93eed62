import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './paths.ts';

/** Exit code of a command, and its output, errors included. */
export interface CommandOutcome {
  readonly exit: number | null;
  readonly output: string;
}

/** Runs a command of `akg` in a folder, the project's by default. */
export function runAkg(args: readonly string[], cwd: string = ROOT, env: NodeJS.ProcessEnv = {}): Promise<CommandOutcome> {
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/akg.mjs'), ...args], { cwd, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', (exit) => resolve({ exit, output })));
}
