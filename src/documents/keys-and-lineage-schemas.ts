import { didDocument } from '../provenance/sign.ts';
import { namedSchemas } from '../schemas/json-schema.ts';
import { CorpusManifestStatement } from '../schemas/knowledge/corpus-responses.ts';
import { CapsuleVersionRecord, Lineage, LineageHeadStatement, type LineageKey, TombstoneStatement } from '../schemas/knowledge/lineage.ts';
import { PATHS } from '../schemas/paths.ts';
import type { DocumentFile, Publication } from '../text/publication-model.ts';

const SCHEMAS = {
  lineage: {
    path: PATHS.lineageSchema,
    schema: Lineage,
    title: 'Lineage of a capsule',
    description:
      'Chain of versions, statement about the newest one, and the graph of related capsules. Root-relative addresses belong to the site that published the document.',
  },
  version: {
    path: PATHS.capsuleVersionSchema,
    schema: CapsuleVersionRecord,
    title: 'Record of one version of a capsule',
    description: 'What is stated about one version. Its digest is the SHA-256 of its canonical JSON (RFC 8785).',
  },
  head: {
    path: PATHS.lineageHeadSchema,
    schema: LineageHeadStatement,
    title: 'Statement about the newest version',
    description: 'Names the newest record and the number of versions, so that a missing version is noticed.',
  },
  tombstone: {
    path: PATHS.tombstoneSchema,
    schema: TombstoneStatement,
    title: 'Statement that a capsule was taken down',
    description: 'Names the versions that were published, by their digests, the day and the reason.',
  },
  manifest: {
    path: PATHS.corpusManifestSchema,
    schema: CorpusManifestStatement,
    title: 'Statement about the whole corpus',
    description: 'Counts and digests of everything that is published, and where to get it, so that a missing part is noticed.',
  },
} as const;

/** Makes a JSON Schema (2020-12) of lineage documents. The schemas refer to each other by their addresses. */
export function lineageSchema(name: keyof typeof SCHEMAS): (publication: Pick<Publication, 'deployment'>) => Omit<DocumentFile, 'path'> {
  const { path, title, description } = SCHEMAS[name];
  const named = new Map(Object.values(SCHEMAS).map((entry) => [entry.path, entry.schema]));
  return ({ deployment }) => {
    const address = (other: string): string => deployment.baseUrl + other;
    const schema = namedSchemas(named, address, 'response').get(path);
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    return { contentType: 'application/json', body: JSON.stringify({ $schema, $id: address(path), title, description, ...schema }) };
  };
}

type KeySource = Pick<Publication, 'publisher' | 'keys'>;

/** A JWK Set (RFC 7517). `exp` is the last second, since 1970, of the day on which a key was retired. */
export function jwks({ publisher, keys }: KeySource) {
  return {
    issuer: publisher.issuer,
    keys: keys.map((key) => ({ ...publicJwk(key), ...retirement(key, (end) => ({ exp: Date.parse(end) / 1000 })) })),
  };
}

/** The publisher's did:web identity, if the site is served from its host. */
export function publisherDid({ publisher: { issuer }, keys }: KeySource) {
  const published = (key: LineageKey) => {
    return { fragment: key.kid, publicKeyJwk: publicJwk(key), ...retirement(key, (expires) => ({ expires })) };
  };
  return didDocument(issuer, keys.map(published));
}

/** A public key as a JSON Web Key: Ed25519 (RFC 8037), for the algorithm of that name (RFC 9864). `kid` is the RFC 7638 thumbprint. */
function publicJwk({ kid, x }: LineageKey) {
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'Ed25519', use: 'sig' } as const;
}

/** The last second of the day: statements are issued at the beginning of a day, so the next midnight would admit those of the day after. */
function retirement<T extends object>({ retired }: LineageKey, members: (end: string) => T): Partial<T> {
  return retired === undefined ? {} : members(`${retired}T23:59:59Z`);
}
