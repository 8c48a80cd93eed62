import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Signing, signCapsules, signManifest } from '../../src/build/content/signing.ts';
import { describeManifest, makeBundle } from '../../src/build/generation/corpus-bundle.ts';
import { VERIFIER_FILE } from '../../src/package/bundle-programs.ts';
import { endOfLog, extendLog } from '../../src/provenance/change-log.ts';
import { corpusDigest } from '../../src/provenance/lineage-records.ts';
import { signerOf } from '../../src/provenance/sign.ts';
import { verify } from '../../src/provenance/verify/verify.ts';
import type { AuthoredContent } from '../../src/publication/authored-content.ts';
import { publishCapsules } from '../../src/publication/publish/published-capsules.ts';
import type { GenerationManifest } from '../../src/schemas/knowledge/generation.ts';
import { newScript, wholeNumbers } from '../support/campaign.ts';
import { pythonWithCryptography } from '../support/optional-tools.ts';
import { ROOT } from '../support/paths.ts';
import { PRINTED_SECRETS, sampleContent, TODAY } from '../support/signed-site.ts';
import { contentOf, syntheticCapsules } from './capsule-corpus.ts';

/**
 * Time to sign a whole corpus and to verify it from its bundle (records, heads, texts, signatures and manifest) with the module that sites
 * serve and with the Python implementation; and the size of the module.
 */
const [sizes = []] = newScript('bench:verify', 'Measure the time to sign a whole corpus and to verify it, here and in Python.')
  .argument('[capsules...]', 'sizes of synthetic corpora, besides the sample', wholeNumbers(1))
  .parse().processedArgs;
const now = `${TODAY}T12:00:00Z`;
const signer = await signerOf(PRINTED_SECRETS[0]);
const signing: Signing = { signer, today: TODAY, validDays: 180 };
const { kid, x } = signer.publicKey;
const trust = JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid }] });

const file = readFileSync(VERIFIER_FILE);
console.log(`verify.js: ${file.length} bytes, ${gzipSync(file, { level: 9 }).length} gzipped\n`);
console.log(
  'corpus'.padEnd(12) + ['capsules', 'bundle', 'sign', 'verify', 'in Python', 'a capsule'].map((title) => title.padStart(12)).join(''),
);
await measure('sample', await sampleContent());
for (const size of sizes.length > 0 ? sizes : [1_000, 10_000]) await measure('synthetic', contentOf(syntheticCapsules(size, 1)));

async function measure(name: string, content: AuthoredContent): Promise<void> {
  const unsigned = await publishCapsules(content);
  const before = performance.now();
  const capsules = await signCapsules(unsigned, signing);
  const signedMs = performance.now() - before;
  const { parts, described } = await makeBundle(capsules);
  const log = await extendLog(
    [],
    capsules.map(({ lineage, metadata }) => ({ versions: lineage.versions, head: lineage.head, stateDate: metadata.status_date })),
  );
  const facts = {
    corpus_digest: (await corpusDigest(capsules.map(({ lineage }) => lineage))).slice('sha256:'.length),
    changes: endOfLog(log),
    updated: `${TODAY}T00:00:00Z`,
  } as GenerationManifest;
  const manifest = JSON.stringify(await signManifest(describeManifest(content.publisher, facts, capsules, described, log), signing));
  const bodies = parts.map(({ body }) => body);
  const start = performance.now();
  const verdict = await verify({ document: manifest, parts: bodies, trust, now });
  const verifiedMs = performance.now() - start;
  if (verdict.exit !== 0) throw new Error(`the ${name} corpus does not verify: ${JSON.stringify(verdict.checks)}`);
  const column = (value: string): string => value.padStart(12);
  console.log(
    name.padEnd(12) +
      column(String(capsules.length)) +
      column(`${(bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / 1e6).toFixed(1)} MB`) +
      column(`${signedMs.toFixed(0)} ms`) +
      column(`${verifiedMs.toFixed(0)} ms`) +
      column(await inPython(manifest, bodies)) +
      column(`${(verifiedMs / capsules.length).toFixed(2)} ms`),
  );
}

/** Time of the Python implementation, its start included. */
async function inPython(manifest: string, bodies: readonly string[]): Promise<string> {
  const python = pythonWithCryptography();
  if (python === undefined) return 'absent';
  const folder = await mkdtemp(join(tmpdir(), 'akg-bundle-'));
  const put = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const files = [await put('manifest.json', manifest)];
  for (const [at, body] of bodies.entries()) files.push(await put(`${at}.ndjson`, body));
  const start = performance.now();
  const outcome = spawnSync(python, [
    join(ROOT, 'tests/conformance/verify_proofs.py'),
    'bundle',
    ...files,
    '--trust',
    await put('jwks.json', trust),
  ]);
  const ms = performance.now() - start;
  await rm(folder, { recursive: true });
  return outcome.status === 0 ? `${ms.toFixed(0)} ms` : `exit ${outcome.status}`;
}
