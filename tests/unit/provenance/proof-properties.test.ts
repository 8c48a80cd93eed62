import canonicalize from 'canonicalize';
import * as fc from 'fast-check';
import { flattenedVerify, importJWK } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { canonical } from '../../../src/provenance/verify/verification-types.ts';
import { type Kind, type Proof, verify } from '../../../src/provenance/verify/verify.ts';
import { anyText } from '../../support/any-text.ts';
import { base64Url, canonicalForm, issuer, type Jws } from '../../support/proof-vectors/parties.ts';
import { JWKS, makeLineage, NOW } from '../../support/proof-vectors/sample.ts';
import { makeBundle } from '../../support/proof-vectors/sample-bundle.ts';
import { words } from '../../support/words.ts';

const SEED = 20_261_121;
const KINDS: readonly (Kind | undefined)[] = [undefined, 'lineage', 'capsule', 'answer', 'manifest'];
const lineage = await makeLineage({ by: issuer, count: 2 });
const document = JSON.stringify(lineage);
const rangeOf = (text: string): [number, number] => [document.indexOf(text), document.indexOf(text) + text.length];
const statements = [...lineage.versions.map(({ record }) => record), lineage.head.statement].map((one) => rangeOf(JSON.stringify(one)));
const signatures = [...lineage.versions, lineage.head].map((entry) => rangeOf(JSON.stringify(entry.signatures)));
const place = fc.constantFrom(...statements, ...signatures).chain(([start, end]) => fc.integer({ min: start, max: end - 1 }));
const letter = fc.oneof(fc.constantFrom(...'"\\{}[]:, \n0123456789eE+-._/AaZz='), anyText({ minLength: 1, maxLength: 1 }));
const edit = fc.tuple(place, fc.constantFrom(0, 1), fc.oneof(letter, fc.constant('')));

describe('a signed lineage', () => {
  it('does not hold after any edit of a statement or signature by one character, unless it reads the same', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(edit, async ([at, removed, put]) => {
        const edited = document.slice(0, at) + put + document.slice(at + removed);
        const { exit } = await verify({ document: edited, id: lineage.id, trust: JWKS, now: NOW });
        if (exit === 0) expect(canonicalForm(JSON.parse(edited))).toBe(canonicalForm(lineage));
        else refused += 1;
      }),
      { numRuns: 400, seed: SEED },
    );
    expect(refused).toBeGreaterThan(250);
  });

  it('has signatures that another library accepts, over the same bytes', async () => {
    const key = await importJWK(issuer.jwk, 'Ed25519');
    const accepts = async (statement: object, [signature]: readonly Jws[]): Promise<string | undefined> => {
      const { protectedHeader } = await flattenedVerify(
        { protected: '', signature: '', ...signature, payload: base64Url(canonicalForm(statement)) },
        key,
      );
      return protectedHeader?.typ;
    };
    for (const entry of lineage.versions) expect(await accepts(entry.record, entry.signatures)).toBe('capsule-version+jws');
    expect(await accepts(lineage.head.statement, lineage.head.signatures)).toBe('lineage-head+jws');
  });
});

