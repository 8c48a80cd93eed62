import { readFileSync } from 'node:fs';

/** How often the programs above this one are looked at, in milliseconds. */
const INTERVAL_MS = 500;

/**
 * Sends this process SIGTERM when the npm that runs it ends, and does nothing if no npm runs it. npm runs a script in a shell, and passes
 * on SIGTERM to that shell alone and SIGHUP to nobody, so that the script would outlive both.
 */
export function endWithNpm(): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const shell = process.ppid;
  const npm = parentOf(shell);
  const timer = setInterval(() => {
    if (process.ppid === shell && parentOf(shell) === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, INTERVAL_MS);
  timer.unref();
}

/** The process that started another one, by their ids; `undefined` where the system has no `/proc`: there, shells replace themselves by the script. */
function parentOf(pid: number): number | undefined {
  try {
    // The name of the program, in parentheses, may contain anything (proc_pid_stat(5)).
    const [, parent] = /\) \S (\d+) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(parent);
  } catch {
    return undefined;
  }
}
