import { BuildSettingError } from '../../build/deployment.ts';
import { describeFailure } from '../../build/describe-failure.ts';
import { makeKey, retireKey } from '../content/new-key.ts';
import { today } from '../../build/today.ts';

const USAGE =
  'what to do is not clear: "npm run keys:new" makes a key, "npm run keys:new -- --retire <kid>" retires the one of that id, and nothing else is known';

const root = process.cwd();
try {
  const retired = readArguments(process.argv.slice(2));
  if (retired === undefined) await make();
  else await retire(retired);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

/** Id of the key to retire, or `undefined` if one is to be made. An id may begin with a hyphen. */
function readArguments(given: readonly string[]): string | undefined {
  const [first, second = '', ...rest] = given[0]?.startsWith('--retire=') ? ['--retire', given[0].slice(9), ...given.slice(1)] : given;
  if (first === undefined) return undefined;
  // Arguments are not shown: one of them may be a private key, given by mistake.
  if (first !== '--retire' || second === '' || rest.length > 0) throw new BuildSettingError(USAGE);
  return second;
}

async function make(): Promise<void> {
  const { kid, secret, active } = await makeKey(root, today());
  console.error(`made the key ${kid}; its public half is in content/keys.yaml: commit that file`);
  console.error(
    'The line LINEAGE_KEY=… is the private half. It is shown once and kept nowhere: store what stands behind the "=" as a secret',
  );
  console.error('named LINEAGE_KEY where the site is built. Whoever has it can sign in the name of this publication.');
  if (active.length > 0) {
    console.error(`Active besides: ${active.join(', ')}. When the new key is in place, retire what it replaces:`);
    for (const other of active) console.error(`  npm run keys:new -- --retire ${other}`);
  }
  console.error('More: docs/keys.md');
  console.log(`LINEAGE_KEY=${secret}`);
}

async function retire(kid: string): Promise<void> {
  const active = await retireKey(root, kid, today());
  console.error(`retired ${kid} in content/keys.yaml; it stays published, for what was issued until today`);
  if (active.length === 0)
    console.error(
      'warning: it was the only active key; a build with it fails now, and one without LINEAGE_KEY is unsigned (npm run keys:new makes one)',
    );
  else console.error(`active: ${active.join(', ')}; LINEAGE_KEY must be the private half of one of them`);
}
