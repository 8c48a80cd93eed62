import * as z from 'zod';
import { offerVariantA, offerVariantB, type CatalogOrigins } from '../../../schemas/commerce/catalog.ts';
import { IsoDateTime, Uri } from '../../../schemas/primitives.ts';
import { PaymentRequirements, ResourceInfo } from '../../x402/schemas.ts';

/** Version of the Agentic Commerce Protocol that is spoken. */
export const ACP_VERSION = '2026-04-17';

/** `/.well-known/acp.json`: discovery of the Agentic Commerce Protocol 2026-04-17 (rfcs/rfc.discovery.md). A closed object. */
export const AcpDiscovery = z.strictObject({
  protocol: z.strictObject({
    name: z.literal('acp').describe('Name of the protocol.'),
    version: z.literal(ACP_VERSION).describe('Newest version spoken.'),
    supported_versions: z.array(z.literal(ACP_VERSION)).min(1).describe('All versions spoken, oldest first.'),
    documentation_url: Uri.describe('Documentation for agents.'),
  }),
  api_base_url: Uri.describe('Address that REST paths of the protocol are appended to.'),
  transports: z
    .array(z.enum(['rest', 'mcp']))
    .min(1)
    .describe('Transports spoken.'),
  capabilities: z.strictObject({
    services: z.array(z.enum(['checkout', 'orders', 'delegate_payment', 'carts'])).describe('Services switched on; empty if none.'),
    supported_currencies: z.array(z.string().regex(/^[a-z]{3}$/)).describe('Currencies of prices, lower case.'),
    supported_locales: z.array(z.string()).describe('Languages of offers.'),
  }),
});
export type AcpDiscovery = z.infer<typeof AcpDiscovery>;

/** `/.well-known/x402`: which resources take payment by x402. Readers in use expect addresses as strings in `resources`. */
export const X402Descriptor = z.strictObject({
  x402Version: z.literal(2).describe('Version of x402.'),
  version: z.literal(1).describe('Version of this descriptor.'),
  kind: z.literal('resource-server').describe('Role of this site.'),
  name: z.string().describe('Name of the site.'),
  description: z.string().describe('What can be paid for; says so if nothing can.'),
  resources: z.array(Uri).describe('Addresses that answer 402 until they are paid; empty while payment is off.'),
  docs: Uri.describe('Documentation.'),
  contact: z.string().describe('Role address.'),
  updated: IsoDateTime.describe('Newest change of an offer or of the publisher.'),
});
export type X402Descriptor = z.infer<typeof X402Descriptor>;

/** `/.well-known/x402.json`: everything that is sold by x402, with its terms. */
export const X402Items = z.strictObject({
  x402Version: z.literal(2).describe('Version of x402.'),
  lastUpdated: IsoDateTime.describe('Newest change of an offer or of the publisher.'),
  name: z.string().describe('Name of the site.'),
  network: z.string().optional().describe('Network by CAIP-2 on which is paid.'),
  facilitator: Uri.optional().describe('Who settles payments.'),
  payTo: z.string().optional().describe('Address that is paid.'),
  items: z
    .array(
      z.object({
        resource: ResourceInfo.describe('What is sold.'),
        type: z.literal('http').describe('How it is asked for.'),
        accepts: z.array(PaymentRequirements).describe('Terms, as the challenge has them.'),
        input: z
          .object({
            method: z.literal('GET').describe('Method of the request.'),
            routeTemplate: z.string().describe('Path with parameters.'),
            pathParams: z.record(z.string(), z.string()).describe('Values of the parameters.'),
          })
          .describe('The request that is paid.'),
        output: z.object({ type: z.literal('json').describe('Kind of the answer.') }).describe('What is answered.'),
      }),
    )
    .describe('Resources that are sold.'),
  services: z
    .array(
      z.object({
        method: z.literal('GET').describe('Method of the request.'),
        path: z.string().describe('Path of the request.'),
        description: z.string().describe('The claim of the capsule.'),
        price: z.string().describe('Price in dollars, as a decimal number.'),
        currency: z.literal('USD').describe('ISO 4217.'),
        discoverable: z.literal(true).describe('Whether it may be listed elsewhere.'),
      }),
    )
    .describe('The same resources, for readers that look for services.'),
});
export type X402Items = z.infer<typeof X402Items>;

/** `GET /api/v1/acp/discover`: every offer, and where the commerce documents are. */
export function commerceDiscovery(origins: CatalogOrigins) {
  return z.object({
    object: z.literal('list').describe('Kind of the answer.'),
    protocol_note: z.string().describe('What this list is, and which protocols are switched on.'),
    offers: z.array(z.intersection(offerVariantA(origins), offerVariantB(origins))).describe('Offers in the order of the publisher.'),
    documents: z.record(z.string(), Uri).describe('Commerce documents of this site.'),
    updated_at: IsoDateTime.describe('Newest change of an offer or of the publisher.'),
  });
}
