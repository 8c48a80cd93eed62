import { entityTag } from '../gateway/entity-tag.ts';
import type { FunctionDocuments } from '../http/gateway-dependencies.ts';
import { PROTOCOLS, protocolDocuments } from '../protocols/protocols.ts';
import { jsonDocument } from '../protocols/protocol-module.ts';
import type { DocumentFile, Publication } from '../publication/publication.ts';
import { capabilities } from './agents/capabilities.ts';
import { intake } from './intake/intake.ts';
import { documentAddresses } from './machine-documents.ts';
import { openApiDocument } from './openapi/openapi.ts';

/** Documents that functions answer with, by name; where a file has the same address, the bytes are equal. */
export function functionDocuments(publication: Publication): FunctionDocuments<Omit<DocumentFile, 'path'>> {
  const addresses = documentAddresses(publication, ['commerce']);
  return {
    capabilities: jsonDocument(capabilities(publication)),
    intake: jsonDocument(intake(publication)),
    openApi: jsonDocument(openApiDocument(publication)),
    corpusManifest: jsonDocument(publication.mirror.manifest),
    ...Object.fromEntries(
      protocolDocuments(publication.deployment)
        .filter(({ route }) => route !== undefined)
        .map(({ name, make }) => [name, make(publication, addresses)]),
    ),
    ...Object.fromEntries(
      PROTOCOLS.flatMap(({ prebuilt }) => Object.entries(prebuilt?.(publication) ?? {})).map(([name, value]) => [
        name,
        jsonDocument(value),
      ]),
    ),
  };
}

/** The same documents, each with its entity tag. */
export async function taggedDocuments(publication: Publication): Promise<FunctionDocuments> {
  const tagged = Object.entries(functionDocuments(publication)).map(
    async ([name, document]) => [name, { ...document, etag: await entityTag(document.body) }] as const,
  );
  return Object.fromEntries(await Promise.all(tagged)) as FunctionDocuments;
}
