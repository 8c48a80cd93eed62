import { createHmac } from 'node:crypto';
import { attacker, base64Url, canonicalForm, issuer, type Jws, type Party, retired } from './parties.ts';
import { didDocument, JWKS, JWKS_OF_ATTACKER, makeLineage, NOW, PUBLISHER, type SampleLineage } from './sample.ts';
import { at, changed, edited, type Given, lineageGiven, trusted, unsigned, type Vector, vector } from './vector.ts';

const HEADER = { alg: 'Ed25519', kid: issuer.kid, typ: 'capsule-version+jws' };
const RETIRED_AT = Date.parse('2026-11-20T12:00:00Z') / 1000;
const jwks = (...keys: unknown[]): string => JSON.stringify({ keys });

const withSignatures = (lineage: SampleLineage, ...signatures: Jws[]): SampleLineage =>
  changed(lineage, ({ versions }) => Object.assign(at(versions, 0), { signatures: signatures }));

async function forged(): Promise<Vector[]> {
  const trust = JWKS;
  const clean = await makeLineage({ by: issuer });
  const { record, signatures } = at(clean.versions, 0);
  const good = at(signatures, 0);
  const under = async (header: string, by: Party = issuer) => trusted(withSignatures(clean, await by.signUnder(header, record)));
  const signedBy = (signature: Jws) => trusted(withSignatures(clean, signature));
  const none = { protected: base64Url(JSON.stringify({ ...HEADER, alg: 'none' })), signature: '' };
  const hs256 = base64Url(JSON.stringify({ ...HEADER, alg: 'HS256' }));
  const mac = createHmac('sha256', Buffer.from(issuer.jwk.x, 'base64url'))
    .update(`${hs256}.${base64Url(canonicalForm(record))}`)
    .digest();
  const reversed = JSON.stringify({ typ: HEADER.typ, kid: HEADER.kid, alg: HEADER.alg });
  const spare = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = spare.indexOf(good.signature.slice(-1));
  return [
    unsigned('kid-is-a-lie: A header names the trusted key, but another key signed.', await under(JSON.stringify(HEADER), attacker)),
    unsigned('kid-of-attacker: Another key signed and says so.', await under(JSON.stringify({ ...HEADER, kid: attacker.kid }), attacker)),
    unsigned(
      'good-signature-as-the-ninth: Eight signatures that count for nothing hide a good one: no more are looked at.',
      lineageGiven(withSignatures(clean, ...Array.from({ length: 8 }, () => none), good), { trust }),
    ),
    vector(
      'good-signature-as-the-eighth: Seven signatures that count for nothing stand before a good one.',
      lineageGiven(withSignatures(clean, ...Array.from({ length: 7 }, () => none), good), { trust }),
    ),
    unsigned('alg-none: A header that asks for no signature.', signedBy(none)),
    unsigned(
      'alg-none-with-good-signature: A header that asks for no signature beside one.',
      signedBy({ ...good, protected: none.protected }),
    ),
    unsigned(
      'alg-hs256-with-public-key: A MAC under the public key as its secret.',
      signedBy({ protected: hs256, signature: base64Url(mac) }),
    ),
    unsigned('alg-es256: A header that names another algorithm.', await under(JSON.stringify({ ...HEADER, alg: 'ES256' }))),
    unsigned(
      'protected-with-crit: A header with crit is not one of the two texts.',
      await under(JSON.stringify({ ...HEADER, crit: ['b64'], b64: false })),
    ),
    unsigned('protected-in-another-order: A header with its members in another order.', await under(reversed)),
    unsigned('protected-with-white-space: A header with a blank in it.', await under(JSON.stringify(HEADER).replace(',', ', '))),
    unsigned(
      'protected-with-jwk: A header that brings its own key.',
      await under(JSON.stringify({ ...HEADER, jwk: attacker.jwk }), attacker),
    ),
    unsigned(
      'protected-with-jwk-of-issuer: A header with the trusted key in it.',
      await under(JSON.stringify({ ...HEADER, jwk: issuer.jwk })),
    ),
    unsigned(
      'protected-with-jku: A header that says where its key is.',
      await under(JSON.stringify({ ...HEADER, jku: 'https://attacker.example/jwks.json' }), attacker),
    ),
    unsigned(
      'protected-without-typ: A header that does not say what was signed.',
      await under(JSON.stringify({ alg: 'Ed25519', kid: issuer.kid })),
    ),
    unsigned('protected-padded: A header in base64url with padding.', signedBy({ ...good, protected: `${good.protected}=` })),
    unsigned('signature-padded: A signature in base64url with padding.', signedBy({ ...good, signature: `${good.signature}==` })),
    unsigned(
      'signature-with-spare-bits: A signature whose last letter has bits that say nothing.',
      signedBy({ ...good, signature: good.signature.slice(0, -1) + at([...spare], last + 1) }),
    ),
    unsigned('signature-after-white-space: A signature with a space before it.', signedBy({ ...good, signature: ` ${good.signature}` })),
    unsigned(
      'signature-in-base64: A signature with the letters of base64.',
      signedBy({ ...good, signature: `${good.signature.replaceAll('-', '+').replaceAll('_', '/')}==` }),
    ),
    unsigned(
      'signature-cut: A signature without its last byte.',
      signedBy({ ...good, signature: base64Url(Buffer.from(good.signature, 'base64url').subarray(0, 63)) }),
    ),
    unsigned('signature-empty: An empty signature.', signedBy({ ...good, signature: '' })),
    unsigned(
      'signature-not-reduced: A signature with the order of the group added to its second half (RFC 8032, section 5.1.7).',
      signedBy({ ...good, signature: unreduced(good.signature) }),
    ),
    unsigned('protected-empty: A signature over the record under an empty header.', await under('')),
    unsigned('head-signature-on-record: A signature of the head stands on the record.', signedBy(at(clean.head.signatures, 0))),
    unsigned('record-signed-as-head: A record that was signed as if it were a head.', signedBy(await issuer.sign('lineage-head', record))),
    unsigned(
      'head-signed-as-record: A head that was signed as if it were a record.',
      lineageGiven(
        { ...clean, head: { ...clean.head, signatures: [await issuer.sign('capsule-version', clean.head.statement)] } },
        { trust },
      ),
    ),
    unsigned(
      'record-unsigned: One of three records has no signature.',
      edited(await makeLineage({ by: issuer, count: 3 }), ({ versions }) => Object.assign(at(versions, 1), { signatures: [] })),
    ),
    unsigned('nothing-signed: Trust was given, and nothing is signed.', trusted(await makeLineage())),
    vector(
      'unprotected-header-is-nothing: Members beside protected and signature have no effect.',
      edited(clean, ({ versions }) =>
        Object.assign(at(at(versions, 0).signatures, 0), { header: { alg: 'none', jwk: attacker.jwk }, payload: 'e30' }),
      ),
    ),
    vector(
      'second-signature-is-good: One good signature is enough beside others.',
      trusted(withSignatures(clean, await attacker.sign('capsule-version', record), none, good)),
    ),
  ];
}

