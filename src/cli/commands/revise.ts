import { Argument } from '@commander-js/extra-typings';
import { today } from '../../build/deployment.ts';
import { publisherOverrides } from '../../publication/read-publisher.ts';
import { reviseCapsule, VERSION_STEPS } from '../capsules/revise-capsule.ts';
import { undoRevision } from '../capsules/undo-revision.ts';
import { defineCommand, examples, readId } from '../define-command.ts';

export const command = defineCommand()
  .description(
    `Freeze the published version of a capsule, and raise the version in its file, before or after you edit it.

If the file was edited, the published text is looked up in the git history, in .akg and on the live site, and frozen; the edit stays in the file. With --undo, go back to the frozen version, as long as the new one is not published.`,
  )
  .addArgument(new Argument('<capsule>', 'id of the capsule').argParser(readId))
  .addArgument(new Argument('[step]', 'part of the version to raise').choices(VERSION_STEPS).default('minor' as const))
  .option('--undo', 'make the newest frozen version the current one again')
  .addHelpText(
    'after',
    examples('npm run revise http-caching', 'npm run revise http-caching patch', 'npm run revise http-caching -- --undo'),
  )
  .action(async (id, step, { undo = false }) => {
    const root = process.cwd();
    if (undo) {
      const { version, kept } = await undoRevision(root, id);
      console.log(`content/capsules/${id}.md is version ${version} again.${kept === undefined ? '' : ` Your edit is kept in ${kept}.`}`);
      return;
    }
    const overrides = publisherOverrides(process.env);
    const { file, frozenPath, from, to, source } = await reviseCapsule(root, id, step, today(), { asksSite: true, overrides });
    console.log(
      source === undefined
        ? `Froze version ${from} as ${frozenPath}. ${file} is now ${to}: edit it.`
        : `Froze version ${from} as it was published (found in ${source}) as ${frozenPath}. Your edit in ${file} is now ${to}.`,
    );
  });
