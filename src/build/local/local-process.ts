import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { UserError } from '../../publication/content-problem.ts';
import { LOCAL_PORT } from '../../schemas/deployment.ts';

/** The port of `PORT`, else {@link LOCAL_PORT}. @throws {UserError} If it is none or in use, with advice to run `command` on another one. */
export async function freePort(setting: string | undefined, command: string) {
  const port = readPort(setting);
  if (!(await portIsFree(port))) {
    const other = port === LOCAL_PORT + 2 ? LOCAL_PORT : LOCAL_PORT + 2;
    throw new UserError(`port ${port} is in use; stop the program that uses it, or choose another port: PORT=${other} ${command}`);
  }
  return { port, address: port === 80 ? 'http://127.0.0.1' : `http://127.0.0.1:${port}` };
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return LOCAL_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new UserError(`PORT=${text} is not a port; use a number from 1 to 65535`);
  return port;
}

function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** How often the programs above this one are looked at, in milliseconds. */
const INTERVAL_MS = 500;

/** Process 1, which gets the children of processes that have ended. */
const INIT = 1;

/**
 * Sends this process SIGTERM when the npm that runs it ends, or has ended already, and does nothing if no npm runs it. npm runs a script in
 * a shell, and passes on SIGTERM to that shell alone and SIGHUP to nobody, so that the script would outlive both.
 */
export function endWithNpm(): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const end = (): void => void process.kill(process.pid, 'SIGTERM');
  const parent = process.ppid;
  // A shell that replaces itself by the script leaves npm as the parent.
  const npm = /^\S*sh -c /.test(commandOf(parent)) ? parentOf(parent) : parent;
  if (npm === INIT && !runsScripts(INIT)) {
    end();
    return;
  }
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === parent || parentOf(parent) === npm)) return;
    clearInterval(timer);
    end();
  }, INTERVAL_MS);
  timer.unref();
}

/** Whether a process is a package manager, or a shell that one has started: in a container it may be the first of all. */
function runsScripts(pid: number): boolean {
  return /\b(npm|npx|pnpm|yarn|bun)\b|npm-cli|akg/.test(commandOf(pid));
}

/** The words of the command of a process; empty where the system has no `/proc`. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** The process that started another one, by their ids; `undefined` where the system has no `/proc`. */
function parentOf(pid: number): number | undefined {
  try {
    // The name of the program, in parentheses, may contain anything (proc_pid_stat(5)).
    const [, parent] = /\) \S (\d+) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(parent);
  } catch {
    return undefined;
  }
}
