import { capsuleAnswer } from '../gateway/capsules/capsule-answer.ts';
import { capsuleFilePath, capsuleVersionPath, lineageFilePath, PATHS } from '../schemas/paths.ts';
import { acpDiscover } from './acp-discover.ts';
import { acpWellKnown } from './acp-well-known.ts';
import { capabilities } from './capabilities.ts';
import { capsuleTwin } from './capsule-twin.ts';
import { catalogFiles } from './catalog-files.ts';
import { browseFile, statusFile } from './data-files.ts';
import { atomFeed } from './feed.ts';
import { intake } from './intake.ts';
import { didDocument, jwks } from './key-documents.ts';
import { lineageSchemaFiles } from './lineage-schemas.ts';
import { llmsFullTxt } from './llms-full-txt.ts';
import { llmsTxt } from './llms-txt.ts';
import { changesFile, mirrorFiles } from './mirror-files.ts';
import { openApiDocument } from './openapi.ts';
import { provFile } from './prov-files.ts';
import { type DocumentCapsule, type DocumentFile, type Publication, publicCapsules } from './publication.ts';
import { promisesDocument } from './promises.ts';
import { robotsTxt } from './robots.ts';
import { securityTxt } from './security-txt.ts';
import { sitemapMarkdown, sitemapXml } from './sitemap.ts';
import { x402Descriptor } from './x402-descriptor.ts';

/** Every file that a deployment publishes besides its pages, each address once. */
export function documentFiles(publication: Publication): DocumentFile[] {
  const openApi = openApiDocument(publication);
  return [
    ...catalogFiles(publication),
    json(PATHS.openApi, openApi),
    json(PATHS.openApiAgent, openApi),
    json(PATHS.acpWellKnown, acpWellKnown(publication)),
    json(PATHS.x402WellKnown, x402Descriptor(publication)),
    ...lineageSchemaFiles(publication),
    { ...json(PATHS.jwks, jwks(publication)), contentType: 'application/jwk-set+json' },
    { ...json(PATHS.did, didDocument(publication)), contentType: 'application/did+json' },
    ...mirrorFiles(publication),
    json(PATHS.promisesJson, promisesDocument(publication.deployment)),
    llmsTxt(publication),
    llmsFullTxt(publication),
    sitemapXml(publication),
    sitemapMarkdown(publication),
    robotsTxt(publication),
    securityTxt(publication),
    atomFeed(publication),
    ...publicCapsules(publication).flatMap((capsule) => capsuleFiles(capsule, publication)),
    ...(publication.deployment.mode === 'static' ? dataFiles(publication) : []),
  ];
}

/** Twin, exact bytes of every version, metadata, and lineage in both forms. */
function capsuleFiles(capsule: DocumentCapsule, publication: Publication): DocumentFile[] {
  return [
    capsuleTwin(capsule, publication),
    ...capsule.versions.map(({ metadata, markdown }) => ({
      path: capsuleVersionPath(capsule.id, metadata.version),
      contentType: 'text/markdown; charset=utf-8',
      body: markdown,
    })),
    json(capsuleFilePath(capsule.id), capsuleAnswer(capsule, publication.deployment.baseUrl)),
    { path: lineageFilePath(capsule.id), contentType: 'application/json', body: capsule.lineageText },
    provFile(capsule, publication),
  ];
}

/** Answers that functions give elsewhere. */
function dataFiles(publication: Publication): DocumentFile[] {
  return [
    json(`${PATHS.data}/capabilities.json`, capabilities(publication)),
    json(`${PATHS.data}/browse.json`, browseFile(publication)),
    json(`${PATHS.data}/changes.json`, changesFile(publication)),
    json(`${PATHS.data}/status.json`, statusFile(publication)),
    json(`${PATHS.data}/intake.json`, intake(publication)),
    json(`${PATHS.data}/acp-discover.json`, acpDiscover(publication)),
  ];
}

function json(path: string, value: unknown): DocumentFile {
  return { path, contentType: 'application/json', body: JSON.stringify(value) };
}
