import { Argument } from '@commander-js/extra-typings';
import { today } from '../../build/deployment.ts';
import { UserError } from '../../build/user-error.ts';
import { publisherOverrides } from '../../publication/read-publisher.ts';
import { findCapsuleFile } from '../capsules/capsule-file.ts';
import { defineCommand, examples, readId } from '../define-command.ts';
import { renameCapsule } from '../rename/rename-capsule.ts';
import { findOfferFile, renameOffer } from '../rename/rename-offer.ts';

export const command = defineCommand()
  .description(
    `Give a capsule or an offer another id. Its file, frozen versions, relations and links move; its former addresses lead to the new ones.

A published capsule that names or links to it gets a new version, because published texts never change.`,
  )
  .addArgument(new Argument('<id>', 'id of the capsule or offer').argParser(readId))
  .addArgument(new Argument('<new-id>', 'its new id').argParser(readId))
  .option('--offer', 'rename the offer, if a capsule has the same id')
  .addHelpText('after', examples('npm run rename http-caching caching-in-http'))
  .action(async (id, newId, { offer = false }) => {
    const root = process.cwd();
    const isOffer = (await findOfferFile(root, id)) !== undefined;
    const isCapsule = (await findCapsuleFile(root, id)) !== undefined;
    if (!isOffer && !isCapsule) throw new UserError(`there is no capsule and no offer "${id}" in content/`);
    const options = { today: today(), asksSite: true, overrides: publisherOverrides(process.env) };
    const { file, changed, revised, keepsAddresses } =
      offer || !isCapsule ? await renameOffer(root, id, newId) : await renameCapsule(root, id, newId, options);
    console.log(`${file} is the ${offer || !isCapsule ? 'offer' : 'capsule'} "${newId}" now.`);
    if (changed.length > 0) console.log(`References changed in ${changed.join(', ')}.`);
    if (revised.length > 0) console.log(`New versions, because the former ones are published: ${revised.join(', ')}.`);
    console.log(keepsAddresses ? `Addresses with "${id}" lead to it.` : `"${id}" was never published, so no address leads to it.`);
  });
