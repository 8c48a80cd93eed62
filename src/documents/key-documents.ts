import type { Publication } from '../publication/publication.ts';
import type { LineageKey } from '../schemas/knowledge/lineage.ts';

/** A public key as a JSON Web Key: Ed25519 (RFC 8037), for signatures of the algorithm of that name (RFC 9864). */
interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly alg: 'Ed25519';
  readonly use: 'sig';
}

/** JWK Set, with the identity whose keys they are. Readers pass over members that they do not know (RFC 7517 sections 4 and 5). */
export interface JwkSet {
  readonly issuer: string;
  /** `exp`: last second, since 1970, of the day on which a key was retired. */
  readonly keys: readonly (PublicJwk & { readonly exp?: number })[];
}

/** A key in a DID document (Controlled Identifiers 1.0, "Verification Methods"). */
interface VerificationMethod {
  readonly id: string;
  readonly type: 'JsonWebKey';
  readonly controller: string;
  readonly publicKeyJwk: PublicJwk;
  /** Last second of the day on which the key was retired. */
  readonly expires?: string;
}

/** Document of a did:web identity; one without keys has no methods. */
export interface DidDocument {
  readonly '@context': readonly string[];
  readonly id: string;
  readonly verificationMethod?: readonly VerificationMethod[];
  readonly assertionMethod?: readonly string[];
}

/** Contexts of a DID document (DID 1.0) and of methods of the type `JsonWebKey` (Controlled Identifiers 1.0, "JsonWebKey"). */
const DID_CONTEXTS = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/jwk/v1'] as const;

type KeySource = Pick<Publication, 'publisher' | 'keys'>;

/** `/.well-known/jwks.json`: the keys of the publisher, retired ones with the end of their time. */
export function jwks({ publisher, keys }: KeySource): JwkSet {
  return {
    issuer: publisher.issuer,
    keys: keys.map((key) => ({ ...publicJwk(key), ...retirement(key, (end) => ({ exp: Date.parse(end) / 1000 })) })),
  };
}

/**
 * `/.well-known/did.json`: the document that the publisher's did:web identity leads to, if the site is served from that host.
 *
 * @see https://www.w3.org/TR/did-1.0/ and, for `JsonWebKey` and `expires`, https://www.w3.org/TR/cid-1.0/
 */
export function didDocument({ publisher: { issuer }, keys }: KeySource): DidDocument {
  const methods = keys.map(
    (key): VerificationMethod => ({
      id: `${issuer}#${key.kid}`,
      type: 'JsonWebKey',
      controller: issuer,
      publicKeyJwk: publicJwk(key),
      ...retirement(key, (expires) => ({ expires })),
    }),
  );
  return {
    '@context': DID_CONTEXTS,
    id: issuer,
    ...(methods.length === 0 ? {} : { verificationMethod: methods, assertionMethod: methods.map(({ id }) => id) }),
  };
}

function publicJwk({ kid, x }: LineageKey): PublicJwk {
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'Ed25519', use: 'sig' };
}

/**
 * Members that say when a key was retired. Statements are issued at the beginning of a day, so the last second of the day of
 * retirement is given: midnight would let in those of the day after.
 */
function retirement<T extends object>({ retired }: LineageKey, members: (end: string) => T): T | Record<string, never> {
  return retired === undefined ? {} : members(`${retired}T23:59:59Z`);
}
