import { X402Descriptor } from '../acp/schemas/discovery.ts';
import { docPath, PATHS } from '../../schemas/paths.ts';
import { paidOffers } from './paid-resources.ts';
import type { Publication } from '../../publication/publication.ts';

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
