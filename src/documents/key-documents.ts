import type { Publication } from '../publication/publication.ts';
import type { LineageKey } from '../schemas/knowledge/lineage.ts';

/** Contexts of a DID document (DID 1.0) and of methods of the type `JsonWebKey` (Controlled Identifiers 1.0, "JsonWebKey"). */
const DID_CONTEXTS = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/jwk/v1'] as const;

type KeySource = Pick<Publication, 'publisher' | 'keys'>;

/**
 * `/.well-known/jwks.json`: the keys of the publisher as a JWK Set (RFC 7517). `exp` is the last second, since 1970, of the day on which a
 * key was retired.
 */
export function jwks({ publisher, keys }: KeySource) {
  return {
    issuer: publisher.issuer,
    keys: keys.map((key) => ({ ...publicJwk(key), ...retirement(key, (end) => ({ exp: Date.parse(end) / 1000 })) })),
  };
}

/**
 * `/.well-known/did.json`: the document of the publisher's did:web identity, if the site is served from its host.
 *
 * @see https://www.w3.org/TR/did-1.0/ and, for `JsonWebKey` and `expires`, https://www.w3.org/TR/cid-1.0/
 */
export function didDocument({ publisher: { issuer }, keys }: KeySource) {
  const methods = keys.map((key) => ({
    id: `${issuer}#${key.kid}`,
    type: 'JsonWebKey',
    controller: issuer,
    publicKeyJwk: publicJwk(key),
    ...retirement(key, (expires) => ({ expires })),
  }));
  return {
    '@context': DID_CONTEXTS,
    id: issuer,
    ...(methods.length === 0 ? {} : { verificationMethod: methods, assertionMethod: methods.map(({ id }) => id) }),
  };
}

/** A public key as a JSON Web Key: Ed25519 (RFC 8037), for the algorithm of that name (RFC 9864). `kid` is the RFC 7638 thumbprint. */
function publicJwk({ kid, x }: LineageKey) {
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'Ed25519', use: 'sig' } as const;
}

/**
 * Members for the retirement of a key. They name the last second of the day: statements are issued at the beginning of a day, so the
 * next midnight would admit those of the day after.
 */
function retirement<T extends object>({ retired }: LineageKey, members: (end: string) => T): Partial<T> {
  return retired === undefined ? {} : members(`${retired}T23:59:59Z`);
}
