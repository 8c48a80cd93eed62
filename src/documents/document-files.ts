import { documentAddresses } from './machine-documents.ts';
import { capsuleResponse, capsuleWithoutText } from '../gateway/knowledge/capsule-response.ts';
import { capsuleFilePath, capsuleVersionPath, lineageFilePath, PATHS } from '../schemas/paths.ts';
import { protocolDocuments } from '../protocols/protocols.ts';
import { capabilities } from './agents/capabilities.ts';
import { capsuleTwin } from './knowledge/capsule-twin.ts';
import { catalogFiles } from './commerce/catalog-files.ts';
import { browseFile, statusFile } from './knowledge/data-files.ts';
import { atomFeed } from './knowledge/feed.ts';
import { intake } from './intake/intake.ts';
import { didDocument, jwks } from './knowledge/key-documents.ts';
import { lineageSchemaFiles } from './knowledge/lineage-schemas.ts';
import { llmsFullTxt } from './text/llms-full-txt.ts';
import { llmsTxt } from './text/llms-txt.ts';
import { changesFile, mirrorFiles } from './knowledge/mirror-files.ts';
import { openApiDocument } from './openapi/openapi.ts';
import type { DocumentCapsule, DocumentFile, Publication } from '../publication/publication.ts';
import { robotsTxt } from './text/robots.ts';
import { securityTxt } from './text/security-txt.ts';
import { sitemapMarkdown, sitemapXml } from './text/sitemap.ts';

/** Every file that a deployment publishes besides its pages, each address once. */
export function documentFiles(publication: Publication): DocumentFile[] {
  const openApi = openApiDocument(publication);
  return [
    ...catalogFiles(publication),
    json(PATHS.openApi, openApi),
    json(PATHS.openApiAgent, openApi),
    ...protocolFiles(publication),
    ...lineageSchemaFiles(publication),
    { ...json(PATHS.jwks, jwks(publication)), contentType: 'application/jwk-set+json' },
    { ...json(PATHS.did, didDocument(publication)), contentType: 'application/did+json' },
    ...mirrorFiles(publication),
    llmsTxt(publication),
    llmsFullTxt(publication),
    sitemapXml(publication),
    sitemapMarkdown(publication),
    robotsTxt(publication),
    securityTxt(publication),
    atomFeed(publication),
    ...publication.capsules.flatMap((capsule) => capsuleFiles(capsule, publication)),
    ...(publication.deployment.mode === 'static' ? dataFiles(publication) : []),
  ];
}

/** Documents of protocols that are files in this mode: at their own address, or where a frontend-only deployment keeps what functions answer elsewhere. */
function protocolFiles(publication: Publication): DocumentFile[] {
  const { deployment } = publication;
  const addresses = documentAddresses(publication, ['commerce']);
  return protocolDocuments(deployment).flatMap(({ path, make, route: routeOf }) => {
    const route = routeOf?.(deployment);
    if (route?.edge || (route?.staticPath !== undefined && deployment.mode === 'edge')) return [];
    return [{ path: route?.staticPath ?? path, ...make(publication, addresses) }];
  });
}

/** Metadata, lineage and, of a text that is free to read, its twin and the exact bytes of every version. */
function capsuleFiles(capsule: DocumentCapsule, publication: Publication): DocumentFile[] {
  const { baseUrl } = publication.deployment;
  const { metadata, markdown } = capsule;
  return [
    ...(markdown === undefined ? [] : [capsuleTwin(capsule, publication)]),
    ...capsule.versions.flatMap(textFile),
    json(
      capsuleFilePath(capsule.id),
      markdown === undefined ? capsuleWithoutText(metadata, baseUrl) : capsuleResponse({ metadata, markdown }, baseUrl),
    ),
    { path: lineageFilePath(capsule.id), contentType: 'application/json', body: capsule.lineageText },
  ];
}

/** The exact bytes of a version, unless they are sold. */
function textFile({ metadata, markdown }: DocumentCapsule['versions'][number]): DocumentFile[] {
  if (markdown === undefined) return [];
  const path = capsuleVersionPath(metadata.capsule_id, metadata.version);
  return [{ path, contentType: 'text/markdown; charset=utf-8', body: markdown }];
}

/** Answers that functions give elsewhere. */
function dataFiles(publication: Publication): DocumentFile[] {
  return [
    json(`${PATHS.data}/capabilities.json`, capabilities(publication)),
    json(`${PATHS.data}/browse.json`, browseFile(publication)),
    json(`${PATHS.data}/changes.json`, changesFile(publication)),
    json(`${PATHS.data}/status.json`, statusFile(publication)),
    json(`${PATHS.data}/intake.json`, intake(publication)),
  ];
}

function json(path: string, value: unknown): DocumentFile {
  return { path, contentType: 'application/json', body: JSON.stringify(value) };
}
