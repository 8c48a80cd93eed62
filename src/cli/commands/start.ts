import { serveLocally } from '../../build/local/serve-locally.ts';
import { defineCommand, examples } from '../define-command.ts';
import { withProgress } from '../progress-line.ts';

export const command = defineCommand()
  .description(
    'Build the site for this machine if anything changed, and serve it with local stores.\n\nEnvironment: PORT, BASE_URL, and those of "akg build".',
  )
  .addHelpText('after', examples('npm start', 'PORT=9000 npm start'))
  .action(async () => {
    const environment = { ...process.env };
    // No child process may inherit the private key.
    delete process.env['LINEAGE_KEY'];
    process.exitCode = await withProgress(({ print, show }) => serveLocally(process.cwd(), environment, print, show));
  });
