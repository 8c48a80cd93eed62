import { protocolDocuments } from '../protocols/protocols.ts';
import { routeTable } from '../routes/table.ts';
import { PATHS } from '../schemas/paths.ts';
import type { Publication } from '../publication/publication.ts';

/** A document for machines that the site serves. */
export interface MachineDocument {
  /** Name in lists of documents; permanent. */
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly note: string;
  readonly kind: 'commerce' | 'knowledge' | 'description';
}

/** The catalog, at the addresses of a deployment with functions; documents of protocols follow in lists, and then the others. */
const CATALOG_DOCUMENTS: readonly MachineDocument[] = [
  {
    name: 'offers',
    path: PATHS.offersJson,
    title: 'Offer catalog',
    note: 'all offers with prices, pages and checkout links, as JSON',
    kind: 'commerce',
  },
  { name: 'buy_json', path: PATHS.buyJson, title: 'buy.json', note: 'the same bytes as the offer catalog', kind: 'commerce' },
  { name: 'pricing', path: PATHS.pricingJson, title: 'pricing.json', note: 'the same bytes as the offer catalog', kind: 'commerce' },
  {
    name: 'offers_schema',
    path: PATHS.offersSchema,
    title: 'Catalog schema',
    note: 'JSON Schema 2020-12 of the offer catalog',
    kind: 'commerce',
  },
];

const OTHER_DOCUMENTS: readonly MachineDocument[] = [
  {
    name: 'capabilities',
    path: `${PATHS.gateway}/capabilities`,
    title: 'Capabilities',
    note: 'operations, limits and facts about the corpus, as JSON',
    kind: 'description',
  },
  {
    name: 'openapi_agent',
    path: PATHS.openApiAgent,
    title: 'OpenAPI description',
    note: 'OpenAPI 3.1.1 of everything that answers with JSON here',
    kind: 'description',
  },
  { name: 'openapi', path: PATHS.openApi, title: 'openapi.json', note: 'the same bytes as the OpenAPI description', kind: 'description' },
  {
    name: 'browse',
    path: `${PATHS.publicCapsules}/browse`,
    title: 'List of capsules',
    note: 'metadata, digests and addresses of all capsules, as JSON',
    kind: 'knowledge',
  },
  {
    name: 'status',
    path: `${PATHS.publicCapsules}/status`,
    title: 'Status',
    note: 'corpus version and counts, as JSON',
    kind: 'knowledge',
  },
  {
    name: 'intake',
    path: `${PATHS.publicCapsules}/intake`,
    title: 'Intake',
    note: 'how knowledge and corrections can be proposed, as JSON',
    kind: 'knowledge',
  },
  {
    name: 'lineage_schema',
    path: PATHS.lineageSchema,
    title: 'Lineage schema',
    note: 'JSON Schema 2020-12 of lineage documents',
    kind: 'description',
  },
  {
    name: 'capsule_version_schema',
    path: PATHS.capsuleVersionSchema,
    title: 'Version record schema',
    note: 'JSON Schema 2020-12 of the record of one version',
    kind: 'description',
  },
  {
    name: 'lineage_head_schema',
    path: PATHS.lineageHeadSchema,
    title: 'Lineage head schema',
    note: 'JSON Schema 2020-12 of the statement about the newest version',
    kind: 'description',
  },
  {
    name: 'corpus_manifest_schema',
    path: PATHS.corpusManifestSchema,
    title: 'Corpus manifest schema',
    note: 'JSON Schema 2020-12 of the statement about the whole corpus',
    kind: 'description',
  },
  {
    name: 'mirror',
    path: PATHS.mirrorManifest,
    title: 'Mirror manifest',
    note: 'what the whole corpus is, and where it can be had as one bundle, as JSON',
    kind: 'knowledge',
  },
  {
    name: 'changes',
    path: `${PATHS.publicCapsules}/changes`,
    title: 'Changes',
    note: 'what was added, revised, superseded, retracted, restored or removed, as JSON',
    kind: 'knowledge',
  },
  {
    name: 'verifier',
    path: PATHS.verifier,
    title: 'Verifier',
    note: 'a JavaScript module that checks all of it, anywhere',
    kind: 'description',
  },
  {
    name: 'jwks',
    path: PATHS.jwks,
    title: 'Keys',
    note: 'public keys that sign what is published here, as a JWK Set (RFC 7517)',
    kind: 'description',
  },
  {
    name: 'did',
    path: PATHS.did,
    title: 'DID document',
    note: 'the same keys as the document of the did:web identity that signs',
    kind: 'description',
  },
  { name: 'llms_txt', path: PATHS.llmsTxt, title: 'llms.txt', note: 'index of the site for language models', kind: 'knowledge' },
  {
    name: 'llms_full_txt',
    path: PATHS.llmsFullTxt,
    title: 'llms-full.txt',
    note: 'text of all capsules that are free to read, in one file',
    kind: 'knowledge',
  },
  { name: 'sitemap', path: PATHS.sitemap, title: 'sitemap.xml', note: 'all pages with the day of their newest change', kind: 'knowledge' },
  { name: 'sitemap_md', path: PATHS.sitemapMd, title: 'sitemap.md', note: 'all pages as a markdown list', kind: 'knowledge' },
  { name: 'feed', path: PATHS.feed, title: 'Feed', note: 'newest capsules, as Atom', kind: 'knowledge' },
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
  return [...CATALOG_DOCUMENTS, ...ofProtocols, ...OTHER_DOCUMENTS].map((document) => ({
    ...document,
    path: files.get(document.path) ?? document.path,
  }));
}

/** Whole addresses of documents, by name. */
export function documentAddresses(
  publication: Pick<Publication, 'deployment'>,
  kinds?: readonly MachineDocument['kind'][],
): Record<string, string> {
  const wanted = machineDocuments(publication).filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  return Object.fromEntries(wanted.map(({ name, path }) => [name, publication.deployment.baseUrl + path]));
}
