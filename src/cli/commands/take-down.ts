import { Argument } from '@commander-js/extra-typings';
import { today } from '../../build/deployment.ts';
import { documentationPage } from '../../build/engine.ts';
import { defineCommand, examples, readId } from '../define-command.ts';
import { takeDownCapsule } from '../take-down/take-down-capsule.ts';

export const command = defineCommand()
  .description(
    `Remove a published capsule and all its versions for good. A tombstone stays: its id, the digests of its versions, the day and the reason.

To withdraw a claim whose text may stay readable, add "retracted" to the capsule instead. ${documentationPage('changing-your-mind.md')} lists what remains elsewhere, such as the git history.`,
  )
  .addArgument(new Argument('<capsule>', 'id of the capsule').argParser(readId))
  .requiredOption('--reason <text>', 'why, in a sentence that everybody can read')
  .option('--legal', 'the law demands it: addresses answer 451 instead of 410')
  .addHelpText('after', examples('npm run take-down http-caching -- --reason "It contained personal data." --legal'))
  .action(async (id, { reason, legal = false }) => {
    const { ids, references } = await takeDownCapsule(process.cwd(), id, { reason, legal, today: today() });
    console.log(`Removed the capsule "${id}" and its frozen versions. content/published.jsonl keeps the tombstone of ${ids.join(', ')}.`);
    if (references.length > 0)
      console.log(`These texts still name or link to it; its page says that it was taken down: ${references.join(', ')}.`);
    console.log('Now build, publish and deploy, and publish once more: that deletes the stored texts of earlier builds at once.');
    console.log(
      `The text is still in the git history, in backups and in earlier deployments: see ${documentationPage('changing-your-mind.md')}.`,
    );
  });
