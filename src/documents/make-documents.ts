import { protectedResource } from '../gateway/agents/scopes.ts';
import { entityTag } from '../gateway/digests-and-base62.ts';
import { capsuleFile } from '../gateway/knowledge/paid-text-preview.ts';
import { withBaseUrl } from '../gateway/knowledge/render-site-result.ts';
import { remembered } from '../gateway/memory-caches.ts';
import type { FunctionDocuments } from '../http/gateway-dependencies.ts';
import { DOCUMENT_PATHS } from '../http/serve-file.ts';
import { knowledgeTools } from '../protocols/mcp/knowledge-tools.ts';
import { jsonDocument } from '../protocols/protocol-module.ts';
import { protocolDocuments } from '../protocols/protocols.ts';
import { ucpTools } from '../protocols/ucp/mcp-tools.ts';
import { routeTable } from '../routes/route-table.ts';
import { featuresOf } from '../schemas/feature-switches.ts';
import {
  agentSkillPath,
  basePathOf,
  capsuleFilePath,
  capsuleMarkdownPath,
  capsuleVersionPath,
  didPath,
  isAtBase,
  lineageFilePath,
  PATHS,
} from '../schemas/paths.ts';
import { referenceAddresses } from '../text/markdown/resolve-links.ts';
import { type DocumentFile, type FreeCapsule, markdownFile, type Publication } from '../text/publication-model.ts';
import { atomFeed } from './atom-feed.ts';
import { browseFile, capabilities, catalog, changesFile, intake, offersSchema, statusFile } from './capabilities-and-catalog.ts';
import { type CapsuleSurroundings, capsuleMarkdownPage, earlierIn } from './capsule-markdown-files.ts';
import { documentAddresses, ENGINE_DOCUMENTS, type EngineDocumentName, machineDocuments } from './document-registry.ts';
import { formerPages } from './headers-and-redirects.ts';
import { jwks, lineageSchema, publisherDid } from './keys-and-lineage-schemas.ts';
import { agentsMarkdown, llmsFullTxt, llmsSubjectLists, llmsTxt } from './llms-txt.ts';
import { docsLlmsTxt } from './llms-txt-lists.ts';
import { arazzoDocument } from './openapi/arazzo.ts';
import { openApiDocument } from './openapi/openapi.ts';
import { descriptionForAgents, operationSlices } from './openapi/openapi-for-agents.ts';
import { licenseXml, robotsTxt } from './robots-and-license.ts';
import { sitemapMarkdown, sitemapParts, sitemapXml } from './sitemap.ts';
import * as wellKnown from './well-known-documents.ts';

type MadeDocument = Omit<DocumentFile, 'path'>;

type Maker = (publication: Publication) => MadeDocument;

const json =
  (make: (publication: Publication) => unknown, contentType = 'application/json'): Maker =>
  (publication) => ({ ...jsonDocument(make(publication)), contentType });

function once(make: Maker): Maker {
  const made = new WeakMap<Publication, MadeDocument>();
  return (publication) => remembered(made, publication, () => make(publication));
}

const catalogJson = once(json(catalog));
const openApiJson = once(json(openApiDocument));

/** Functions that make the documents. Those without are files in `src/site/public`. */
const MAKERS: Readonly<Record<EngineDocumentName, Maker | undefined>> = {
  offers: catalogJson,
  buy_json: catalogJson,
  pricing: catalogJson,
  offers_schema: json(offersSchema),
  capabilities: json(capabilities),
  openapi_agent: json(descriptionForAgents),
  openapi: openApiJson,
  arazzo: json(arazzoDocument),
  browse: json(browseFile),
  status: json(statusFile),
  intake: json(intake),
  lineage_schema: lineageSchema('lineage'),
  capsule_version_schema: lineageSchema('version'),
  lineage_head_schema: lineageSchema('head'),
  corpus_manifest_schema: lineageSchema('manifest'),
  mirror: json(({ mirror }) => mirror.manifest),
  changes: json(changesFile),
  verifier: undefined,
  verify_command: undefined,
  proof_vectors: undefined,
  client: undefined,
  jwks: json(jwks, 'application/jwk-set+json'),
  did: json(publisherDid, 'application/did+json'),
  api_catalog: json(wellKnown.apiCatalog, wellKnown.API_CATALOG_TYPE),
  ai_catalog: json(wellKnown.aiCatalog, 'application/ai-catalog+json'),
  agent_skills: json(wellKnown.agentSkillsIndex),
  protected_resource: json(({ deployment, publisher, offers }) => protectedResource('', deployment, featuresOf(publisher, offers))),
  auth: wellKnown.authMarkdown,
  llms_txt: llmsTxt,
  docs_llms_txt: docsLlmsTxt,
  agents_md: agentsMarkdown,
  llms_full_txt: llmsFullTxt,
  sitemap: sitemapXml,
  sitemap_md: sitemapMarkdown,
  license: licenseXml,
  open_search: wellKnown.openSearchDescription,
  feed: atomFeed,
};

