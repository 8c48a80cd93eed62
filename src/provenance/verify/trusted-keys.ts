import { canonical, sha256, toBase64Url } from './canonical.ts';
import type { Signature, Statement } from './documents.ts';
import { readJson, type Source, toBytes } from './json-text.ts';

/** Says whether one of the signatures on a statement, of which the form was checked, is by a trusted key. */
export type IsSigned = (statement: Statement, signatures: readonly Signature[]) => Promise<boolean>;

/** An Ed25519 key (RFC 8037, section 2), or something else. */
interface Jwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}

/** A key of a JWK Set (RFC 7517), or a verification method of a DID document (DID 1.0, section 5). */
interface Method extends Jwk {
  readonly exp?: number;
  readonly id: string;
  readonly publicKeyJwk: Jwk;
  readonly expires?: string;
}

/** Members of both kinds of documents. */
interface Trust {
  readonly keys?: readonly Method[];
  readonly issuer?: string;
  readonly id?: string;
  readonly verificationMethod: readonly Method[];
  readonly assertionMethod: readonly string[];
}

/**
 * Reads a JWK Set or a DID document; keys of other kinds are passed over.
 *
 * @throws If it has no key that can be used.
 */
export async function readTrust(source: Source): Promise<IsSigned> {
  const { keys, issuer, id, verificationMethod, assertionMethod } = readJson(source) as Trust;
  const identity = keys ? issuer : id;
  const trusted: [key: CryptoKey, kid: string, retired: number][] = [];
  let problem: unknown = 'no key';
  for (const method of keys ?? verificationMethod)
    try {
      const { exp = Infinity, expires = '9999' } = method;
      const { crv, kty, x } = keys ? method : ((assertionMethod.includes(method.id) && method.publicKeyJwk) as Jwk);
      trusted.push([
        await crypto.subtle.importKey('jwk', { crv, kty, x }, 'Ed25519', true, ['verify']),
        toBase64Url(await sha256(canonical({ crv, kty, x }))),
        Math.min(exp * 1000, Date.parse(expires)),
      ]);
    } catch (error) {
      problem = error;
    }
  if (!trusted.length) throw problem;
  return async (statement, signatures) => {
    const { $schema, issuer, issued } = statement;
    for (const [key, kid, retired] of trusted)
      for (const { protected: header, signature } of signatures.slice(0, 8))
        if (
          (identity ?? issuer.id) === issuer.id &&
          Date.parse(issued) <= retired &&
          ['Ed25519', 'EdDSA'].some(
            (alg) => header === toBase64Url(`{"alg":"${alg}","kid":"${kid}","typ":"${$schema.split('/')[2]}+jws"}`),
          ) &&
          /* 64 bytes, the last letter without a bit to spare */ signature.match(/^[\w-]{85}[AQgw]$/) &&
          (await crypto.subtle.verify(
            'Ed25519',
            key,
            Uint8Array.from(atob(signature.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0)),
            toBytes(`${header}.${toBase64Url(canonical(statement))}`),
          ))
        )
          return true;
    return false;
  };
}
