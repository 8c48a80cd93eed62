import { fork } from 'node:child_process';
import { constants } from 'node:os';
import { endWithNpm } from '../build/local/end-with-npm.ts';

/** Set in the environment of a command that another process supervises. */
const SUPERVISED = 'AKG_SUPERVISED';

/**
 * Largest half of V8's space for new objects, in MiB. With its 16 a build of 100,000 capsules spends a quarter of its time copying objects that
 * live on.
 */
const NEW_SPACE_MIB = 64;

/** Signals that stop a command. */
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Whether this process is the one that does the work, which {@link superviseCommand} started. */
export function isSupervised(): boolean {
  const isChild = process.env[SUPERVISED] === String(process.ppid);
  delete process.env[SUPERVISED];
  // Without its supervisor nobody would stop it.
  if (isChild) process.once('disconnect', () => process.exit(1)).channel?.unref();
  return isChild;
}

/**
 * Runs this command again in a child process, and stops that at once on Ctrl-C or when npm ends: a process that is busy computing hears of no
 * signal for many seconds. What is done there must bear being killed at any moment.
 *
 * @param onStopped Cleans up after a child that was stopped or killed, and prints what became of the work.
 * @returns The exit code of the child; if a signal ended it, 128 plus the number of the signal, as in a shell.
 */
export async function superviseCommand(onStopped: (reason: string) => Promise<void>): Promise<number> {
  const child = fork(process.argv[1] ?? '', process.argv.slice(2), {
    execArgv: [...process.execArgv, `--max-semi-space-size=${NEW_SPACE_MIB}`],
    env: { ...process.env, [SUPERVISED]: String(process.pid) },
  });
  let stoppedBy: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    stoppedBy ??= signal;
    child.kill('SIGKILL');
  };
  for (const signal of STOPPING) process.on(signal, stop);
  endWithNpm();
  const { code, signal } = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const reason = stoppedBy ?? signal;
  if (reason === null) return code ?? 1;
  await onStopped(
    reason === 'SIGKILL' ? 'killed by the system (SIGKILL), which usually means that it ran out of memory' : `stopped (${reason})`,
  );
  return 128 + constants.signals[reason];
}
