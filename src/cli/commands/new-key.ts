import { InvalidArgumentError } from '@commander-js/extra-typings';
import { today } from '../../build/today.ts';
import { examples, newSecretiveCommand } from '../define-command.ts';
import { makeKey, retireKey } from '../edit-signing-keys.ts';

export const command = newSecretiveCommand()
  .description(
    `Create an Ed25519 key that signs lineages and the corpus manifest. The public half is added to content/keys.yaml; the private half is
printed once. With --retire, mark a key in content/keys.yaml as retired instead.`,
  )
  .option('--retire <kid>', 'id of the key to retire', (kid) => {
    if (kid === '') throw new InvalidArgumentError('It must not be empty.');
    return kid;
  })
  .addHelpText('after', examples('npm run keys:new', 'npm run keys:new -- --retire <kid>'))
  .action(({ retire: kid }) => (kid === undefined ? make(process.cwd()) : retire(process.cwd(), kid)));

async function make(root: string): Promise<void> {
  const { kid, secret, active } = await makeKey(root, today());
  console.error(`Created the key ${kid}. Its public half is in content/keys.yaml: commit that file.`);
  console.error('The line LINEAGE_KEY=… is the private half. It is shown once and stored nowhere. Save what follows "=" as a secret named');
  console.error('LINEAGE_KEY where the site is built. Whoever has it can sign in the name of this publication.');
  if (active.length > 0) {
    console.error(`Also active: ${active.join(', ')}. When the new key is in use, retire the one that it replaces:`);
    for (const other of active) console.error(`  npm run keys:new -- --retire ${other}`);
  }
  console.error('More: docs/keys.md');
  console.log(`LINEAGE_KEY=${secret}`);
}

async function retire(root: string, kid: string): Promise<void> {
  const active = await retireKey(root, kid, today());
  console.error(`Retired ${kid} in content/keys.yaml. It stays published to verify what was signed until today.`);
  console.error(
    active.length === 0
      ? 'Warning: it was the only active key. A build with it now fails, and one without LINEAGE_KEY is unsigned. Create a key: npm run keys:new'
      : `Active: ${active.join(', ')}. LINEAGE_KEY must be the private half of one of them.`,
  );
}