export function documentFiles(publication: Publication): DocumentFile[] {
  const { deployment, mirror, siteTexts = [] } = publication;
  const addresses = documentAddresses(publication, ['commerce']);
  const features = featuresOf(publication.publisher, publication.offers);
  const protocolFiles = protocolDocuments(deployment)
    .filter(({ route, feature }) => route !== undefined || feature === undefined || features[feature])
    .map(({ path, make }) => ({ path, make: () => make(publication, addresses) }));
  const made = ENGINE_DOCUMENTS.filter(({ edge }) => deployment.mode === 'edge' || edge !== true);
  const engineFiles = made.map(({ name, path }) => ({ path, make: MAKERS[name] }));
  return [
    ...[...engineFiles, ...protocolFiles].flatMap(({ path, make }) => {
      const target = filePath(path, publication);
      return make === undefined || target === undefined ? [] : [{ ...make(publication), path: target }];
    }),
    ...publication.skills.map(({ name, markdown }) => markdownFile(agentSkillPath(name), markdown)),
    ...mirror.parts.map((part) => madeWhenRead(part.path, mirror.manifest.statement.bundle.mediaType, () => part.body)),
    ...operationSlices(publication),
    ...llmsSubjectLists(publication),
    ...sitemapParts(publication),
    ...(basePathOf(deployment.baseUrl) === '' ? [robotsTxt(publication), wellKnown.securityTxt(publication)] : []),
    ...(deployment.capsulePages === 'files' ? publication.capsules.flatMap((capsule) => capsuleFiles(capsule, publication)) : []),
    ...siteTexts.map(({ markdownPath, markdown }) => markdownFile(markdownPath, withBaseUrl(markdown, deployment.baseUrl))),
    ...formerPages(publication),
    ...tombstoneFiles(publication),
  ];
}

/** A document whose text is made whenever it is read: those of all capsules together would fill the memory. */
function madeWhenRead(path: string, contentType: string, make: () => string): DocumentFile {
  return {
    path,
    contentType,
    get body() {
      return make();
    },
  };
}

function tombstoneFiles(publication: Publication): DocumentFile[] {
  const { tombstones } = publication;
  if (tombstones.length === 0) return [];
  return [
    { path: PATHS.tombstoneSchema, ...lineageSchema('tombstone')(publication) },
    ...tombstones.map((tombstone) => ({ path: lineageFilePath(tombstone.id), ...jsonDocument(tombstone) })),
  ];
}

function filePath(path: string, { deployment }: Publication): string | undefined {
  if (path === PATHS.did) return didPath(deployment.baseUrl);
  if (!isAtBase(path, deployment.baseUrl)) return undefined;
  const route = routeTable(deployment).find((candidate) => candidate.method === 'GET' && candidate.path === path);
  if (route?.edge) return undefined;
  if (deployment.mode === 'static') return route?.staticPath ?? path;
  return route?.staticPath === undefined ? path : undefined;
}

export function functionDocuments(publication: Publication): FunctionDocuments<MadeDocument> {
  const addresses = documentAddresses(publication, ['commerce']);
  const listed = machineDocuments(publication).map(({ path }) => path);
  const served = protocolDocuments(publication.deployment).filter(({ route }) => route !== undefined);
  return {
    capabilities: jsonDocument(capabilities(publication)),
    intake: jsonDocument(intake(publication)),
    openApi: openApiJson(publication),
    corpusManifest: jsonDocument(publication.mirror.manifest),
    mcp_tools: jsonDocument(knowledgeTools(publication.deployment)),
    mcp_skills: jsonDocument(wellKnown.mcpSkillList(publication)),
    // Of all documents that are files or have the address of one, which a missing page may mean.
    [DOCUMENT_PATHS]: jsonDocument([...listed.filter((path) => !path.startsWith('/api/')), PATHS.robots, PATHS.securityTxt]),
    ...Object.fromEntries(served.map(({ name, make }) => [name, make(publication, addresses)])),
    ...(publication.deployment.commerce.ucp ? { ucp_tools: jsonDocument(ucpTools()) } : {}),
  };
}

export async function taggedDocuments(publication: Publication): Promise<FunctionDocuments> {
  const tagged = Object.entries(functionDocuments(publication)).map(
    async ([name, document]) => [name, { ...document, etag: await entityTag(document.body) }] as const,
  );
  return Object.fromEntries(await Promise.all(tagged)) as FunctionDocuments;
}

/** Metadata, lineage and, unless the text is sold, its markdown page and the exact bytes of every version. */
export function capsuleFiles(capsule: FreeCapsule, publication: CapsuleSurroundings): DocumentFile[] {
  const { id, markdown, lineageText } = capsule;
  const placed = () => ({ ...capsule, references: referenceAddresses(capsule.references), earlier: earlierIn(publication, id) });
  return [
    ...(markdown === undefined
      ? []
      : [madeWhenRead(capsuleMarkdownPath(id), 'text/markdown; charset=utf-8', () => capsuleMarkdownPage(capsule, publication).body)]),
    ...capsule.versions.flatMap((version) =>
      version.markdown === undefined ? [] : [markdownFile(capsuleVersionPath(id, version.metadata.version), version.markdown)],
    ),
    madeWhenRead(capsuleFilePath(id), 'application/json', () => jsonDocument(capsuleFile(placed(), publication.deployment)).body),
    ...(lineageText === undefined ? [] : [{ path: lineageFilePath(id), contentType: 'application/json', body: lineageText }]),
  ];
}
