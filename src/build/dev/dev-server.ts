import { PATHS } from '../../schemas/paths.ts';
import { PREVIEW_PATH } from '../../site/dev/live-site.ts';
import { openDevPages } from '../astro-integration.ts';
import { endWithNpm, freePort } from '../local/local-process.ts';
import { beginDev } from './begin-dev.ts';

type Report = (line: string) => void;

/**
 * Serves a publication while it is written, drafts included, as it is after the last change or was before the last mistake.
 *
 * @returns The exit code, once it is stopped by a signal.
 * @throws {UserError} If the port is in use or a secret of this machine cannot be used.
 */
export async function serveDev(root: string, environment: Readonly<Record<string, string | undefined>>, report: Report): Promise<number> {
  endWithNpm();
  const { port, address } = await freePort(environment['PORT'], 'npm run dev');
  const stopped = untilSignal();
  const live = await beginDev(root, environment, address, report, stopped);
  if (live === undefined) return 0;
  const pages = await openDevPages(root, port, live);
  report(
    `\n  Site     ${address}\n  Preview  ${address}${PREVIEW_PATH}\n  API      ${address}${PATHS.gateway}/capabilities\n\nSave a file below content/ to see it. Stop with Ctrl-C.\n`,
  );
  // Vite compiles what it serves at the first request, which takes seconds: a page of no capsule has it done before the first text is saved.
  void fetch(`${address}${PATHS.capsules}/-`)
    .then((page) => page.text())
    .catch(() => undefined);
  await stopped;
  await pages.stop();
  await live.close();
  return 0;
}

/** Resolves at the first signal to end. From then on the process ends with code 0: the signal is how this server is meant to end. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        // The simulators end the process themselves, with the code of the signal.
        process.once('exit', () => {
          process.exitCode = 0;
        });
        resolve();
      });
  });
}
