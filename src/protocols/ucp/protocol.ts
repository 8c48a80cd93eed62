import { documentRoute } from '../../http/document-route.ts';
import { PATHS } from '../../schemas/paths.ts';
import { jsonDocument, type ProtocolModule } from '../protocol-module.ts';
import { ucpExamples } from './examples.ts';
import { UcpProfile, ucpProfile } from './profile.ts';
import { UCP_ROUTES } from './routes.ts';
import { UcpProduct } from './schemas/catalog.ts';
import { UcpCheckout } from './schemas/checkout.ts';
import { UCP_CAPABILITIES, UCP_VERSION, UcpError, UcpMessage, UcpMetadata } from './schemas/metadata.ts';
import { ucpTools } from './tools.ts';

/** The Universal Commerce Protocol over REST and MCP; where it is off, nothing of it is published. */
export const ucpProtocol: ProtocolModule = {
  capability: ({ baseUrl, commerce }) =>
    commerce.ucp
      ? {
          name: 'Universal Commerce Protocol',
          version: UCP_VERSION,
          document: `${baseUrl}${PATHS.ucpWellKnown}`,
          services: Object.values(UCP_CAPABILITIES),
        }
      : undefined,
  documents: [
    {
      name: 'ucp',
      path: PATHS.ucpWellKnown,
      listing: { title: 'UCP profile', note: 'business profile of the Universal Commerce Protocol' },
      isPublished: ({ commerce }) => commerce?.ucp === true,
      make: (publication) => jsonDocument(ucpProfile(publication)),
      route: () =>
        documentRoute('ucp', {
          id: 'getUcpProfile',
          path: PATHS.ucpWellKnown,
          summary: 'Discover the Universal Commerce Protocol',
          description: `Business profile of the Universal Commerce Protocol, version ${UCP_VERSION}: its transports and capabilities. No payment is accepted over them.`,
          capability: 'commerce',
          edge: true,
          schema: UcpProfile,
          cache: 300,
        }),
    },
  ],
  prebuilt: ({ deployment }) => (deployment.commerce.ucp ? { ucp_tools: ucpTools() } : {}),
  operations: ({ commerce }) => (commerce?.ucp ? UCP_ROUTES : []),
  examples: ucpExamples,
  schemas: { requests: {}, responses: { UcpProfile, UcpMetadata, UcpMessage, UcpError, UcpProduct, UcpCheckout } },
};
