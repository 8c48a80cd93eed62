import { protocolDocuments } from '../protocols/protocols.ts';
import type { Publication } from '../publication/publication.ts';
import { routeTable } from '../routes/route-table.ts';
import { PATHS } from '../schemas/paths.ts';

/** A machine-readable document of the site, as lists of documents show it. */
export interface MachineDocument {
  /** Name in lists of documents; permanent. */
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly note: string;
  readonly kind: 'commerce' | 'knowledge' | 'description';
}

const document = <const Name extends string>(
  name: Name,
  path: string,
  kind: MachineDocument['kind'],
  title: string,
  note: string,
): MachineDocument & { readonly name: Name } => ({ name, path, title, note, kind });

const SCHEMA_NOTE = 'JSON Schema 2020-12 of';

/** The catalog. Documents of protocols follow it in lists. */
const CATALOG_DOCUMENTS = [
  document('offers', PATHS.offersJson, 'commerce', 'Offer catalog', 'all offers with prices, pages and checkout links, as JSON'),
  document('buy_json', PATHS.buyJson, 'commerce', 'buy.json', 'the same bytes as the offer catalog'),
  document('pricing', PATHS.pricingJson, 'commerce', 'pricing.json', 'the same bytes as the offer catalog'),
  document('offers_schema', PATHS.offersSchema, 'commerce', 'Catalog schema', `${SCHEMA_NOTE} the offer catalog`),
] as const;

/** What the engine publishes besides. {@link file://./document-files.ts} has the maker of each document. */
const OTHER_DOCUMENTS = [
  document(
    'capabilities',
    `${PATHS.gateway}/capabilities`,
    'description',
    'Capabilities',
    'operations, limits and statistics of the corpus, as JSON',
  ),
  document('openapi_agent', PATHS.openApiAgent, 'description', 'OpenAPI description', 'OpenAPI 3.1.1 of every address that returns JSON'),
  document('openapi', PATHS.openApi, 'description', 'openapi.json', 'the same bytes as the OpenAPI description'),
  document(
    'browse',
    `${PATHS.publicCapsules}/browse`,
    'knowledge',
    'List of capsules',
    'metadata, digests and addresses of all capsules, as JSON',
  ),
  document('status', `${PATHS.publicCapsules}/status`, 'knowledge', 'Status', 'corpus version and counts, as JSON'),
  document('intake', `${PATHS.publicCapsules}/intake`, 'knowledge', 'Intake', 'how to propose capsules and corrections, as JSON'),
  document('lineage_schema', PATHS.lineageSchema, 'description', 'Lineage schema', `${SCHEMA_NOTE} lineage documents`),
  document(
    'capsule_version_schema',
    PATHS.capsuleVersionSchema,
    'description',
    'Version record schema',
    `${SCHEMA_NOTE} the record of one version`,
  ),
  document(
    'lineage_head_schema',
    PATHS.lineageHeadSchema,
    'description',
    'Lineage head schema',
    `${SCHEMA_NOTE} the statement about the newest version`,
  ),
  document(
    'corpus_manifest_schema',
    PATHS.corpusManifestSchema,
    'description',
    'Corpus manifest schema',
    `${SCHEMA_NOTE} the statement about the whole corpus`,
  ),
  document(
    'mirror',
    PATHS.mirrorManifest,
    'knowledge',
    'Mirror manifest',
    'digests of the whole corpus, and the parts of its bundle, as JSON',
  ),
  document(
    'changes',
    `${PATHS.publicCapsules}/changes`,
    'knowledge',
    'Changes',
    'capsules added, revised, superseded, retracted, restored or removed, as JSON',
  ),
  document('verifier', PATHS.verifier, 'description', 'Verifier', 'a JavaScript module that verifies all of it, anywhere'),
  document('jwks', PATHS.jwks, 'description', 'Keys', 'public keys of the publisher, as a JWK Set (RFC 7517); empty if nothing is signed'),
  document('did', PATHS.did, 'description', 'DID document', 'the same keys as the DID document of the publisher (did:web)'),
  document('llms_txt', PATHS.llmsTxt, 'knowledge', 'Index for agents', 'index of the site for language models (llms.txt)'),
  document('llms_full_txt', PATHS.llmsFullTxt, 'knowledge', 'All capsules in one text', 'text of all capsules that are free to read'),
  document('sitemap', PATHS.sitemap, 'knowledge', 'Sitemap', 'all pages with the day of their newest change'),
  document('sitemap_md', PATHS.sitemapMd, 'knowledge', 'Sitemap as markdown', 'all pages as a list of links'),
  document('feed', PATHS.feed, 'knowledge', 'Feed', 'newest capsules, as Atom'),
] as const;

/** Name of a document of the engine. */
export type EngineDocumentName = (typeof CATALOG_DOCUMENTS | typeof OTHER_DOCUMENTS)[number]['name'];

/** The documents of the engine, at the addresses of a deployment with functions. */
export const ENGINE_DOCUMENTS: readonly (MachineDocument & { readonly name: EngineDocumentName })[] = [
  ...CATALOG_DOCUMENTS,
  ...OTHER_DOCUMENTS,
];

/** Documents of a deployment, at the addresses where they answer in its mode; the route table knows the files. */
export function machineDocuments({ deployment }: Pick<Publication, 'deployment'>): MachineDocument[] {
  const table = routeTable(deployment);
  const files = new Map(
    deployment.mode === 'static'
      ? table.flatMap(({ method, path, staticPath }) => (method === 'GET' ? [[path, staticPath] as const] : []))
      : [],
  );
  const ofProtocols = protocolDocuments(deployment).flatMap(({ name, path, listing }): MachineDocument[] =>
    listing === undefined ? [] : [{ name, path, ...listing, kind: 'commerce' }],
  );
  return [...CATALOG_DOCUMENTS, ...ofProtocols, ...OTHER_DOCUMENTS].map((entry) => ({
    ...entry,
    path: files.get(entry.path) ?? entry.path,
  }));
}

/** Absolute addresses of documents, by name. */
export function documentAddresses(
  publication: Pick<Publication, 'deployment'>,
  kinds?: readonly MachineDocument['kind'][],
): Record<string, string> {
  const documents = machineDocuments(publication).filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  return Object.fromEntries(documents.map(({ name, path }) => [name, publication.deployment.baseUrl + path]));
}
