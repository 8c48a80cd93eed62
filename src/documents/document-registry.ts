import { protocolDocuments } from '../protocols/protocols.ts';
import { routeTable } from '../routes/route-table.ts';
import { type FeatureName, featuresOf } from '../schemas/feature-switches.ts';
import { didPath, isAtBase, PATHS } from '../schemas/paths.ts';
import type { Publication } from '../text/publication-model.ts';

export interface MachineDocument {
  /** Name in lists of documents; permanent. */
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly note: string;
  readonly kind: 'commerce' | 'knowledge' | 'description';
  readonly feature?: FeatureName;
  readonly edge?: boolean;
}

const document =
  (kind: MachineDocument['kind'], more: Pick<MachineDocument, 'feature' | 'edge'> = {}) =>
  <const Name extends string>(name: Name, path: string, title: string, note: string): MachineDocument & { readonly name: Name } => {
    return { name, path, title, note, kind, ...more };
  };
const commerce = document('commerce', { feature: 'shop' });
const knowledge = document('knowledge');
const proposals = document('knowledge', { feature: 'intake' });
const description = document('description');
const ofFunctions = document('description', { edge: true });

const SCHEMA_OF = 'JSON Schema 2020-12 of';

/** The catalog. Lists show the documents of protocols after it. */
const CATALOG_DOCUMENTS = [
  commerce('offers', PATHS.offersJson, 'Offer catalog', 'terms and pages of everything for sale, as JSON'),
  commerce('buy_json', PATHS.buyJson, 'buy.json', 'the same bytes as the offer catalog'),
  commerce('pricing', PATHS.pricingJson, 'pricing.json', 'the same bytes as the offer catalog'),
  commerce('offers_schema', PATHS.offersSchema, 'Catalog schema', `${SCHEMA_OF} the offer catalog`),
] as const;

/** The other documents. {@link file://./make-documents.ts} makes them. */
const OTHER_DOCUMENTS = [
  description('capabilities', `${PATHS.gateway}/capabilities`, 'Capabilities', 'operations, limits and statistics of the corpus, as JSON'),
  description('openapi_agent', PATHS.openApiAgent, 'OpenAPI description', 'OpenAPI 3.1.1 of what agents call, in at most 60 kB'),
  description('openapi', PATHS.openApi, 'Whole OpenAPI description', 'OpenAPI 3.1.1 of every operation, with all errors and examples'),
  ofFunctions('arazzo', PATHS.arazzo, 'Workflows', 'Arazzo 1.0.1: what agents do with the API, step by step'),
  knowledge('browse', `${PATHS.publicCapsules}/browse`, 'List of capsules', 'metadata, digests and addresses of all capsules, as JSON'),
  knowledge('status', PATHS.statusApi, 'Status', 'corpus version and counts, as JSON'),
  proposals('intake', `${PATHS.publicCapsules}/intake`, 'Intake', 'how to propose capsules and corrections, as JSON'),
  description('lineage_schema', PATHS.lineageSchema, 'Lineage schema', `${SCHEMA_OF} lineage documents`),
  description('capsule_version_schema', PATHS.capsuleVersionSchema, 'Version record schema', `${SCHEMA_OF} the record of a version`),
  description('lineage_head_schema', PATHS.lineageHeadSchema, 'Lineage head schema', `${SCHEMA_OF} the statement about the newest version`),
  description(
    'corpus_manifest_schema',
    PATHS.corpusManifestSchema,
    'Corpus manifest schema',
    `${SCHEMA_OF} the statement about the corpus`,
  ),
  knowledge('mirror', PATHS.mirrorManifest, 'Mirror manifest', 'digests of the whole corpus, and the parts of its bundle, as JSON'),
  knowledge(
    'changes',
    `${PATHS.publicCapsules}/changes`,
    'Changes',
    'capsules added, revised, superseded, retracted, restored or removed, as JSON',
  ),
  description('verifier', PATHS.verifier, 'Verifier', 'a JavaScript module that verifies these documents anywhere'),
  description(
    'verify_command',
    PATHS.verifyCommand,
    'Verification command',
    'a program for Node.js that verifies this site, a document or an answer',
  ),
  description(
    'proof_vectors',
    PATHS.proofVectors,
    'Vectors of digests',
    'inputs and results of every digest and signature, for authors of verifiers',
  ),
  ofFunctions('client', PATHS.client, 'Client', 'a JavaScript module that searches, registers and verifies'),
  description('jwks', PATHS.jwks, 'Keys', 'public keys of the publisher, as a JWK Set (RFC 7517); empty if nothing is signed'),
  description('did', PATHS.did, 'DID document', 'the same keys as the DID document of the publisher (did:web)'),
  description('api_catalog', PATHS.apiCatalog, 'API catalog', 'the APIs of this site and their descriptions, as a linkset (RFC 9727)'),
  description('ai_catalog', PATHS.aiCatalog, 'AI catalog', 'what agents can use here (Agentic Resource Discovery)'),
  description('agent_skills', PATHS.agentSkillsIndex, 'Agent skills', 'instructions for tasks at this site, with their digests'),
  ofFunctions('protected_resource', PATHS.protectedResource, 'Protected resource', 'scopes and use of API keys (RFC 9728)'),
  description('auth', PATHS.authMd, 'auth.md', 'how agents get, use, rotate and revoke credentials'),
  knowledge('llms_txt', PATHS.llmsTxt, 'Index for agents', 'index of the site for language models (llms.txt)'),
  description('docs_llms_txt', PATHS.docsLlmsTxt, 'Index of the documentation', 'guides, operations and errors (llms.txt)'),
  description('agents_md', PATHS.agentsMd, 'AGENTS.md', 'how a coding agent uses this site'),
  knowledge('llms_full_txt', PATHS.llmsFullTxt, 'All capsules in one text', 'text of all capsules that are free to read'),
  knowledge('sitemap', PATHS.sitemap, 'Sitemap', 'all pages with the day of their newest change'),
  knowledge('sitemap_md', PATHS.sitemapMd, 'Sitemap as markdown', 'all pages as a list of links'),
  knowledge('license', PATHS.licenseXml, 'Licence', 'uses of the texts that are allowed, and what others cost (RSL 1.0)'),
  description('open_search', PATHS.openSearch, 'OpenSearch description', 'how a browser adds the search of the site'),
  knowledge('feed', PATHS.feed, 'Feed', 'newest capsules, as Atom'),
] as const;

