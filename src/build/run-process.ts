import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { UserError } from '../publication/content-problem.ts';
import { processStat } from '../publication/process-table.ts';
import { expectPackages } from './engine-package.ts';

/** Folder, in a publication, in which the servers of wrangler on this machine find each other. */
export const WRANGLER_REGISTRY = '.wrangler/registry';

/** Settings that keep wrangler and Astro quiet, their files in the project, and send no telemetry. */
export const QUIET_ENVIRONMENT: Readonly<Record<string, string>> = {
  ASTRO_TELEMETRY_DISABLED: '1',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_REGISTRY_PATH: WRANGLER_REGISTRY,
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_WRITE_LOGS: 'false',
};

/** Variables that hold secrets only for the build. */
const BUILD_SECRETS: readonly string[] = ['LINEAGE_KEY'];

/** Environment of a child process: `process.env` without the secrets of the build, plus `more`. */
export function childEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !BUILD_SECRETS.includes(name));
  return { ...Object.fromEntries(own), ...QUIET_ENVIRONMENT, ...more };
}

interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What the program reads from its standard input. */
  readonly input?: string;
}

/** Runs a Node program to its end, in a {@link childEnvironment}, and collects the output of both streams. */
export function runNode(args: readonly string[], options: ProcessOptions & { readonly cwd: string }) {
  return new Promise<{ readonly exitCode: number; readonly output: string }>((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: options.cwd, env: childEnvironment(options.env), stdio: ['pipe', 'pipe', 'pipe'] });
    // A program that ends early does not read it.
    child.stdin.on('error', () => undefined).end(options.input);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** Runs a command of the publisher to its end, in this terminal. @throws {UserError} If it cannot be started, or fails. */
export async function runInTerminal(
  root: string,
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  // npm and npx are scripts on Windows, which only a shell starts.
  const child = spawn(program, args, { cwd: root, env: childEnvironment(env), stdio: 'inherit', shell: process.platform === 'win32' });
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `exit code ${code ?? signal}`));
  });
  if (failure !== undefined) throw new UserError(`"${[program, ...args].join(' ')}" failed: ${failure}`);
}

/** @throws {UserError} If wrangler is not installed. */
export function expectWrangler(): Promise<void> {
  return expectPackages([{ name: 'wrangler', neededBy: 'the stores of Cloudflare, which this command uses' }]);
}

/** Path of wrangler's program, to be run with this Node. @throws {UserError} If wrangler is not installed. */
export async function wranglerProgram(): Promise<string> {
  await expectWrangler();
  return join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js');
}

/** Runs a command of wrangler to its end and returns its output. @throws {UserError} If it fails, with the output of wrangler. */
export async function runWrangler(root: string, args: readonly string[], { env = {}, input }: ProcessOptions = {}): Promise<string> {
  const call = { cwd: root, env: { CI: '1', ...env }, ...(input !== undefined && { input }) };
  const { exitCode, output } = await runNode([await wranglerProgram(), ...args], call);
  if (exitCode !== 0) throw new UserError(`wrangler ${args.slice(0, 3).join(' ')} failed:\n${output}`);
  return output;
}

/** How often the programs above this one are looked at, in milliseconds. */
const INTERVAL_MS = 500;

/** Process 1, which gets the children of processes that have ended. */
const INIT = 1;

/**
 * Sends this process SIGTERM when the npm that runs it ends, or has ended already, and does nothing if no npm runs it. npm runs a script in
 * a shell, and forwards SIGTERM to that shell alone and SIGHUP to no process, so that the script would outlive both.
 */
export function endWithNpm(): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const end = (): void => void process.kill(process.pid, 'SIGTERM');
  const parent = process.ppid;
  // A shell that replaces itself by the script leaves npm as the parent.
  const npm = /^\S*sh -c /.test(commandOf(parent)) ? processStat(parent)?.parent : parent;
  // In a container, a package manager or a shell that one has started may be the first of all processes.
  if (npm === INIT && !/\b(npm|npx|pnpm|yarn|bun)\b|npm-cli|akg/.test(commandOf(INIT))) {
    end();
    return;
  }
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === parent || processStat(parent)?.parent === npm)) return;
    clearInterval(timer);
    end();
  }, INTERVAL_MS);
  timer.unref();
}

/** The words of the command of a process; empty where the system has no `/proc`. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
