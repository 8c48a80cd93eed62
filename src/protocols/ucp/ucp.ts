import * as z from 'zod';
import type { Session } from '../../gateway/commerce/cart/checkout-ports.ts';
import { PATHS } from '../../schemas/paths.ts';
import { Uri } from '../../schemas/primitives.ts';
import type { Publication } from '../../text/publication-model.ts';
import { exampleCheckout, jsonDocument, type OperationExamples, type ProtocolModule } from '../protocol-module.ts';
import { offerProduct } from './catalog.ts';
import { writeUcpCheckout } from './checkouts.ts';
import { callUcpToolRoute } from './mcp-tools.ts';
import { UCP_OPERATIONS } from './operations.ts';
import { UCP_CAPABILITIES, UCP_REQUESTS, UCP_RESPONSES, UCP_SERVICE, UCP_VERSION, type UcpCapability, ucpMetadata } from './ucp-schemas.ts';

const Entity = z.object({
  version: z.literal(UCP_VERSION).describe('Version of this part.'),
  spec: Uri.describe('Specification.'),
  schema: Uri.describe('Machine-readable description.'),
});

const ServiceEntity = Entity.extend({
  transport: z.enum(['rest', 'mcp']).describe('How the service is reached.'),
  endpoint: Uri.describe('Where it is reached.'),
});

const Config = z.object({ endpoint: Uri.describe('Address that permalinks begin with.') });
const CapabilityEntity = Entity.extend({ config: Config.optional().describe('Settings of the capability.') });

/** `profile.json#/$defs/business_schema` */
export const UcpProfile = z.object({
  ucp: z
    .object({
      version: z.literal(UCP_VERSION).describe('Version of the protocol.'),
      services: z.record(z.string(), z.array(ServiceEntity)).describe('Services, by name.'),
      capabilities: z.record(z.string(), z.array(CapabilityEntity)).describe('Capabilities, by name.'),
      payment_handlers: z
        .record(z.string(), z.array(z.unknown()))
        .describe('Payment handlers for agents; empty, because a person pays at continue_url.'),
    })
    .describe('Metadata of the protocol.'),
});
export type UcpProfile = z.infer<typeof UcpProfile>;

/** Specification and schemas of the supported version: the authority of every name under dev.ucp. */
const AUTHORITY = `https://ucp.dev/${UCP_VERSION}`;

const DESCRIPTIONS: Readonly<Record<UcpCapability, readonly [spec: string, schema: string]>> = {
  search: ['shopping/catalog/search', 'shopping/catalog_search.json'],
  lookup: ['shopping/catalog/lookup', 'shopping/catalog_lookup.json'],
  checkout: ['shopping/checkout', 'shopping/checkout.json'],
  permalink: ['permalink', 'shopping/permalink.json'],
};

/** It names no payment handler: a person pays on the hosted checkout, which UCP allows (status `requires_escalation`). */
function ucpProfile({ deployment }: Pick<Publication, 'deployment'>): UcpProfile {
  const { baseUrl } = deployment;
  const transport = (name: 'rest' | 'mcp', endpoint: string, file: string) => ({
    version: UCP_VERSION as typeof UCP_VERSION,
    transport: name,
    endpoint,
    spec: `${AUTHORITY}/specification/overview`,
    schema: `${AUTHORITY}/services/shopping/${file}`,
  });
  const capability = ([name, full]: [string, string]) => {
    const [spec, schema] = DESCRIPTIONS[name as UcpCapability];
    const described = { version: UCP_VERSION, spec: `${AUTHORITY}/specification/${spec}`, schema: `${AUTHORITY}/schemas/${schema}` };
    return [full, [name === 'permalink' ? { ...described, config: { endpoint: baseUrl + PATHS.buy } } : described]];
  };
  return UcpProfile.parse({
    ucp: {
      version: UCP_VERSION,
      services: {
        [UCP_SERVICE]: [
          transport('rest', baseUrl + PATHS.ucp, 'rest.openapi.json'),
          transport('mcp', baseUrl + PATHS.ucpMcp, 'mcp.openrpc.json'),
        ],
      },
      capabilities: Object.fromEntries(Object.entries(UCP_CAPABILITIES).map(capability)),
      payment_handlers: {},
    },
  } satisfies UcpProfile);
}

/** Nothing of it is published while it is off. */
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
      feature: 'ucp',
      make: (publication) => jsonDocument(ucpProfile(publication)),
      route: () => ({
        id: 'getUcpProfile',
        summary: 'Discover the Universal Commerce Protocol',
        description: `Business profile of the Universal Commerce Protocol, version ${UCP_VERSION}: its transports and capabilities. No payment is accepted over them.`,
        capability: 'commerce',
        edge: true,
        schema: UcpProfile,
        cache: 300,
      }),
    },
  ],
  operations: ({ commerce }) => (commerce?.ucp ? [...UCP_OPERATIONS.map(({ route }) => route), callUcpToolRoute] : []),
  examples: (publication) =>
    publication.deployment.commerce.ucp ? { getUcpProfile: { response: ucpProfile(publication) }, ...ucpExamples(publication) } : {},
  schemas: { requests: UCP_REQUESTS, responses: { UcpProfile, ...UCP_RESPONSES } },
};

function ucpExamples({ deployment }: Pick<Publication, 'deployment'>): OperationExamples {
  const { baseUrl, commerce } = deployment;
  const checkout = exampleCheckout(deployment, { owner: 'ucp', channel: 'ucp' });
  if (!commerce.ucp || checkout === undefined) return {};
  const { offer, open, nowMs } = checkout;
  const product = offerProduct(offer, baseUrl);
  const search = { ucp: ucpMetadata('success', 'search'), products: [product], pagination: { has_next_page: false, total_count: 1 } };
  const parameters = { id: open.id };
  const write = (session: Session): object => writeUcpCheckout(session, undefined, deployment, nowMs);
  const response = write(open);
  const cart = { line_items: [{ item: { id: offer.id }, quantity: 1 }] };
  const buyer = { first_name: 'Ada', email: 'ada@example.com' };
  return {
    searchUcpCatalog: { request: { query: offer.name }, response: search },
    getUcpProducts: {
      request: { ids: [offer.id] },
      response: { ucp: ucpMetadata('success', 'lookup'), products: [offerProduct(offer, baseUrl, [offer.id])] },
    },
    getUcpProduct: { request: { id: offer.id }, response: { ucp: ucpMetadata('success', 'lookup'), product } },
    createUcpCheckout: { request: cart, response },
    getUcpCheckout: { parameters, response },
    updateUcpCheckout: { parameters, request: { ...cart, buyer }, response: write({ ...open, buyer }) },
    completeUcpCheckout: { parameters, request: {}, response },
    cancelUcpCheckout: { parameters, request: {}, response: write({ ...open, state: 'canceled' }) },
    callUcpTool: {
      request: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'search_catalog',
          arguments: { meta: { 'ucp-agent': { profile: 'https://agent.example/.well-known/ucp' } }, catalog: { query: offer.name } },
        },
      },
      response: {
        jsonrpc: '2.0',
        id: 1,
        result: { content: [{ type: 'text', text: JSON.stringify(search) }], structuredContent: search, isError: false },
      },
    },
  };
}
