import * as z from 'zod';
import { paidOffers } from '../../gateway/commerce/payments/paid-resource.ts';
import type { Publication } from '../../publication/publication.ts';
import { capsuleApiPath, docPath, PATHS } from '../../schemas/paths.ts';
import { IsoDateTime, Uri } from '../../schemas/primitives.ts';
import { paymentRequired } from './challenge.ts';
import { PaymentRequirements, ResourceInfo } from './schemas.ts';

/** `/.well-known/x402`: the resources paid by x402. Deployed clients expect URLs as strings in `resources`. */
export const X402Descriptor = z.strictObject({
  x402Version: z.literal(2).describe('Version of x402.'),
  version: z.literal(1).describe('Version of this descriptor.'),
  kind: z.literal('resource-server').describe('Role of this site.'),
  name: z.string().describe('Name of the site.'),
  description: z.string().describe('What can be bought, or that nothing can.'),
  resources: z.array(Uri).describe('URLs that respond with 402 until they are paid; empty while payment is off.'),
  docs: Uri.describe('Documentation.'),
  contact: z.string().describe('Contact address.'),
  updated: IsoDateTime.describe('Newest change of an offer or of the publisher.'),
});
export type X402Descriptor = z.infer<typeof X402Descriptor>;

/**
 * `/.well-known/x402`. It has no merged specification; its members are those that deployed clients and draft-hawkins-x402-dns-discovery-02
 * expect.
 */
export function x402Descriptor(publication: Publication): X402Descriptor {
  const { deployment } = publication;
  const { name, baseUrl } = deployment;
  const offers = paidOffers(publication);
  return X402Descriptor.parse({
    x402Version: 2,
    version: 1,
    kind: 'resource-server',
    name,
    description:
      offers.length === 0
        ? `${name} currently sells nothing by x402: every capsule is free to read${publication.offers.length > 0 ? ', and offers are bought through their pages' : ''}. No URL here responds with 402.`
        : `Capsule texts that ${name} sells by x402 and MPP. The summary, metadata and digest of each are free.`,
    resources: offers.map(({ resource }) => resource.url),
    docs: baseUrl + (deployment.payments ? docPath('paying') : PATHS.docs),
    contact: deployment.contactEmail,
    updated: deployment.catalogUpdatedAt,
  } satisfies X402Descriptor);
}

/** `/.well-known/x402.json`: every paid resource with its terms. */
export const X402Items = z.strictObject({
  x402Version: z.literal(2).describe('Version of x402.'),
  lastUpdated: IsoDateTime.describe('Newest change of an offer or of the publisher.'),
  name: z.string().describe('Name of the site.'),
  network: z.string().optional().describe('Network of payments, as a CAIP-2 id.'),
  facilitator: Uri.optional().describe('Service that settles payments.'),
  payTo: z.string().optional().describe('Address that receives payments.'),
  items: z
    .array(
      z.object({
        resource: ResourceInfo.describe('What is sold.'),
        type: z.literal('http').describe('Kind of the request.'),
        accepts: z.array(PaymentRequirements).describe('Terms, as in the challenge.'),
        input: z
          .object({
            method: z.literal('GET').describe('Method of the request.'),
            routeTemplate: z.string().describe('Path with parameters.'),
            pathParams: z.record(z.string(), z.string()).describe('Values of the parameters.'),
          })
          .describe('The paid request.'),
        output: z.object({ type: z.literal('json').describe('Kind of the response.') }).describe('The response.'),
      }),
    )
    .describe('Paid resources.'),
  services: z
    .array(
      z.object({
        method: z.literal('GET').describe('Method of the request.'),
        path: z.string().describe('Path of the request.'),
        description: z.string().describe('Summary of the capsule.'),
        price: z.string().describe('Price in dollars, as a decimal number.'),
        currency: z.literal('USD').describe('ISO 4217.'),
        discoverable: z.literal(true).describe('Whether it may be listed elsewhere.'),
      }),
    )
    .describe('The same resources, for clients that look for services.'),
});
export type X402Items = z.infer<typeof X402Items>;

/**
 * `/.well-known/x402.json`. It has no merged specification either: `items` follow x402 pull request 2646, `services` is what other clients
 * look for.
 */
export function x402Items(publication: Publication): X402Items {
  const { deployment } = publication;
  const offers = paidOffers(publication);
  return X402Items.parse({
    x402Version: 2,
    lastUpdated: deployment.catalogUpdatedAt,
    name: deployment.name,
    ...(deployment.payments
      ? { network: deployment.payments.network, facilitator: deployment.payments.facilitator, payTo: deployment.payments.payTo }
      : {}),
    items: offers.map(({ resource, terms }) => {
      const { resource: described, accepts } = paymentRequired(resource, terms, deployment.name, '');
      return {
        resource: described,
        type: 'http',
        accepts,
        input: { method: 'GET', routeTemplate: capsuleApiPath(':capsule_id'), pathParams: { capsule_id: resource.capsuleId } },
        output: { type: 'json' },
      };
    }),
    services: offers.map(({ resource, price, summary }) => ({
      method: 'GET',
      path: new URL(resource.url).pathname,
      description: summary,
      price: price.amount,
      currency: price.currency,
      discoverable: true,
    })),
  } satisfies X402Items);
}
