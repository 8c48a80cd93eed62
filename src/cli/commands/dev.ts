import { serveDev } from '../../build/local/serve-locally.ts';
import { defineCommand, examples } from '../define-command.ts';

export const command = defineCommand()
  .description(
    'Serve the publication while you write: pages, API and previews, drafts included, each as it is after the last save.\n\nEnvironment: PORT, BASE_URL, and those of "akg build".',
  )
  .addHelpText('after', examples('npm run dev', 'PORT=9000 npm run dev'))
  .action(async () => {
    process.exitCode = await serveDev(process.cwd(), process.env, (line) => console.log(line));
  });
