import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checksOf } from '../../../src/provenance/verify/checks.ts';
import { verify } from '../../../src/provenance/verify/verify.ts';
import { requirePython } from '../../support/optional-tools.ts';
import { readVectors } from '../../support/proof-vectors/proof-vectors.ts';
import { meaningOf } from './proof-mutations/meaning.ts';
import { edits, type Given, mutateProof } from './proof-mutations/mutate-proof.ts';
import { mutatedStatement, signedLineage } from './proof-mutations/signed-mutations.ts';
import { type PythonVerdict, type PythonVerifier, startPythonVerifier } from './python-verifier.ts';

/*
 * Both verifiers on mutations of valid proofs. VERIFIER_FUZZ_RUNS=100000 makes as many as that with a new seed, which is printed first;
 * VERIFIER_FUZZ_SEED takes a certain one.
 */
const RUNS = Number(process.env['VERIFIER_FUZZ_RUNS'] ?? 600);
const SEED = Number(process.env['VERIFIER_FUZZ_SEED'] ?? (process.env['VERIFIER_FUZZ_RUNS'] ? Date.now() % 2 ** 31 : 20_261_123));
if (process.env['VERIFIER_FUZZ_RUNS']) console.log(`VERIFIER_FUZZ_SEED=${SEED}`);
const TIMEOUT_MS = Math.max(120_000, RUNS * 50);

/** Checks that may end all others, so that it is left open which of the others were made. */
const ENDS = ['json', 'form', 'fields'];

const vectors = await readVectors();
const valid = await Promise.all(
  vectors
    .filter(({ expect: { exit }, document }) => exit === 0 && document.length < 20_000)
    .map(async ({ name, about: _, expect: __, ...given }) => ({ name, given, kind: (await verify(given)).kind })),
);

const python = requirePython();

async function verdictOf(given: Given): Promise<PythonVerdict> {
  const { kind, checks, exit } = await verify(given);
  return { kind, exit, failed: checksOf(kind).filter((name) => checks.some(({ check, ok }) => check === name && !ok)) };
}

/** What has to be the same of two verdicts. */
const comparable = ({ kind, exit, failed }: PythonVerdict): unknown => {
  const hasEnded = failed.some((check) => ENDS.includes(check));
  return { kind, exit, failed: hasEnded ? 'ended' : failed };
};

describe.skipIf(python === undefined)('the two verifiers', () => {
  let inPython: PythonVerifier;
  beforeAll(() => {
    inPython = startPythonVerifier(python ?? '');
  });
  afterAll(() => inPython.stop());

  const agreed = async (given: Given): Promise<PythonVerdict> => {
    const [ours, theirs] = [await verdictOf(given), await inPython.verify(given)];
    expect({ given, verdict: comparable(ours) }).toEqual({ given, verdict: comparable(theirs) });
    return ours;
  };

  it(
    'agree on mutations of valid proofs, and accept none that says something else',
    async () => {
      const counts = { accepted: 0, refused: 0 };
      const property = fc.asyncProperty(fc.constantFrom(...valid), edits, async ({ given, kind }, changes) => {
        const mutated = mutateProof(given, changes);
        const verdict = await agreed(mutated);
        counts[verdict.exit === 0 ? 'accepted' : 'refused'] += 1;
        if (verdict.exit === 0 && mutated.trust !== undefined && verdict.kind === kind)
          expect(meaningOf(given, kind)).toEqual(expect.arrayContaining(meaningOf(mutated, kind)));
      });
      await fc.assert(property, { numRuns: RUNS, seed: SEED });
      if (process.env['VERIFIER_FUZZ_RUNS']) console.log(`${counts.accepted} accepted, ${counts.refused} refused`);
      expect(counts.refused).toBeGreaterThan(RUNS / 3);
      expect(counts.accepted).toBeGreaterThan(RUNS / 50);
    },
    TIMEOUT_MS,
  );

  it(
    'agree on statements of any form that the issuer signed',
    async () => {
      const property = fc.asyncProperty(mutatedStatement, async (mutation) => {
        await agreed(await signedLineage(mutation));
      });
      await fc.assert(property, { numRuns: RUNS / 4, seed: SEED });
    },
    TIMEOUT_MS,
  );
});
