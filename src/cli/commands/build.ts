import { buildEnvironment, buildSite } from '../../build/build-site.ts';
import { today } from '../../build/deployment.ts';
import { examples, secretiveCommand } from '../define-command.ts';

export const command = secretiveCommand()
  .description(
    `Build the site for deployment into dist/, or with --static into dist-static/ for any host of files.

Environment: LINEAGE_KEY (private signing key), BASE_URL, CHECKOUT_HOST, STORAGE (kv or assets), PAY_TO, PAYMENT_NETWORK, FACILITATOR_URL, RATE_LIMITS (default or bench).`,
  )
  .option('--static', 'build a frontend-only site')
  .option('--unsigned', 'build without signatures although content/keys.yaml lists an active key')
  .addHelpText('after', examples('npm run build', 'npm run build -- --unsigned', 'npm run build:static'))
  .action(async ({ static: isStatic = false, unsigned = false }) => {
    const environment = buildEnvironment(process.env);
    // No child process may inherit the private key.
    delete process.env['LINEAGE_KEY'];
    await buildSite({
      ...environment,
      root: process.cwd(),
      output: process.cwd(),
      mode: isStatic ? 'static' : 'edge',
      mayBeUnsigned: unsigned,
      isTrial: false,
      sourceCommit: process.env['CF_PAGES_COMMIT_SHA'],
      today: today(),
      report: (line) => console.log(line),
    });
  });
