import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { VERIFIER_FILE } from '../../src/npm-package/bundle-programs.ts';
import { checksOf } from '../../src/provenance/verify/verification-types.ts';
import type { Proof, Verdict } from '../../src/provenance/verify/verify.ts';
import { newScript } from '../support/campaign.ts';
import { pythonWithCryptography } from '../support/optional-tools.ts';
import { ROOT } from '../support/paths.ts';
import { readVectors, VECTORS_FOLDER } from '../support/proof-vectors/proof-vectors.ts';

const served = (await import(pathToFileURL(VERIFIER_FILE).href)) as { verify: (proof: Proof) => Promise<Verdict> };
const words = newScript(
  'attacks',
  'Print every test vector as a row: what is done to the documents, and what the served verifier and the Python implementation say. Exit code 1: one of them differs from the vector.',
)
  .argument('[words...]', 'only vectors whose names contain one of these')
  .parse().args;
const vectors = (await readVectors()).filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const python = pythonWithCryptography();
const outcome =
  python && spawnSync(python, [join(ROOT, 'tests/conformance/verify_proofs.py'), 'vectors', VECTORS_FOLDER], { encoding: 'utf8' });
const agreed = new Set(outcome ? outcome.stdout.split('\n').flatMap((line) => (line.startsWith('ok ') ? [line.slice(3)] : [])) : []);
let differ = 0;
console.log('| Vector | What is done | Exit | Failed checks | verify.js | Python |\n|---|---|---|---|---|---|');
for (const vector of vectors) {
  const { name, about, expect } = vector;
  const { checks, exit, kind } = await served.verify(vector);
  const failed = checksOf(kind).filter((check) => checks.some((made) => made.check === check && !made.ok));
  const isSame = exit === expect.exit && `${failed}` === `${expect.failed}`;
  const inPython = outcome === undefined ? 'absent' : agreed.has(name) ? 'agrees' : 'DIFFERS';
  if (!isSame || inPython === 'DIFFERS') differ += 1;
  console.log(
    `| ${name} | ${about} | ${expect.exit} | ${expect.failed.join(', ') || 'none'} | ${isSame ? 'agrees' : 'DIFFERS'} | ${inPython} |`,
  );
}
console.log(`\n${vectors.length} vectors, ${vectors.filter((vector) => vector.expect.exit > 0).length} of them bad, ${differ} differ`);
process.exitCode = differ === 0 ? 0 : 1;
