import * as z from 'zod';
import { paidOffers } from '../../gateway/commerce/payments/paid-resource.ts';
import type { Publication } from '../../publication/publication.ts';
import { capsuleApiPath, docPath, PATHS } from '../../schemas/paths.ts';
import { IsoDateTime, Uri } from '../../schemas/primitives.ts';
import { paymentRequired } from './challenge.ts';
import { PaymentRequirements, ResourceInfo } from './schemas.ts';

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

/**
 * `/.well-known/x402`. There is no merged specification of this document; its members are those that deployed readers
 * and draft-hawkins-x402-dns-discovery-02 expect.
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
        ? `Nothing of ${name} is paid by x402 at present: every capsule is free to read, and offers are bought through their pages. No address here answers 402.`
        : `Texts of capsules of ${name} that are sold by x402 and MPP: a summary of each, its sources and its digest are free.`,
    resources: offers.map(({ resource }) => resource.url),
    docs: baseUrl + (deployment.payments ? docPath('paying') : PATHS.docs),
    contact: deployment.contactEmail,
    updated: deployment.catalogUpdatedAt,
  } satisfies X402Descriptor);
}

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
        type: z.literal('http').describe('Kind of the request.'),
        accepts: z.array(PaymentRequirements).describe('Terms, as the challenge has them.'),
        input: z
          .object({
            method: z.literal('GET').describe('Method of the request.'),
            routeTemplate: z.string().describe('Path with parameters.'),
            pathParams: z.record(z.string(), z.string()).describe('Values of the parameters.'),
          })
          .describe('The request that is paid.'),
        output: z.object({ type: z.literal('json').describe('Kind of the response.') }).describe('The response.'),
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

/**
 * `/.well-known/x402.json`: everything that is sold, with the terms that each challenge has. There is no merged specification of this
 * document either; `items` follow x402 pull request 2646, and `services` is what other readers look for.
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
