import { Argument } from '@commander-js/extra-typings';
import { defineCommand, examples, readId } from '../define-command.ts';
import { CONTENT_KINDS, createContent } from '../new/create-content.ts';

export const command = defineCommand()
  .description('Write a capsule or an offer to content/, as a short draft to fill in.')
  .addArgument(new Argument('<kind>').choices(CONTENT_KINDS))
  .addArgument(new Argument('<id>', 'such as http-caching').argParser(readId))
  .addHelpText('after', examples('npm run new capsule http-caching', 'npm run new offer link-audit'))
  .action(async (kind, id) => {
    const paths = await createContent(process.cwd(), kind, id);
    console.log(`Wrote ${paths.join(' and ')}. Fill it in, then run: npm run content:check`);
  });
