import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { VERIFIER_FILE } from '../../../src/npm-package/bundle-programs.ts';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import { canonicalDigest, canonicalJson } from '../../../src/provenance/canonical-json.ts';
import { appendEvents, type LoggedChange } from '../../../src/provenance/change-log.ts';
import { corpusDigest } from '../../../src/provenance/lineage-records.ts';
import { checksOf } from '../../../src/provenance/verify/verification-types.ts';
import { type CheckName, verify } from '../../../src/provenance/verify/verify.ts';
import { requirePython } from '../../support/optional-tools.ts';
import { DIGEST_VECTORS_FILE, makeDigestVectors } from '../../support/proof-vectors/digest-vectors.ts';
import { readVectors, VECTORS_FOLDER, type Vector } from '../../support/proof-vectors/proof-vectors.ts';

const digestVectors = `${JSON.stringify(await makeDigestVectors(), null, 2)}\n`;
if (process.env['UPDATE_VECTORS'] === '1') await writeFile(DIGEST_VECTORS_FILE, digestVectors);

const vectors = await readVectors();
const PYTHON_VERIFIER = 'tests/conformance/verify_proofs.py';
const python = requirePython();
const bundled = (await import(/* @vite-ignore */ pathToFileURL(VERIFIER_FILE).href)) as { verify: typeof verify };

async function outcome(check: typeof verify, { name, about, expect: _, ...proof }: Vector): Promise<Vector['expect']> {
  const { kind, checks, exit } = await check(proof);
  return { exit, failed: checksOf(kind).filter((one) => checks.some((entry) => entry.check === one && !entry.ok)) };
}

interface CorpusEntry {
  readonly versions: readonly string[];
}

const KINDS = ['lineage', 'capsule', 'answer', 'manifest'] as const;
/** The rows of the table of checks in docs/proof-format.md. */
const ALL = 'json form subject records chain head fresh known text fields quote parts corpus signature'.split(' ') as CheckName[];

describe('the test vectors', () => {
  it('have names of their own, and say what they show in a sentence', () => {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(vectors.length).toBeGreaterThanOrEqual(250);
    for (const { name, about } of vectors) expect([name, about]).toEqual([name, expect.stringMatching(/^[A-Z_].*\.$/)]);
  });

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_, vector) => {
    expect(await outcome(verify, vector)).toEqual(vector.expect);
    expect(await outcome(bundled.verify, vector)).toEqual(vector.expect);
  });
});

describe.skipIf(python === undefined)('an implementation in another language', () => {
  test('comes to the outcome that each test vector expects', () => {
    const { status, stdout, stderr } = spawnSync(python ?? '', [PYTHON_VERIFIER, 'vectors', VECTORS_FOLDER], { encoding: 'utf8' });
    const lines = stdout.trim().split('\n');
    expect(stderr).toBe('');
    expect(lines.filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect(status).toBe(0);
    expect(lines.at(-1)).toBe(String(vectors.length));
  });
});

test('checksOf() is every check that a document of a kind meets, and no other, in one order', async () => {
  const verdicts = await Promise.all(vectors.map(({ name: _, about: __, expect: ___, ...proof }) => verify(proof)));
  for (const kind of KINDS) {
    const met = new Set(verdicts.filter((verdict) => verdict.kind === kind).flatMap(({ checks }) => checks.map(({ check }) => check)));
    expect([kind, checksOf(kind)]).toEqual([kind, ALL.filter((check) => met.has(check))]);
  }
});

describe('the vectors of digests that sites serve', () => {
  const served = JSON.parse(digestVectors) as Awaited<ReturnType<typeof makeDigestVectors>>;

  it('are what their generator makes', async () => expect(await readFile(DIGEST_VECTORS_FILE, 'utf8')).toBe(digestVectors));

  it('are what this project computes', async () => {
    const { content_sha256: content, quote, canonical, record_digest: records, corpus_digest: corpus, change_digest: changes } = served;
    expect(await sha256Hex(content.text)).toBe(content.content_sha256);
    expect(quote.text.slice(quote.start, quote.end)).toBe(quote.quote);
    for (const { value, canonical: form, name } of [...canonical, ...records, corpus, ...changes])
      expect([canonicalJson(value), await canonicalDigest(value)]).toEqual([form, name]);
    const lineages = (corpus.value as CorpusEntry[]).map(({ versions, ...statement }) => ({
      versions: versions.map((recordDigest) => ({ recordDigest })),
      head: { statement },
    }));
    expect(await corpusDigest(lineages as unknown as Parameters<typeof corpusDigest>[0])).toBe(corpus.name);
    const log: LoggedChange[] = [];
    const events = changes.map(({ value, name: digest }) => ({ ...(value as [unknown, LoggedChange])[1], digest }));
    expect(await appendEvents(log, events)).toBeUndefined();
    expect(log).toEqual(events);
  });

  it('have signatures that Web Cryptography accepts over the signed bytes', async () => {
    const { key, statements } = served.signature;
    const publicKey = await crypto.subtle.importKey('jwk', { kty: key.kty, crv: key.crv, x: key.x }, 'Ed25519', false, ['verify']);
    for (const { statement, canonical, header, signed_bytes, signature } of statements) {
      expect(canonicalJson(statement)).toBe(canonical);
      expect(signed_bytes).toBe(`${signature.protected}.${Buffer.from(canonical).toString('base64url')}`);
      expect(JSON.parse(header)).toMatchObject({ kid: key.kid });
      expect(Buffer.from(signature.protected, 'base64url').toString()).toBe(header);
      const bytes = Buffer.from(signature.signature, 'base64url');
      expect(await crypto.subtle.verify('Ed25519', publicKey, bytes, Buffer.from(signed_bytes))).toBe(true);
    }
  });
});
