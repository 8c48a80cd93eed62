import { documentAddresses } from './machine-documents.ts';
import type { DocumentName } from '../http/gateway-dependencies.ts';
import { acpDiscover } from '../protocols/acp/discover.ts';
import { acpWellKnown } from '../protocols/acp/well-known.ts';
import { capabilities } from './agents/capabilities.ts';
import { intake } from './intake/intake.ts';
import { openApiDocument } from './openapi/openapi.ts';
import type { DocumentFile, Publication } from '../publication/publication.ts';
import { ucpProfile } from '../protocols/ucp/profile.ts';
import { ucpTools } from '../protocols/ucp/tools.ts';
import { x402Descriptor } from '../protocols/x402/descriptor.ts';
import { x402Items } from '../protocols/x402/items.ts';

/** Documents that functions answer with; where a file has the same address, the bytes are equal. */
export function functionDocuments(publication: Publication): Record<DocumentName, Omit<DocumentFile, 'path'>> {
  const json = (value: unknown): Omit<DocumentFile, 'path'> => ({ contentType: 'application/json', body: JSON.stringify(value) });
  return {
    capabilities: json(capabilities(publication)),
    intake: json(intake(publication)),
    openApi: json(openApiDocument(publication)),
    acpWellKnown: json(acpWellKnown(publication)),
    x402WellKnown: json(x402Descriptor(publication)),
    x402Items: json(x402Items(publication)),
    acpDiscover: json(acpDiscover(publication, documentAddresses(publication, ['commerce']))),
    corpusManifest: json(publication.mirror.manifest),
    ucpWellKnown: json(publication.deployment.commerce.ucp ? ucpProfile(publication) : {}),
    ucpTools: json(publication.deployment.commerce.ucp ? ucpTools() : []),
  };
}
