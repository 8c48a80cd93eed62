import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { vi } from 'vitest';
import type { TaskRunner } from '../../src/cli/database-command.ts';
import { describeFailure } from '../../src/cli/define-command.ts';
import type { Database } from '../../src/platform/d1/database.ts';
import { PUBLICATION, ROOT } from './paths.ts';

export interface CommandOutcome {
  readonly exit: number | null;
  readonly output: string;
}

/** Runs a command of `akg` in a folder, that of the tested publication by default. */
export function runAkg(args: readonly string[], cwd: string = PUBLICATION, env: NodeJS.ProcessEnv = {}): Promise<CommandOutcome> {
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/akg.mjs'), ...args], { cwd, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', (exit) => resolve({ exit, output })));
}

/**
 * The same in this process, which starts faster. `main.ts` is left out.
 *
 * @returns The exit code, both streams as text, and all of standard output.
 */
export async function callAkg(
  [name = '', ...args]: readonly string[],
  cwd: string = PUBLICATION,
  env: NodeJS.ProcessEnv = {},
): Promise<CommandOutcome & { readonly stdout: string; readonly stderr: string }> {
  const { command } = (await import(`../../src/cli/commands/${name}.ts`)) as { command: Command };
  const before = {
    folder: process.cwd(),
    exitCode: process.exitCode,
    env: Object.keys(env).map((key) => [key, process.env[key]] as const),
  };
  const written: { readonly isError: boolean; readonly text: string }[] = [];
  const note = (isError: boolean) => (text: string) => void written.push({ isError, text });
  const noteLine = (isError: boolean) => (text: string) => note(isError)(`${text}\n`);
  vi.spyOn(console, 'log').mockImplementation(noteLine(false));
  vi.spyOn(console, 'error').mockImplementation(noteLine(true));
  command.exitOverride().configureOutput({ writeOut: note(false), writeErr: note(true) });
  process.chdir(cwd);
  Object.assign(process.env, env);
  process.exitCode = undefined;
  let exit = 0;
  try {
    await command.parseAsync(args, { from: 'user' });
    exit = Number(process.exitCode ?? 0);
  } catch (error) {
    exit = 1;
    console.error(describeFailure(error));
  } finally {
    vi.mocked(console.log).mockRestore();
    vi.mocked(console.error).mockRestore();
    process.chdir(before.folder);
    process.exitCode = before.exitCode;
    for (const [key, value] of before.env)
      if (value === undefined) delete process.env[key];
      else process.env[key] = value;
  }
  const textOf = (lines: readonly { readonly text: string }[]): string => lines.map(({ text }) => text).join('');
  return {
    exit,
    output: textOf(written),
    stdout: textOf(written.filter(({ isError }) => !isError)),
    stderr: textOf(written.filter(({ isError }) => isError)),
  };
}

/**
 * What a command writes to standard error about arguments that it refuses, read in this process.
 *
 * @throws {Error} If it does not refuse them with exit code 1.
 */
export async function refusalOf(name: string, args: readonly string[]): Promise<string> {
  const { command } = (await import(`../../src/cli/commands/${name}.ts`)) as { command: Command };
  const output: string[] = [];
  for (const one of [command, ...command.commands] as Command[])
    one.exitOverride().configureOutput({ writeErr: (text) => output.push(text) });
  const outcome: unknown = await command.parseAsync(args, { from: 'user' }).catch((error: unknown) => error);
  if (!(outcome instanceof CommanderError) || outcome.exitCode !== 1) throw new Error(`${name} ${args.join(' ')} is not refused`);
  return stripVTControlCharacters(output.join(''));
}

/**
 * What a command that works on the database prints for a command line, its words separated by spaces.
 *
 * @throws {Error} If it refuses the command line or cannot do the task.
 */
export async function runTask(
  make: (run: TaskRunner) => CommandUnknownOpts,
  line: string,
  database: Database,
  context: { readonly nowMs: number; readonly root?: string },
): Promise<string> {
  let lines: readonly string[] = [];
  const command = make(async (task, place) => {
    lines = await task(database, { root: PUBLICATION, place, ...context });
  });
  for (const part of [command, ...command.commands]) part.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} });
  await command.parseAsync(line.split(' '), { from: 'user' });
  return lines.join('\n');
}
