import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { parseDocument } from 'yaml';
import { today } from '../../build/describe-deployment.ts';
import { documentationPage } from '../../build/engine-package.ts';
import { makePrivateKey } from '../../provenance/sign.ts';
import { type ContentProblem, InvalidContentError, UserError } from '../../publication/content-problem.ts';
import { KEYS_FILE, parseKeys, readKeys } from '../../publication/read/read-keys.ts';
import { type LineageKey, LineageKeys } from '../../schemas/knowledge/lineage.ts';
import { appendToYaml } from '../capsules/capsule-file.ts';
import { commandWithHiddenArguments, examples } from '../define-command.ts';

export const command = commandWithHiddenArguments()
  .description(
    `Create an Ed25519 key that signs lineages and the corpus manifest. The public half is added to content/keys.yaml; the private half is printed once.

With --retire, mark a key in content/keys.yaml as retired instead.`,
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
  console.error(
    'The line LINEAGE_KEY=… is the private half. It is shown once and stored nowhere. Where the site is built, save the text after "="',
  );
  console.error('as a secret named LINEAGE_KEY. Anyone who has it can sign as this publication.');
  if (active.length > 0) {
    console.error(`Also active: ${active.join(', ')}. When the new key is in use, retire the key that it replaces:`);
    for (const other of active) console.error(`  npm run keys:new -- --retire ${other}`);
  }
  console.error(`More: ${documentationPage('keys.md')}`);
  console.log(`LINEAGE_KEY=${secret}`);
}

async function retire(root: string, kid: string): Promise<void> {
  const active = await retireKey(root, kid, today());
  console.error(`Retired ${kid} in content/keys.yaml. It stays published, to verify what it signed until today.`);
  console.error(
    active.length === 0
      ? 'Warning: it was the only active key. Builds with it fail now, and builds without LINEAGE_KEY are unsigned. Create a key: npm run keys:new'
      : `Active: ${active.join(', ')}. LINEAGE_KEY must be the private half of one of them.`,
  );
}

const HEADER = `# Public keys of this publication, oldest first. They are published at /.well-known/jwks.json and /.well-known/did.json to verify what a
# build signed. Never write a private key here. How to create, replace and retire a key:
# ${documentationPage('keys.md')}
# A retired key stays, because it verifies what it signed before. Delete a key only if somebody else may have its private half.
`;

/** Creates a key pair and adds its public half to content/keys.yaml. @param today Today in UTC, `YYYY-MM-DD`. */
export async function makeKey(root: string, today: string) {
  const before = await validKeys(root, today);
  const { secret, publicKey } = await makePrivateKey();
  const key: LineageKey = { ...publicKey, created: today };
  if (!LineageKeys.safeParse({ keys: [...before, key] }).success)
    throw new UserError(`${KEYS_FILE} lists ${before.length} keys, the maximum; delete the key that was retired first`);
  const present = await readFile(join(root, KEYS_FILE), 'utf8').catch(() => undefined);
  const fields = [`kid: "${key.kid}"`, `x: "${key.x}"`, `created: "${key.created}"`];
  const text =
    present === undefined
      ? `${HEADER}keys:\n- ${fields.join('\n  ')}\n`
      : appendToYaml(present, parseDocument(present).get('keys'), fields, `{ ${fields.join(', ')} }`);
  await writeKeys(root, text, [...before, key], today);
  return { kid: key.kid, secret, active: before.filter(isActive).map(({ kid }) => kid) };
}

/** Marks a key in content/keys.yaml as retired today. @returns Ids of the keys that are still active. */
export async function retireKey(root: string, kid: string, today: string): Promise<readonly string[]> {
  const before = await validKeys(root, today);
  const active = before.filter(isActive).map((key) => key.kid);
  const index = before.findIndex((key) => key.kid === kid);
  const retired = before[index];
  // The argument is not shown, because it may be the private half, passed by mistake.
  if (retired === undefined)
    throw new UserError(
      `${KEYS_FILE} has no key with that id${active.length === 0 ? ', and no active key' : `; active: ${active.join(', ')}`}`,
    );
  if (retired.retired !== undefined) throw new UserError(`the key ${kid} was retired on ${retired.retired}`);
  const text = await readFile(join(root, KEYS_FILE), 'utf8');
  const field = `retired: "${today}"`;
  const edited = appendToYaml(text, parseDocument(text).getIn(['keys', index]), [field], field);
  await writeKeys(root, edited, before.with(index, { ...retired, retired: today }), today);
  return active.filter((other) => other !== kid);
}

function isActive({ retired }: LineageKey): boolean {
  return retired === undefined;
}

async function validKeys(root: string, today: string): Promise<readonly LineageKey[]> {
  const problems: ContentProblem[] = [];
  const keys = await readKeys(root, today, problems);
  if (problems.length > 0) throw new InvalidContentError(problems);
  return keys;
}

/** Writes keys.yaml if the text parses to the expected keys: YAML allows more layouts than these edits support. */
async function writeKeys(root: string, text: string, expected: readonly LineageKey[], today: string): Promise<void> {
  const outcome = await parseKeys(text, today);
  if (!('keys' in outcome) || !isDeepStrictEqual(outcome.keys, expected))
    throw new UserError(`${KEYS_FILE} has a layout that cannot be edited; write every key as a list item with one field per line`);
  await writeFile(join(root, KEYS_FILE), text);
}
