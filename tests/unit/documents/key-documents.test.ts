import { createLocalJWKSet, flattenedVerify, type JSONWebKeySet } from 'jose';
import { describe, expect, test } from 'vitest';
import { jwks, publisherDid } from '../../../src/documents/keys-and-lineage-schemas.ts';
import { canonicalJson } from '../../../src/provenance/canonical-json.ts';
import { keyId, makePrivateKey, makeSigner } from '../../../src/provenance/sign.ts';
import { verify } from '../../../src/provenance/verify/verify.ts';
import type { Publication } from '../../../src/text/publication-model.ts';
import { publisherOf } from '../../support/publisher.ts';

const DID = 'did:web:tests.example';
const old = await makePrivateKey();
const fresh = await makePrivateKey();
const publisher = publisherOf(['a'], { issuer: DID });
const without: Pick<Publication, 'publisher' | 'keys'> = { publisher, keys: [] };
const publication: Pick<Publication, 'publisher' | 'keys'> = {
  publisher,
  keys: [
    { ...old.publicKey, created: '2026-01-01', retired: '2026-06-30' },
    { ...fresh.publicKey, created: '2026-06-30' },
  ],
};

const STATEMENT = { type: 'LineageHead', id: 'a-capsule', issuer: { id: DID }, issued: '2026-06-30T00:00:00Z' };

describe('jwks()', () => {
  test('lists every key with the identity whose they are, a retired one with the last second of its last day', () => {
    expect(jwks(publication)).toEqual({
      issuer: DID,
      keys: [
        { kty: 'OKP', crv: 'Ed25519', ...old.publicKey, alg: 'Ed25519', use: 'sig', exp: Date.UTC(2026, 5, 30, 23, 59, 59) / 1000 },
        { kty: 'OKP', crv: 'Ed25519', ...fresh.publicKey, alg: 'Ed25519', use: 'sig' },
      ],
    });
    expect(jwks(without)).toEqual({ issuer: DID, keys: [] });
  });

  test.each([old, fresh])('is taken by jose, which finds the key of a signature in it and verifies', async ({ secret, publicKey }) => {
    const keySet = createLocalJWKSet(JSON.parse(JSON.stringify(jwks(publication))) as JSONWebKeySet);
    const signature = await (await makeSigner(secret)).sign('head', STATEMENT);
    const payload = Buffer.from(canonicalJson(STATEMENT)).toString('base64url');
    const { key, protectedHeader } = await flattenedVerify({ ...signature, payload }, keySet);
    expect(protectedHeader?.kid).toBe(publicKey.kid);
    expect((await crypto.subtle.exportKey('jwk', key as CryptoKey)).x).toBe(publicKey.x);
    const changed = Buffer.from(canonicalJson({ ...STATEMENT, id: 'another' })).toString('base64url');
    await expect(flattenedVerify({ ...signature, payload: changed }, keySet)).rejects.toThrow();
  });
});

describe('publisherDid()', () => {
  test('names its methods by the identity and the thumbprint of the key, and controls them itself', async () => {
    const { id, verificationMethod = [], assertionMethod } = publisherDid(publication);
    expect(id).toBe(DID);
    expect(verificationMethod.map((method) => method.id)).toEqual(assertionMethod);
    for (const method of verificationMethod) {
      // DID 1.0 section 3.2: a DID, a number sign and a fragment of RFC 3986.
      expect(method.id).toMatch(/^did:web:[A-Za-z0-9.%-]+#[A-Za-z0-9_-]{43}$/);
      expect(method.id).toBe(`${DID}#${await keyId(method.publicKeyJwk.x)}`);
      expect(method).toMatchObject({ type: 'JsonWebKey', controller: DID, publicKeyJwk: { kty: 'OKP', crv: 'Ed25519' } });
    }
    expect(verificationMethod.map(({ expires }) => expires)).toEqual(['2026-06-30T23:59:59Z', undefined]);
  });

  test('has no methods without keys, and no service', () => {
    expect(publisherDid(without)).toEqual({ '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/jwk/v1'], id: DID });
    expect(Object.keys(publisherDid(publication))).toEqual(['@context', 'id', 'verificationMethod', 'assertionMethod']);
  });
});

const EMPTY_CORPUS = {
  $schema: '/schemas/corpus-manifest/1.json',
  type: 'CorpusManifest',
  issuer: { id: DID },
  corpusDigest: `sha256:${'0'.repeat(64)}`,
  capsules: 0,
  versions: 0,
  bundle: { parts: [] },
  changes: { count: 0, digest: null },
};

describe.each([
  ['the JWK Set', jwks(publication)],
  ['the DID document', publisherDid(publication)],
])('a verifier that trusts %s', (_name, document) => {
  const signed = async (secret: string, issued: string): Promise<boolean> => {
    const statement = { ...EMPTY_CORPUS, issued };
    const signatures = [await (await makeSigner(secret)).sign('corpus', statement)];
    const trust = JSON.stringify(document);
    const { exit } = await verify({ document: JSON.stringify({ statement, signatures }), trust, now: '2026-07-02T00:00:00Z' });
    expect([0, 2]).toContain(exit);
    return exit === 0;
  };

  test('takes what a retired key signed until its last day, and nothing of the day after', async () => {
    expect(await signed(old.secret, '2026-06-29T00:00:00Z')).toBe(true);
    expect(await signed(old.secret, '2026-06-30T00:00:00Z')).toBe(true);
    expect(await signed(old.secret, '2026-06-30T23:59:59Z')).toBe(true);
    expect(await signed(old.secret, '2026-07-01T00:00:00Z')).toBe(false);
    expect(await signed(fresh.secret, '2026-07-01T00:00:00Z')).toBe(true);
  });

  test('takes nothing that another key signed', async () => {
    expect(await signed((await makePrivateKey()).secret, '2026-06-30T00:00:00Z')).toBe(false);
  });
});
