import { Argument, Option } from '@commander-js/extra-typings';
import { today } from '../../build/deployment.ts';
import { publisherOverrides } from '../../publication/read-publisher.ts';
import { reviseCapsule, VERSION_STEPS } from '../capsules/revise-capsule.ts';
import { undoRevision } from '../capsules/undo-revision.ts';
import { defineCommand, examples, readId } from '../define-command.ts';

export const command = defineCommand()
  .description(
    `Freeze the published version of a capsule, and raise the version in its file, before or after you edit it.

If the file was edited, the published text is looked up in the git history, in .akg and on the live site, and frozen; the edit stays in the file. content/published.jsonl says which text was published; where it is missing, --from does, or else the last commit. With --undo, go back to the frozen version, as long as the new one is not published.`,
  )
  .addArgument(new Argument('<capsule>', 'id of the capsule').argParser(readId))
  .addArgument(new Argument('[step]', 'part of the version to raise').choices(VERSION_STEPS).default('minor' as const))
  .option('--from <file-or-commit>', 'the published text: a file, or the commit that has it')
  .addHelpText(
    'after',
    examples(
      'npm run revise http-caching',
      'npm run revise http-caching patch',
      'npm run revise http-caching -- --from v1.2',
      'npm run revise http-caching -- --undo',
    ),
  )
  .addOption(new Option('--undo', 'make the newest frozen version the current one again').conflicts('from'))
  .action(async (id, step, { undo = false, from }) => {
    const root = process.cwd();
    if (undo) {
      const { file, version, kept } = await undoRevision(root, id);
      console.log(`${file} is version ${version} again.${kept === undefined ? '' : ` Your edit is kept in ${kept}.`}`);
      return;
    }
    const overrides = publisherOverrides(process.env);
    const revision = await reviseCapsule(root, id, step, today(), { asksSite: true, from, overrides });
    const { file, frozenPath, source, to, assumed } = revision;
    const found = source === undefined ? '' : assumed === undefined ? ` as it was published (found in ${source})` : ` of ${source}`;
    console.log(
      `Froze version ${revision.from}${found} as ${frozenPath}. ${source === undefined ? `${file} is now ${to}: edit it.` : `Your edit in ${file} is now ${to}.`}`,
    );
    if (assumed !== undefined)
      console.log(
        `Nothing records what was published, so this is the text of the last commit, ${assumed}. If readers got another text, run "npm run revise ${id} -- --undo", then "npm run revise ${id} -- --from <file or commit>".`,
      );
  });
