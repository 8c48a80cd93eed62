import { base64Url, issuer } from './parties.ts';
import { didDocument, JWKS, makeLineage, PUBLISHER } from './sample.ts';
import { type Given, trusted, unsigned, type Vector, vector } from './vector.ts';

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
