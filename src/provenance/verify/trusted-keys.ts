import { fromBase64Url, type Source, sha256, toBase64Url, toBytes } from '../bytes.ts';
import type { DetachedSignature } from '../lineage-records.ts';
import { canonical } from './canonical.ts';
import type { SignedStatement } from './documents.ts';
import { demand, readJson } from './json-text.ts';
import { DID_DOCUMENT, fits, JWK_SET, METHOD, TEXT } from './proof-schemas.ts';

/** Says whether one of the signatures on a statement, of which the form was checked, is by a trusted key. */
export type IsSigned = (statement: SignedStatement, signatures: readonly DetachedSignature[]) => Promise<boolean>;

/** The latest of all timestamps. */
const LAST_TIMESTAMP = '9999-12-31T23:59:59Z';

/** A public key of which the form was checked. */
interface Jwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly exp?: number;
}

/** Members of both kinds of trust, of which the form was checked. */
interface Trust {
  readonly keys?: readonly unknown[];
  readonly issuer?: string;
  readonly id?: string;
  readonly verificationMethod: readonly unknown[];
  readonly assertionMethod: readonly unknown[];
}

/**
 * Reads a JWK Set (RFC 7517) or a DID document (DID 1.0, section 5); keys that cannot be used are ignored.
 *
 * @throws If it has another form, or no key that can be used.
 */
export async function readTrust(source: Source): Promise<IsSigned> {
  const trust = readJson(source) as Trust;
  demand(fits(trust, JWK_SET, DID_DOCUMENT));
  const { keys, issuer, id, verificationMethod, assertionMethod } = trust;
  const identity = keys ? issuer : id;
  const trusted: [key: CryptoKey, kid: string, retired: number][] = [];
  let problem: unknown = 'no key';
  for (const entry of keys ?? verificationMethod)
    try {
      const method = (keys ? { publicKeyJwk: entry } : entry) as { id: string; publicKeyJwk: Jwk; expires?: string };
      demand(fits(method, METHOD) && (keys || (fits(method.id, TEXT) && assertionMethod.includes(method.id))));
      const { expires = LAST_TIMESTAMP, publicKeyJwk } = method;
      const { crv, kty, x, exp = Infinity } = publicKeyJwk;
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
      for (const item of signatures.slice(0, 8)) {
        const { protected: header, signature } = Object(item) as DetachedSignature;
        const bytes = fits(signature, TEXT) ? fromBase64Url(signature) : undefined;
        if (
          (identity ?? issuer.id) === issuer.id &&
          Date.parse(issued) <= retired &&
          ['Ed25519', 'EdDSA'].some(
            (alg) => header === toBase64Url(`{"alg":"${alg}","kid":"${kid}","typ":"${$schema.split('/')[2]}+jws"}`),
          ) &&
          bytes?.length === 64 &&
          (await crypto.subtle.verify('Ed25519', key, bytes, toBytes(`${header}.${toBase64Url(canonical(statement))}`)))
        )
          return true;
      }
    return false;
  };
}
