import { fromBase64Url, type Source, sha256, toBase64Url, toBytes } from '../bytes.ts';
import type { DetachedSignature } from '../lineage-records.ts';
import type { SignedStatement } from './documents.ts';
import { canonical, demand, readJson } from './json.ts';
import { DID_DOCUMENT, fits, JWK_SET, METHOD, TEXT } from './proof-schemas.ts';

/** Whether a trusted key made one of the signatures on a statement, whose form was checked. */
export type VerifySignatures = (statement: SignedStatement, signatures: readonly DetachedSignature[]) => Promise<boolean>;

/** The latest timestamp. */
const LAST_TIMESTAMP = '9999-12-31T23:59:59Z';

/** A public key whose form was checked. */
interface Jwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly exp?: number;
}

/** Members of both kinds of trust, whose form was checked. */
interface Trust {
  readonly keys?: readonly unknown[];
  readonly issuer?: string;
  readonly id?: string;
  readonly verificationMethod: readonly unknown[];
  readonly assertionMethod: readonly unknown[];
}

/**
 * Verifies signatures with the keys of a JWK Set (RFC 7517) or a DID document (DID 1.0, section 5); unusable keys are ignored.
 *
 * @throws If it has another form, or no usable key.
 */
export async function signatureVerifier(source: Source): Promise<VerifySignatures> {
  const trust = readJson(source) as Trust;
  demand(fits(trust, JWK_SET, DID_DOCUMENT));
  const { keys, issuer, id, verificationMethod, assertionMethod } = trust;
  const identity = keys ? issuer : id;
  const trusted: [key: CryptoKey, kid: string, expiresAtMs: number][] = [];
  let fault: unknown = 'no key';
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
      fault = error;
    }
  if (!trusted.length) throw fault;
  return async (statement, signatures) => {
    const { $schema, issuer, issued } = statement;
    for (const [key, kid, expiresAtMs] of trusted)
      for (const item of signatures.slice(0, 8)) {
        const { protected: header, signature } = Object(item) as DetachedSignature;
        const bytes = fits(signature, TEXT) ? fromBase64Url(signature) : undefined;
        if (
          (identity ?? issuer.id) === issuer.id &&
          Date.parse(issued) <= expiresAtMs &&
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
