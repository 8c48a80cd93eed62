import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { today } from '../../build/deployment.ts';
import { finishReadyBuild } from '../../build/staged-build.ts';
import { examples, secretiveCommand } from '../define-command.ts';
import { progressLine } from '../progress-line.ts';
import { isSupervised, superviseCommand } from '../supervise.ts';

export const command = secretiveCommand()
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
    const { buildEnvironment } = await import('../../build/begin-build.ts');
    const { buildSite } = await import('../../build/build-site.ts');
    const environment = buildEnvironment(process.env);
    // No child process may inherit the private key.
    delete process.env['LINEAGE_KEY'];
    const progress = progressLine(process.stderr);
    try {
      await buildSite({
        ...environment,
        root,
        output: root,
        mode: isStatic ? 'static' : 'edge',
        mayBeUnsigned: unsigned,
        isTrial: false,
        sourceCommit: process.env['CF_PAGES_COMMIT_SHA'],
        today: today(),
        report: progress.print,
        onProgress: progress.show,
      });
    } finally {
      progress.clear();
    }
  });

/** What became of a build that was stopped; finishes one that was about to replace the last. */
async function describeStopped(root: string, folder: string, reason: string): Promise<string> {
  const madeMs = (): Promise<number | undefined> =>
    stat(join(root, folder)).then(
      ({ ctimeMs }) => ctimeMs,
      () => undefined,
    );
  const before = await madeMs();
  await finishReadyBuild(root, (line) => console.error(line));
  const after = await madeMs();
  if (before !== after) return `build ${reason} when it was complete: ${folder}/ holds it`;
  return `build ${reason}: ${after === undefined ? `there is no ${folder}/ yet` : `${folder}/ still holds the last complete build`}`;
}
