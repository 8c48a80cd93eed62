import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checksOf } from '../../../src/provenance/verify/verification-types.ts';
import { verify } from '../../../src/provenance/verify/verify.ts';
import { requirePython } from '../../support/optional-tools.ts';
import { canonicalForm, issuer } from '../../support/proof-vectors/parties.ts';
import { readVectors } from '../../support/proof-vectors/proof-vectors.ts';
import { JWKS, makeLineage, NOW, textsOf } from '../../support/proof-vectors/sample.ts';
import { mutateJson, writeTokens } from './proof-mutations/mutate-json.ts';
import { edits, type Given, mutateProof } from './proof-mutations/mutate-proof.ts';
import { type PythonVerdict, type PythonVerifier, startPythonVerifier } from './python-verifier.ts';

interface StatementMutation {
  readonly isHead: boolean;
  readonly count: number;
  readonly place: number;
  readonly choice: number;
  readonly seed: number;
}

const mutatedStatement: fc.Arbitrary<StatementMutation> = fc.record({
  isHead: fc.boolean(),
  count: fc.constantFrom(1, 2),
  place: fc.nat(),
  choice: fc.nat(),
  seed: fc.nat(),
});

/** Puts another value in place of those that no library gives a canonical form: infinite numbers, and halves of surrogate pairs. */
const signable = (_: string, value: unknown): unknown =>
  value === Infinity || value === -Infinity ? 0 : typeof value === 'string' ? value.replace(/\p{Cs}/gu, '?') : value;

/** A lineage with a statement that was changed and then digested and signed, so that nothing but its members can fail. */
async function signedLineage({ isHead, count, place, choice, seed }: StatementMutation): Promise<Given> {
  const change = (statement: object): void => {
    const mutated: unknown = JSON.parse(writeTokens(mutateJson(statement, place, choice, seed)), signable);
    if (typeof mutated !== 'object' || mutated === null) return;
    for (const name of Object.keys(statement)) Reflect.deleteProperty(statement, name);
    for (const [name, value] of Object.entries(mutated))
      Object.defineProperty(statement, name, { value, enumerable: true, configurable: true, writable: true });
  };
  const clean = await makeLineage({ count });
  const lineage = await makeLineage({ by: issuer, count, ...(isHead ? { changeHead: change } : { change }) });
  return { document: JSON.stringify(lineage), id: clean.id, texts: textsOf(clean), trust: JWKS, now: NOW };
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Members of a capsule or a result that lineages prove, as the page "The format of proofs" lists them, check `fields`. */
const PROVED =
  'title summary language evidence tags type license content_sha256 updated status status_reason superseded_by capsule_id version'.split(
    ' ',
  );
const PROVED_OF_VERSION = 'version issued content_sha256 record_digest'.split(' ');

const pick = (value: unknown, names: readonly string[]): Json =>
  Object.fromEntries(isObject(value) ? names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]) : []);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function statementsOf(lineage: unknown): unknown {
  const { id, versions, head } = lineage as Json;
  return [id, list(versions).map((entry) => pick(entry, ['record', 'recordDigest'])), pick(head, ['statement'])];
}

function itemOf(item: unknown, isCapsule: boolean): string {
  if (!isCapsule) return canonicalForm(pick(item, PROVED));
  const capsule = item as Json;
  const sources = list(capsule['sources']).map((one) => pick(one, ['key', 'url', 'title', 'publisher', 'retrieved']));
  const supersedes = list(capsule['supersedes']).map((one) => pick(one, ['capsule_id']));
  const versions = list(capsule['versions']).map((one) => pick(one, PROVED_OF_VERSION));
  return canonicalForm({ ...pick(item, [...PROVED, 'derived_from', 'cites']), sources, supersedes, versions });
}

/**
 * What a reader of an accepted proof may rely on, as texts: two proofs with the same ones say the same. Of an answer it is what each
 * result says, so that fewer results, or the same in another order, are part of what a larger answer says; so is a capsule whose text
 * was taken out because it is said to be sold.
 */
function meaningOf(proof: Given, kind: string): string[] {
  const document: unknown = JSON.parse(proof.document);
  if (kind === 'lineage') return [canonicalForm(statementsOf(document))];
  if (kind === 'manifest')
    return [canonicalForm((document as Json)['statement']), ...(proof.parts ?? []).map((part) => JSON.stringify(part))];
  if (kind === 'capsule')
    return [itemOf(document, true), ...Object.values(pick(document, ['markdown'])).map((text) => JSON.stringify(text))];
  return list((document as Json)['results']).map((item) => itemOf(item, false));
}

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