describe('the verifier', () => {
  it('gives a verdict on everything', async () => {
    const members = fc.constantFrom(...words`id versions head statement signatures results capsule_id record __proto__ toString keys`);
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, true, 0, -1, 0.5, '', 'a', 'sha256:', {}, []),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(members, tie('value'), { maxKeys: 4 }),
      ),
    }));
    const source = fc.oneof(
      value.map((one) => JSON.stringify(one)),
      anyText({ maxLength: 9 }),
      fc.uint8Array({ maxLength: 9 }),
    );
    const proof = fc.record(
      {
        document: source,
        kind: fc.constantFrom(...KINDS),
        lineages: fc.dictionary(fc.constantFrom('a', 'constructor'), source),
        parts: fc.array(source, { maxLength: 2 }),
        known: source,
        trust: source,
      },
      { requiredKeys: ['document'] },
    );
    await fc.assert(
      fc.asyncProperty(proof, async ({ kind, ...given }) => {
        const { checks, exit } = await verify({ ...given, now: NOW, ...(kind === undefined ? {} : { kind }) });
        expect(new Set(checks.map(({ check }) => check)).size).toBe(checks.length);
        expect([0, 1, 2]).toContain(exit);
      }),
      { numRuns: 300, seed: SEED },
    );
  });

  it.each([
    ['bytes that are not UTF-8', Uint8Array.from([0x22, 0xff, 0x22])],
    ['bytes that begin with a byte order mark', Uint8Array.from([0xef, 0xbb, 0xbf, ...new TextEncoder().encode(document)])],
    ['no document', undefined as never],
  ])('refuses %s', async (_, source) => {
    expect(await verify({ document: source, now: NOW })).toMatchObject({
      kind: 'lineage',
      exit: 1,
      checks: expect.arrayContaining([expect.objectContaining({ check: 'json', ok: false })]),
    });
  });

  it('takes bytes as it takes texts', async () => {
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    expect(await verify({ document: bytes(document), id: lineage.id, trust: bytes(JWKS), now: NOW })).toEqual(
      await verify({ document, id: lineage.id, trust: JWKS, now: NOW }),
    );
  });

  it('judges a document as the kind that was asked for', async () => {
    expect(await verify({ document: '{"results":[]}', now: NOW })).toMatchObject({ kind: 'answer', exit: 0 });
    expect(await verify({ document: '{"results":[]}', kind: 'lineage', now: NOW })).toMatchObject({ kind: 'lineage', exit: 1 });
  });

  it('says of every check what it saw: the first thing that fails, with why, or the last that holds', async () => {
    const detailsOf = async (proof: Partial<Proof>): Promise<Record<string, string>> => {
      const { checks } = await verify({ document, now: NOW, ...proof });
      return Object.fromEntries(checks.map(({ check, detail }) => [check, detail.trimEnd()]));
    };
    const { id, versions } = lineage;
    const texts = Object.fromEntries(versions.map(({ record }) => [record.canonical, 'another text']));
    expect(await detailsOf({ texts })).toMatchObject({ records: `${id} 1.1.0`, head: id, text: `${id} 1.0.0` });
    expect(await detailsOf({ document: '{}' })).toMatchObject({ json: 'document', form: expect.stringMatching(/^document \S/) as string });
    expect(await detailsOf({ document: JSON.stringify({ ...lineage, versions: [] }) })).toEqual({
      json: 'document',
      form: 'document Error: form',
    });
    expect(await detailsOf({ trust: '{"keys":[]}' })).toMatchObject({ signature: expect.stringContaining('no key') as string });
    const result = { capsule_id: id, version: '1.0.0' };
    expect(await detailsOf({ document: JSON.stringify({ results: [result] }) })).toMatchObject({ fields: `${id} 1.0.0 no record` });
    const { manifest, parts } = await makeBundle([lineage], issuer);
    expect(await detailsOf({ document: JSON.stringify(manifest), parts: [parts[0] ?? '', ''] })).toMatchObject({ parts: 'part 1' });
  });

  it('fails the signature, and makes all other checks, where the runtime does not know Ed25519', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException('Unrecognized name.', 'NotSupportedError'));
    const { checks, exit } = await verify({ document, id: lineage.id, trust: JWKS, now: NOW });
    importKey.mockRestore();
    expect(exit).toBe(2);
    expect(checks.filter(({ ok }) => !ok)).toEqual([
      { check: 'signature', ok: false, detail: expect.stringContaining('NotSupportedError') as string },
    ]);
    expect(checks.map(({ check }) => check)).toContain('head');
  });

  it('reads a document of one long string, of brackets or of backslashes to its end', async () => {
    const long = ['"'.padEnd(1e6, '\\"'), `"${'x'.repeat(1e6)}"`, '['.repeat(1e6), `["${'\\'.repeat(5e5)}"]`, `{"${'a":"'.repeat(2e5)}"}`];
    for (const one of long) expect((await verify({ document: one, now: NOW })).exit).toBe(1);
  });

  it('does not hold what has an end without a time to compare with', async () => {
    expect((await verify({ document, now: undefined as never })).exit).toBe(1);
  });

  it('writes the same canonical form as another library', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        anyText(),
        fc.maxSafeInteger(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(anyText(), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, (one) => {
        expect(canonical(one)).toBe(canonicalize(one));
      }),
      { numRuns: 500, seed: SEED },
    );
  });
});
