import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { calculateJwkThumbprint, FlattenedSign, importJWK } from 'jose';

/** Types of statements, as `typ` names them. */
export type Typ = 'capsule-version' | 'lineage-head' | 'corpus-manifest';

export interface Jws {
  protected: string;
  signature: string;
}

export interface Party {
  readonly jwk: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };
  readonly kid: string;
  readonly sign: (typ: Typ, statement: object) => Promise<Jws>;
}

export function canonicalForm(statement: unknown): string {
  const text = canonicalize(statement);
  if (text === undefined) throw new TypeError('no JSON');
  return text;
}

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
export const nameOf = (statement: unknown): string => `sha256:${sha256(canonicalForm(statement))}`;
export const base64Url = (data: string | Uint8Array): string => Buffer.from(data).toString('base64url');

async function party(secret: string, publicKey: string): Promise<Party> {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey, 'hex').toString('base64url') } as const;
  const privateJwk = { ...jwk, d: Buffer.from(secret, 'hex').toString('base64url') };
  const key = await importJWK(privateJwk, 'Ed25519');
  const kid = await calculateJwkThumbprint(jwk);
  return {
    jwk,
    kid,
    sign: async (typ, statement) => {
      const payload = new TextEncoder().encode(canonicalForm(statement));
      const signed = await new FlattenedSign(payload).setProtectedHeader({ alg: 'Ed25519', kid, typ: `${typ}+jws` }).sign(key);
      return { protected: signed.protected ?? '', signature: signed.signature };
    },
  };
}

/*
 * The key pairs of RFC 8032, section 7.1, TEST 1 and 2. Their private halves are printed there for everyone to read, so that they protect
 * nothing: whoever signs anything but test vectors with them signs it for the whole world.
 */

/** Whose publication it is: TEST 1. */
export const issuer = await party(
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
);

/** Whoever wants to be taken for the issuer: TEST 2. */
export const attacker = await party(
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
);
