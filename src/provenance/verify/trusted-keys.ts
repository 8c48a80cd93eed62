import { canonical, thumbprint, toBase64Url } from './canonical.ts';
import type { Signature, Statement } from './documents.ts';
import { isObject, type Loose, readJson, type Source, toBytes } from './json-text.ts';

/** Types of statements, as `typ` names them. */
export type StatementType = 'capsule-version' | 'lineage-head' | 'corpus-manifest';

/** Says whether one of the signatures on a statement is by a trusted key. */
export type IsSigned = (type: StatementType, statement: Statement, signatures: readonly Signature[]) => Promise<boolean>;

/** An `x` of 32 bytes and a signature of 64 in base64url, of which the last letter has no bit to spare. */
const KEY = /^[\w-]{42}[AEIMQUYcgkosw048]$/;
const SIGNATURE = /^[\w-]{85}[AQgw]$/;

const bytesOf = (base64Url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64Url.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0));

/**
 * Reads a JWK Set (RFC 7517) or a DID document (DID 1.0, section 5); keys of other kinds are passed over.
 *
 * @throws {Error} If it has no key that can be used.
 */
export async function readTrust(source: Source): Promise<IsSigned> {
  const { keys, issuer, id, verificationMethod, assertionMethod } = readJson(source) as Readonly<Record<string, Loose[]>>;
  const identity: unknown = keys ? issuer : id;
  const methods: Loose[] = keys
    ? keys.filter(isObject).map((jwk) => ({ publicKeyJwk: jwk, expires: jwk['exp'] }))
    : (verificationMethod ?? []).filter((method) => isObject(method) && assertionMethod?.includes(method['id'] as Loose));
  const trusted: [key: CryptoKey, kid: string, retired: number][] = [];
  let problem = 'no usable key in the trust';
  for (const { publicKeyJwk, expires } of methods) {
    const { kty, crv, x } = (publicKeyJwk ?? {}) as Loose;
    if (kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string' && KEY.test(x))
      try {
        trusted.push([
          await crypto.subtle.importKey('jwk', { kty, crv, x }, crv, true, ['verify']),
          await thumbprint(x),
          expires === undefined ? Infinity : typeof expires === 'number' ? expires * 1000 : Date.parse(expires as string),
        ]);
      } catch {
        problem = 'this runtime cannot check Ed25519';
      }
  }
  if (!trusted.length) throw new Error(problem);
  return async (type, statement, signatures) => {
    for (const [key, kid, retired] of trusted)
      for (const { protected: header, signature } of signatures)
        if (
          ((keys && typeof identity !== 'string') || statement.issuer.id === identity) &&
          Date.parse(statement.issued) <= retired &&
          ['Ed25519', 'EdDSA'].some((alg) => header === toBase64Url(`{"alg":"${alg}","kid":"${kid}","typ":"${type}+jws"}`)) &&
          SIGNATURE.test(signature) &&
          (await crypto.subtle.verify('Ed25519', key, bytesOf(signature), toBytes(`${header}.${toBase64Url(canonical(statement))}`)))
        )
          return true;
    return false;
  };
}