/** The same signature with S + L for S, which verifiers of before would take. */
function unreduced(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  let s = 0n;
  for (const byte of bytes.subarray(32).reverse()) s = (s << 8n) | BigInt(byte);
  s += 2n ** 252n + 27742317777372353535851937790883648493n;
  const half = Buffer.alloc(32);
  for (let index = 0; index < 32; index += 1) half[index] = Number((s >> BigInt(8 * index)) & 255n);
  return base64Url(Buffer.concat([Buffer.from(signature, 'base64url').subarray(0, 32), half]));
}

async function trusts(): Promise<Vector[]> {
  const clean = await makeLineage({ by: issuer });
  const two = await makeLineage({
    by: retired,
    count: 2,
    changeHead: { issued: '2026-11-20T00:00:00Z' },
  });
  const three = await makeLineage({ by: retired, count: 3 });
  const foreign = await makeLineage({
    by: issuer,
    change: { issuer: { id: 'did:web:other.example', name: 'Other' } },
    changeHead: { issuer: { id: 'did:web:other.example', name: 'Other' } },
  });
  const { x } = issuer.jwk;
  const given = (trust: string, lineage = clean) => trusted(lineage, { trust });
  const key = { ...retired.jwk, exp: RETIRED_AT };
  const did = JSON.parse(didDocument([{ party: issuer }])) as Record<string, unknown>;
  return [
    vector(
      'trust-key-lies-about-its-kid: The kid that a JWK Set claims is not looked at.',
      given(jwks({ ...issuer.jwk, kid: attacker.kid })),
    ),
    unsigned('trust-of-attacker: The trust has another key.', given(JWKS_OF_ATTACKER)),
    vector(
      'trust-has-many-keys: Keys of other kinds are passed over.',
      given(
        jwks(
          { kty: 'RSA', n: 'AQAB', e: 'AQAB' },
          null,
          7,
          { kty: 'EC', crv: 'P-256', x, y: x },
          { ...issuer.jwk, crv: 'Ed448' },
          { ...issuer.jwk, crv: 'X25519' },
          attacker.jwk,
          issuer.jwk,
        ),
      ),
    ),
    unsigned('trust-without-ed25519: A JWK Set without a key that can be used.', given(jwks({ kty: 'EC', crv: 'P-256', x, y: x }))),
    unsigned('trust-is-empty: A JWK Set without any key.', given(jwks())),
    unsigned('trust-is-garbage: Trust that is no JSON.', given('garbage')),
    unsigned('trust-is-null: Trust that is JSON and neither form.', given('null')),
    unsigned('trust-is-a-single-key: A key alone is no JWK Set.', given(JSON.stringify(issuer.jwk))),
    unsigned(
      'trust-is-garbage-for-unsigned: Trust that cannot be used fails the check even where nothing is signed.',
      given('{}', await makeLineage()),
    ),
    unsigned(
      'trust-key-too-short: A key of 31 bytes is no key.',
      given(jwks({ ...issuer.jwk, x: base64Url(Buffer.from(x, 'base64url').subarray(0, 31)) })),
    ),
    vector(
      'trust-set-names-issuer: A JWK Set that names its issuer holds for that issuer.',
      given(JSON.stringify({ issuer: PUBLISHER.id, keys: [issuer.jwk] })),
    ),
    unsigned(
      'trust-set-names-another-issuer: A JWK Set that names another issuer holds for no statement of this one.',
      given(JSON.stringify({ issuer: 'did:web:other.example', keys: [issuer.jwk] })),
    ),
    unsigned(
      'issuer-is-not-the-did: Statements of another issuer, signed by the key of this identity.',
      given(didDocument([{ party: issuer }]), foreign),
    ),
    vector('issuer-differs-under-jwks: A JWK Set that names no issuer holds for any.', given(JWKS, foreign)),
    unsigned(
      'did-of-another: The DID document is of another identity with the same key.',
      given(didDocument([{ party: issuer }], 'did:web:other.example')),
    ),
    unsigned(
      'did-key-only-authenticates: A key that is not in assertionMethod signs no statement.',
      given(didDocument([{ party: attacker }, { party: issuer, asserts: false }])),
    ),
    unsigned(
      'did-without-assertion-method: A DID document without assertionMethod has no key for statements.',
      given(JSON.stringify({ ...did, assertionMethod: undefined })),
    ),
    vector('did-with-two-keys: Each of the keys of a DID document may sign.', given(didDocument([{ party: attacker }, { party: issuer }]))),
    vector('retired-key-before: A retired key counts for what was issued before.', given(jwks(key, issuer.jwk), two)),
    unsigned('retired-key-after: A retired key does not count for what was issued afterwards.', given(jwks(key, issuer.jwk), three)),
    vector(
      'retired-key-to-the-second: A key counts for the second in which it was retired.',
      given(jwks({ ...retired.jwk, exp: Date.parse('2026-11-21T00:00:00Z') / 1000 }), three),
    ),
    vector(
      'retired-did-key-before: A retired key of a DID document counts for what was issued before.',
      given(didDocument([{ party: retired, expires: '2026-11-20T12:00:00Z' }, { party: issuer }]), two),
    ),
    unsigned(
      'retired-did-key-after: A retired key of a DID document does not count for what was issued afterwards.',
      given(didDocument([{ party: retired, expires: '2026-11-20T12:00:00Z' }, { party: issuer }]), three),
    ),
    vector('known-and-trust [known signature]: Signature and older copy are both looked at.', {
      ...given(JWKS_OF_ATTACKER),
      now: NOW,
      known: 'garbage',
    }),
  ];
}

