import { calculateJwkThumbprint, FlattenedSign, importJWK, type JWK } from 'jose';
import { fromBase64Url } from './bytes-and-sha256.ts';
import { canonicalJson } from './canonical-json.ts';
import type { DetachedSignature } from './lineage-records.ts';

/** Types of signed statements; a signature on one type is invalid for another (RFC 8725 section 3.11). */
export const STATEMENT_TYPES = {
  record: 'capsule-version+jws',
  head: 'lineage-head+jws',
  corpus: 'corpus-manifest+jws',
  tombstone: 'tombstone+jws',
} as const;
export type StatementKind = keyof typeof STATEMENT_TYPES;

/** A published Ed25519 key (RFC 8037). */
export interface PublicKey {
  readonly kid: string;
  readonly x: string;
}

export interface Signer {
  readonly publicKey: PublicKey;
  readonly sign: (kind: StatementKind, statement: object) => Promise<DetachedSignature>;
}

/** The PKCS #8 form of an Ed25519 key before its 32 secret bytes (RFC 8410 section 7). */
const PKCS8_PREFIX = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/** Contexts of a DID document (DID 1.0) and of methods of the type `JsonWebKey` (Controlled Identifiers 1.0, "JsonWebKey"). */
const DID_CONTEXTS = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/jwk/v1'] as const;

/** Public keys whose private keys are examples in standards: RFC 8032 section 7.1, TEST 1 to 3; RFC 8037 appendix A.1 has the first. */
const PRINTED_KEYS: readonly string[] = [
  '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw',
  '_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU',
];

export function isPrintedKey(x: string): boolean {
  return PRINTED_KEYS.includes(x);
}

/** The text is not a usable private key. The message does not show it. */
export class PrivateKeyError extends Error {
  override readonly name = 'PrivateKeyError';
}

/**
 * A signer with a private key.
 *
 * @param secret The 32 secret bytes in base64url, without padding: 43 characters.
 * @throws {PrivateKeyError} If it has another form, or is an example in a standard and so not secret.
 */
export async function makeSigner(secret: string): Promise<Signer> {
  const signer = await signerOf(secret);
  if (isPrintedKey(signer.publicKey.x)) throw new PrivateKeyError('is an example key of a standard, so it is not secret');
  return signer;
}

export async function signerOf(secret: string): Promise<Signer> {
  const bytes = fromBase64Url(secret);
  if (bytes?.length !== 32) throw new PrivateKeyError('is not 32 bytes in base64url, which are 43 characters');
  const jwk = (await crypto.subtle.exportKey('jwk', await ed25519Key(bytes))) as JWK;
  const publicKey = await publicKeyOf(jwk);
  const key = await importJWK(jwk, 'Ed25519');
  return {
    publicKey,
    sign: async (kind, statement) => {
      const payload = new TextEncoder().encode(canonicalJson(statement));
      const signed = await new FlattenedSign(payload)
        .setProtectedHeader({ alg: 'Ed25519', kid: publicKey.kid, typ: STATEMENT_TYPES[kind] })
        .sign(key);
      return { protected: signed.protected ?? '', signature: signed.signature };
    },
  };
}

/** The document of a DID whose keys make assertions, by their fragments (DID 1.0; Controlled Identifiers 1.0 for `JsonWebKey` and `expires`). */
export function didDocument<Key extends { readonly fragment: string; readonly publicKeyJwk: object; readonly expires?: string }>(
  id: string,
  keys: readonly Key[],
) {
  const methods = keys.map(({ fragment, ...key }) => ({ id: `${id}#${fragment}`, type: 'JsonWebKey', controller: id, ...key }));
  return {
    '@context': DID_CONTEXTS,
    id,
    ...(methods.length === 0 ? {} : { verificationMethod: methods, assertionMethod: methods.map(({ id }) => id) }),
  };
}

/** A new private key, in the form that {@link makeSigner} accepts, with its public key. */
export async function makePrivateKey(): Promise<{ secret: string; publicKey: PublicKey }> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const jwk = (await crypto.subtle.exportKey('jwk', (pair as CryptoKeyPair).privateKey)) as JWK;
  return { secret: jwk.d ?? '', publicKey: await publicKeyOf(jwk) };
}

/** RFC 7638 thumbprint of a public key. */
export function keyId(x: string): Promise<string> {
  return calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
}

async function publicKeyOf({ x = '' }: JWK): Promise<PublicKey> {
  return { kid: await keyId(x), x };
}

export function ed25519Key(secret: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey('pkcs8', Uint8Array.from([...PKCS8_PREFIX, ...secret]), 'Ed25519', true, ['sign']);
}
