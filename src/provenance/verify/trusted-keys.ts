import { canonical, thumbprint, toBase64Url } from './canonical.ts';
import type { Signature, Statement } from './documents.ts';
import { isTimestamp } from './forms.ts';
import { isObject, readJson, type Source, toBytes } from './json-text.ts';

/** Types of statements, as `typ` names them. */
export type StatementType = 'capsule-version' | 'lineage-head' | 'corpus-manifest';

/** Says whether one of the signatures on a statement is by a trusted key. */
export type IsSigned = (type: StatementType, statement: Statement, signatures: readonly Signature[]) => Promise<boolean>;

/** A key as the trust gives it, and when it was retired, in milliseconds since 1970. */
type Candidate = readonly [jwk: unknown, retired: number];

/** An `x` of 32 bytes and a signature of 64 in base64url, of which the last letter has no bit to spare. */
const KEY = /^[\w-]{42}[AEIMQUYcgkosw048]$/;
const SIGNATURE = /^[\w-]{85}[AQgw]$/;

const bytesOf = (base64Url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64Url.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0));

const objects = (value: unknown): Readonly<Record<string, unknown>>[] => (value as unknown[]).filter(isObject);

/** Keys of a JWK Set (RFC 7517; `exp` as in RFC 7519, section 2). */
const keysOfSet = (keys: unknown): Candidate[] =>
  objects(keys).map((jwk) => [jwk, jwk['exp'] === undefined ? Infinity : typeof jwk['exp'] === 'number' ? jwk['exp'] * 1000 : NaN]);

/** Keys with which the subject of a DID document makes statements (DID 1.0, sections 5.2 and 5.3.2). */
const keysOfDocument = (methods: unknown, assertion: unknown): Candidate[] =>
  objects(methods)
    .filter(({ id }) => (assertion as unknown[]).includes(id))
    .map(({ publicKeyJwk, expires }) => [
      publicKeyJwk,
      expires === undefined ? Infinity : isTimestamp(expires) ? Date.parse(expires as string) : NaN,
    ]);

/**
 * Reads a JWK Set or a DID document; keys of other kinds are passed over.
 *
 * @throws {Error} If it has no key that can be used.
 */
export async function readTrust(source: Source): Promise<IsSigned> {
  const { keys, issuer, id, verificationMethod, assertionMethod } = readJson(source) as Readonly<Record<string, unknown>>;
  const trusted: { readonly key: CryptoKey; readonly kid: string; readonly retired: number }[] = [];
  let problem = 'no usable key in the trust';
  for (const [jwk, retired] of keys ? keysOfSet(keys) : keysOfDocument(verificationMethod, assertionMethod)) {
    const { kty, crv, x } = (jwk ?? {}) as Readonly<Record<string, unknown>>;
    if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || !KEY.test(x)) continue;
    try {
      trusted.push({
        key: await crypto.subtle.importKey('jwk', { kty, crv, x }, crv, true, ['verify']),
        kid: await thumbprint(x),
        retired,
      });
    } catch {
      problem = 'this runtime cannot check Ed25519';
    }
  }
  if (!trusted.length) throw new Error(problem);
  const identity = keys ? issuer : id;
  return async (type, statement, signatures) => {
    if ((!keys || typeof issuer === 'string') && statement.issuer.id !== identity) return false;
    for (const { key, kid, retired } of trusted) {
      const expected = ['Ed25519', 'EdDSA'].map((alg) => toBase64Url(`{"alg":"${alg}","kid":"${kid}","typ":"${type}+jws"}`));
      for (const { protected: header, signature } of signatures) {
        if (
          Date.parse(statement.issued) <= retired &&
          expected.includes(header) &&
          SIGNATURE.test(signature) &&
          (await crypto.subtle.verify('Ed25519', key, bytesOf(signature), toBytes(`${header}.${toBase64Url(canonical(statement))}`)))
        )
          return true;
      }
    }
    return false;
  };
}