export type EngineDocumentName = (typeof CATALOG_DOCUMENTS | typeof OTHER_DOCUMENTS)[number]['name'];

export const ENGINE_DOCUMENTS: readonly (MachineDocument & { readonly name: EngineDocumentName })[] = [
  ...CATALOG_DOCUMENTS,
  ...OTHER_DOCUMENTS,
];

type DescribedPublication = Pick<Publication, 'deployment' | 'publisher' | 'offers'>;

/** Of what is switched on, at their addresses in the mode of the deployment. */
export function machineDocuments({ deployment, publisher, offers }: DescribedPublication): MachineDocument[] {
  const features = featuresOf(publisher, offers);
  const gets = deployment.mode === 'static' ? routeTable(deployment).filter(({ method }) => method === 'GET') : [];
  const files = new Map(gets.map(({ path, staticPath }) => [path, staticPath])).set(PATHS.did, didPath(deployment.baseUrl));
  const protocolEntries = protocolDocuments(deployment).flatMap(({ name, path, listing, kind = 'commerce', feature }): MachineDocument[] =>
    listing === undefined ? [] : [{ name, path, ...listing, kind, ...(feature && { feature }) }],
  );
  return [...CATALOG_DOCUMENTS, ...protocolEntries, ...OTHER_DOCUMENTS]
    .filter((entry: MachineDocument) => entry.feature === undefined || features[entry.feature])
    .filter((entry: MachineDocument) => deployment.mode === 'edge' || entry.edge !== true)
    .filter(({ path }) => path === PATHS.did || isAtBase(path, deployment.baseUrl))
    .map((entry) => ({ ...entry, path: files.get(entry.path) ?? entry.path }));
}

export function documentAddresses(publication: DescribedPublication, kinds?: readonly MachineDocument['kind'][]): Record<string, string> {
  const documents = machineDocuments(publication).filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  return Object.fromEntries(documents.map(({ name, path }) => [name, publication.deployment.baseUrl + path]));
}