export const signatureVectors = async (): Promise<Vector[]> => [...(await forged()), ...(await trusts())];

/** Trust with members of the wrong form around a key that signed; none of them may be converted into the right one. */
export async function trustVectors(): Promise<Vector[]> {
  const clean = await makeLineage({ by: issuer });
  const under = (trust: string): Given => trusted(clean, { trust });
  const holds = (title: string, trust: string): Vector => vector(title, under(trust));
  const fails = (title: string, trust: string): Vector => unsigned(title, under(trust));
  const key = (members: object): string => JSON.stringify({ keys: [{ ...issuer.jwk, ...members }] });
  const exp = (text: string): string => JSON.stringify({ keys: [issuer.jwk] }).replace('"kty"', `"exp":${text},"kty"`);
  const { x } = issuer.jwk;
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const withSpareBit = x.slice(0, -1) + letters[letters.indexOf(x.slice(-1)) + 1];
  const did = JSON.parse(didDocument([{ party: issuer }])) as { id: string; verificationMethod: object[]; assertionMethod: string[] };
  const [name = ''] = did.assertionMethod;
  const document = (members: object): string => JSON.stringify({ ...did, ...members });
  const method = (members: object): string => document({ verificationMethod: [{ ...did.verificationMethod[0], ...members }] });

  return [
    fails('trust-exp-text: A time of retirement that is a text is no time.', key({ exp: '9999999999' })),
    fails('trust-exp-fraction: A time of retirement with a fraction of a second.', key({ exp: 9999999999.5 })),
    fails('trust-exp-infinite: A time of retirement too large for any number.', exp('1e400')),
    fails('trust-exp-too-large: A time of retirement that would be rounded.', exp('9007199254740993')),
    fails('trust-exp-negative: A time of retirement before 1970.', key({ exp: -1 })),
    fails('trust-exp-null: A time of retirement that is null.', key({ exp: null })),
    fails('trust-exp-list: A time of retirement in an array.', key({ exp: [9999999999] })),
    holds('trust-exp-with-fraction-of-0: A whole number may be written with a fraction of 0.', exp('9999999999.0')),
    holds('trust-exp-at-the-bound: The largest whole number is a time of retirement.', key({ exp: 2 ** 53 - 1 })),
    fails('trust-key-for-encryption: A key whose use is encryption signs nothing.', key({ use: 'enc' })),
    fails('trust-key-use-list: The use of a key in an array.', key({ use: ['sig'] })),
    fails('trust-key-ops-sign: A key that may not verify.', key({ key_ops: ['sign'] })),
    fails('trust-key-ops-text: Operations of a key that are a text.', key({ key_ops: 'verify' })),
    holds('trust-key-ops-verify: A key that may verify, among other things.', key({ key_ops: ['sign', 'verify'] })),
    fails('trust-key-alg-es256: A key of another algorithm.', key({ alg: 'ES256' })),
    fails('trust-key-alg-lower-case: The name of an algorithm in small letters.', key({ alg: 'eddsa' })),
    holds('trust-key-alg-eddsa: A key with the older name of its algorithm.', key({ alg: 'EdDSA' })),
    fails('trust-key-kty-list: The type of a key in an array.', key({ kty: ['OKP'] })),
    fails('trust-key-crv-lower-case: The name of a curve in small letters.', key({ crv: 'ed25519' })),
    fails('trust-key-x-list: The bytes of a key in an array.', key({ x: [x] })),
    fails('trust-key-x-padded: The bytes of a key in base64url with padding.', key({ x: `${x}=` })),
    fails('trust-key-x-with-spare-bit: The bytes of a key, whose last letter has a bit that says nothing.', key({ x: withSpareBit })),
    fails('trust-key-x-of-33-bytes: A key with a byte too many.', key({ x: base64Url(Buffer.alloc(33)) })),
    fails('trust-keys-object: Keys that are no array.', JSON.stringify({ keys: { 0: issuer.jwk, length: 1 } })),
    fails('trust-keys-null-in-did-document: A DID document with a member keys is a JWK Set, and none.', document({ keys: null })),
    fails('trust-keys-empty-in-did-document: A DID document with a list of keys is a JWK Set.', document({ keys: [] })),
    fails('trust-issuer-null: An issuer that is null instead of absent.', JSON.stringify({ issuer: null, keys: [issuer.jwk] })),
    fails('trust-issuer-list: An issuer in an array.', JSON.stringify({ issuer: [PUBLISHER.id], keys: [issuer.jwk] })),
    fails('trust-member-twice: A JWK Set with two lists of keys can be read in two ways.', JWKS.replace('{', '{"keys":[],')),
    fails('trust-in-proto: A member named __proto__ brings no keys with it.', `{"__proto__":${JWKS}}`),
    fails(
      'did-assertion-method-text: An assertionMethod that is a text names no key, whatever is in it.',
      document({ assertionMethod: name }),
    ),
    fails(
      'did-assertion-method-longer: An assertionMethod that begins with the id of a key names another.',
      document({ assertionMethod: [`${name}-2`, ` ${name}`] }),
    ),
    fails(
      'did-assertion-method-object: An assertionMethod that is no array.',
      document({ assertionMethod: { 0: name, length: 1, includes: true } }),
    ),
    fails('did-assertion-method-nested: The id of a key in an array within assertionMethod.', document({ assertionMethod: [[name]] })),
    fails(
      'did-method-id-null: Null in assertionMethod names no key without an id.',
      JSON.stringify({ ...(JSON.parse(method({ id: null })) as object), assertionMethod: [null] }),
    ),
    fails(
      'did-methods-object: Verification methods that are no array.',
      document({ verificationMethod: { 0: did.verificationMethod[0] } }),
    ),
    fails('did-without-id: A DID document that does not say of whom it is.', document({ id: undefined })),
    fails('did-id-list: The identity of a DID document in an array.', document({ id: [did.id] })),
    fails('did-method-revoked: A method with a member revoked is not used.', method({ revoked: '2027-01-01T00:00:00Z' })),
    fails('did-method-expires-year: A time of retirement that is only a year.', method({ expires: '2027' })),
    fails('did-method-expires-with-offset: A time of retirement in another zone.', method({ expires: '2027-01-01T00:00:00+00:00' })),
    fails('did-method-expires-no-date: A 30th of February.', method({ expires: '2027-02-30T00:00:00Z' })),
    fails('did-method-expires-null: A time of retirement that is null instead of absent.', method({ expires: null })),
    fails(
      'did-method-key-retired: A key that says itself when it was retired is held to it in a DID document too.',
      method({ expires: '2027-01-01T00:00:00Z', publicKeyJwk: { ...issuer.jwk, exp: 1 } }),
    ),
    fails('did-method-key-list: The key of a method in an array.', method({ publicKeyJwk: [issuer.jwk] })),
  ];
}
