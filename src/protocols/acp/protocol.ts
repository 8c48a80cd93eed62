import { documentRoute, once } from '../../http/document-route.ts';
import { PATHS } from '../../schemas/paths.ts';
import { jsonDocument, type ProtocolModule } from '../protocol-module.ts';
import { ACP_VERSION } from '../versions.ts';
import { acpExamples } from './acp-examples.ts';
import { AcpDiscovery, acpDiscover, acpFeedMetadata, acpFeedProducts, acpWellKnown, commerceDiscovery } from './discovery.ts';
import { ACP_SITE_BINDING } from './http-binding.ts';
import { ACP_ROUTES } from './routes.ts';
import { AcpBuyer, AcpCompleteRequest, AcpCreateRequest, AcpLineItem, AcpUpdateRequest } from './schemas/requests.ts';
import { AcpCheckoutSession, AcpError, AcpOrder, AcpOrderWebhook, AcpTotal } from './schemas/responses.ts';

/** Offers in the example of the offer list. */
const EXAMPLE_OFFERS = 2;

const always = (): boolean => true;

/** The Agentic Commerce Protocol: its discovery document is always published, the rest only if it is on. */
export const acpProtocol: ProtocolModule = {
  capability: ({ baseUrl, commerce }, features) =>
    features.acp
      ? {
          name: 'Agentic Commerce Protocol (OpenAI/Stripe)',
          version: ACP_VERSION,
          document: `${baseUrl}${PATHS.acpWellKnown}`,
          services: commerce.acp ? ['checkout'] : [],
        }
      : undefined,
  documents: [
    {
      name: 'acp',
      path: PATHS.acpWellKnown,
      listing: { title: 'acp.json', note: 'discovery of the Agentic Commerce Protocol (OpenAI/Stripe)' },
      isPublished: always,
      feature: 'acp',
      make: (publication) => jsonDocument(acpWellKnown(publication)),
      route: () =>
        documentRoute('acp', {
          id: 'getAcpDiscovery',
          feature: 'acp',
          path: PATHS.acpWellKnown,
          summary: 'Discover the Agentic Commerce Protocol',
          description: `Discovery document of the Agentic Commerce Protocol, version ${ACP_VERSION}: its base URL and active services.`,
          capability: 'commerce',
          schema: AcpDiscovery,
          cache: 3_600,
        }),
    },
    {
      name: 'acp_discover',
      path: `${PATHS.acp}/discover`,
      listing: { title: 'Offer list', note: 'offers, and pointers to every commerce document' },
      isPublished: always,
      feature: 'shop',
      make: (publication, addresses) => jsonDocument(acpDiscover(publication, addresses)),
      route: (origins) =>
        documentRoute('acp_discover', {
          id: 'discoverOffers',
          feature: 'shop',
          path: `${PATHS.acp}/discover`,
          staticPath: `${PATHS.data}/acp-discover.json`,
          protocol: ACP_SITE_BINDING,
          summary: 'Discover offers and commerce documents',
          description: 'Every offer with its price and both ways to buy, and the addresses of all commerce documents.',
          capability: 'commerce',
          schema: once(() => commerceDiscovery(origins)),
          cache: 60,
        }),
    },
    {
      name: 'acp_feed',
      path: PATHS.acpFeedMetadata,
      listing: { title: 'Product feed', note: 'metadata of the product feed of the Agentic Commerce Protocol' },
      isPublished: always,
      feature: 'acp',
      make: (publication) => jsonDocument(acpFeedMetadata(publication)),
    },
    {
      name: 'acp_products',
      path: PATHS.acpFeedProducts,
      listing: { title: 'Products of the feed', note: 'all offers as products of the Agentic Commerce Protocol, one per line' },
      isPublished: always,
      feature: 'acp',
      make: (publication) => ({ contentType: 'application/jsonl', body: acpFeedProducts(publication) }),
    },
  ],
  operations: ({ commerce }) => (commerce?.acp ? ACP_ROUTES : []),
  examples: (publication, addresses) => {
    const discovery = acpDiscover(publication, addresses);
    return [
      ['getAcpDiscovery', { response: acpWellKnown(publication) }],
      ['discoverOffers', { response: { ...discovery, offers: discovery.offers.slice(0, EXAMPLE_OFFERS) } }],
      ...acpExamples(publication),
    ];
  },
  schemas: {
    requests: { AcpCreateRequest, AcpUpdateRequest, AcpCompleteRequest, AcpLineItem, AcpBuyer },
    responses: { AcpDiscovery, AcpCheckoutSession, AcpOrder, AcpTotal, AcpError, AcpOrderWebhook },
  },
};
