import { fork } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { finishReadyBuild } from '../../build/atomic-build-output.ts';
import { buildEnvironment, today } from '../../build/describe-deployment.ts';
import { endWithNpm } from '../../build/run-process.ts';
import { commandWithHiddenArguments, examples } from '../define-command.ts';
import { withProgress } from '../progress-line.ts';

export const command = commandWithHiddenArguments()
  .description(
    `Build the site for deployment into dist/, or with --static into dist-static/ for any host of files.

What was built before stays until the new build is complete, also if it is stopped with Ctrl-C or killed.

Environment: LINEAGE_KEY (private signing key), BASE_URL, CHECKOUT_HOST, STORAGE (kv or assets), PAY_TO, PAYMENT_NETWORK, FACILITATOR_URL, RATE_LIMITS (default or bench).`,
  )
  .option('--static', 'build a frontend-only site')
  .option('--unsigned', 'build without signatures although content/keys.yaml lists an active key')
  .addHelpText('after', examples('npm run build', 'npm run build -- --unsigned', 'npm run build:static'))
  .action(async ({ static: isStatic = false, unsigned = false }) => {
    const root = process.cwd();
    const folder = isStatic ? 'dist-static' : 'dist';
    if (!isSupervised()) {
      process.exitCode = await superviseCommand(async (reason) => console.error(await describeStopped(root, folder, reason)));
      return;
    }
    // Loaded late: only the supervised process needs it.
    const { buildSite } = await import('../../build/build-site.ts');
    const environment = buildEnvironment(process.env);
    // No child process may inherit the private key.
    delete process.env['LINEAGE_KEY'];
    await withProgress(({ print, show }) =>
      buildSite({
        ...environment,
        root,
        output: root,
        mode: isStatic ? 'static' : 'edge',
        mayBeUnsigned: unsigned,
        isTrial: false,
        sourceCommit: process.env['CF_PAGES_COMMIT_SHA'],
        today: today(),
        report: print,
        onProgress: show,
      }),
    );
  });

async function describeStopped(root: string, folder: string, reason: string): Promise<string> {
  const madeMs = async (): Promise<number | undefined> => (await stat(join(root, folder)).catch(() => undefined))?.ctimeMs;
  const before = await madeMs();
  await finishReadyBuild(root, (line) => console.error(line));
  const after = await madeMs();
  if (before !== after) return `build ${reason} when it was complete: ${folder}/ holds it`;
  return `build ${reason}: ${after === undefined ? `there is no ${folder}/ yet` : `${folder}/ still holds the last complete build`}`;
}

const SUPERVISED = 'AKG_SUPERVISED';

/** Largest half of V8's space for new objects, in MiB: with its 16, a build of 100,000 capsules spends a quarter of its time copying objects. */
const NEW_SPACE_MIB = 64;

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Whether this process is the one that does the work, which {@link superviseCommand} started. */
export function isSupervised(): boolean {
  const isChild = process.env[SUPERVISED] === String(process.ppid);
  delete process.env[SUPERVISED];
  // Without its supervisor nothing would stop it.
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
