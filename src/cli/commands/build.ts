import { buildEnvironment, buildSite } from '../../build/build-site.ts';
import { today } from '../../build/deployment.ts';
import { examples, newSecretiveCommand } from '../define-command.ts';

export const command = newSecretiveCommand()
  .description(
    `Build the site for deployment into dist/, or with --static into dist-static/ for any host of files.
Environment: LINEAGE_KEY (private signing key), BASE_URL, CHECKOUT_HOST, STORAGE (kv or assets), RATE_LIMITS (default or bench).`,
  )
  .option('--static', 'build a site of files, without functions')
  .option('--unsigned', 'build without signatures although content/keys.yaml lists an active key')
  .addHelpText('after', examples('npm run build', 'npm run build -- --unsigned', 'npm run build:static'))
  .action(async ({ static: isStatic = false, unsigned = false }) => {
    const environment = buildEnvironment(process.env);
    // No child process may inherit the private key.
    delete process.env['LINEAGE_KEY'];
    await buildSite({
      ...environment,
      root: process.cwd(),
      mode: isStatic ? 'static' : 'edge',
      mayBeUnsigned: unsigned,
      isTrial: false,
      sourceCommit: process.env['CF_PAGES_COMMIT_SHA'],
      today: today(),
      report: (line) => console.log(line),
    });
  });
