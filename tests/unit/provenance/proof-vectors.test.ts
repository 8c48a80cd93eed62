import { pathToFileURL } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { VERIFIER_FILE } from '../../../src/package/bundle-verifier.ts';
import { checksOf } from '../../../src/provenance/verify/checks.ts';
import { type CheckName, verify } from '../../../src/provenance/verify/verify.ts';
import { fileOf, makeVectors, readVectorFiles, writeVectors } from '../../support/proof-vectors/proof-vectors.ts';
import type { Vector } from '../../support/proof-vectors/vector.ts';

if (process.env['UPDATE_VECTORS'] === '1') await writeVectors();

const files = await readVectorFiles();
const vectors = [...files.values()].map((text) => JSON.parse(text) as Vector);
const bundled = (await import(/* @vite-ignore */ pathToFileURL(VERIFIER_FILE).href)) as { verify: typeof verify };

async function outcome(check: typeof verify, { name, about, expect: _, ...proof }: Vector): Promise<Vector['expect']> {
  const { kind, checks, exit } = await check(proof);
  return { exit, failed: checksOf(kind).filter((one) => checks.some((entry) => entry.check === one && !entry.ok)) };
}

const KINDS = ['lineage', 'capsule', 'answer', 'manifest'] as const;
/** The rows of the table of checks in docs/proof-format.md. */
const ALL = 'json form subject records chain head fresh known text fields quote parts corpus signature'.split(' ') as CheckName[];

describe('the test vectors', () => {
  it('are what their generator makes', async () => {
    const made = await makeVectors();
    expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
    expect(made.map(({ name }) => name).sort()).toEqual([...files.keys()].sort());
    expect(made.filter((vector) => files.get(vector.name) !== fileOf(vector)).map(({ name }) => name)).toEqual([]);
  });

  it('name what they show, in a sentence', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(250);
    for (const { name, about } of vectors) expect([name, about]).toEqual([name, expect.stringMatching(/^[A-Z_].*\.$/)]);
  });

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_, vector) => {
    expect(await outcome(verify, vector)).toEqual(vector.expect);
    expect(await outcome(bundled.verify, vector)).toEqual(vector.expect);
  });
});

test('checksOf() is every check that a document of a kind meets, and no other, in one order', async () => {
  const verdicts = await Promise.all(vectors.map(({ name: _, about: __, expect: ___, ...proof }) => verify(proof)));
  for (const kind of KINDS) {
    const met = new Set(verdicts.filter((verdict) => verdict.kind === kind).flatMap(({ checks }) => checks.map(({ check }) => check)));
    expect([kind, checksOf(kind)]).toEqual([kind, ALL.filter((check) => met.has(check))]);
  }
});
