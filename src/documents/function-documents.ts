import type { DocumentName } from '../routes/define-route.ts';
import { acpDiscover } from './acp-discover.ts';
import { acpWellKnown } from './acp-well-known.ts';
import { capabilities } from './capabilities.ts';
import { intake } from './intake.ts';
import { openApiDocument } from './openapi.ts';
import type { DocumentFile, Publication } from './publication.ts';
import { ucpProfile } from './ucp-profile.ts';
import { ucpTools } from './ucp-tools.ts';
import { x402Descriptor } from './x402-descriptor.ts';
import { x402Items } from './x402-items.ts';

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
    acpDiscover: json(acpDiscover(publication)),
    corpusManifest: json(publication.mirror.manifest),
    ucpWellKnown: json(publication.deployment.commerce.ucp ? ucpProfile(publication) : {}),
    ucpTools: json(publication.deployment.commerce.ucp ? ucpTools() : []),
  };
}
