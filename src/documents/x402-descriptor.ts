import { X402Descriptor } from '../schemas/commerce-discovery.ts';
import { PATHS } from '../schemas/paths.ts';
import type { Publication } from './publication.ts';

/**
 * `/.well-known/x402`. There is no merged specification of this document; its members are those that deployed readers
 * and draft-hawkins-x402-dns-discovery-02 expect.
 */
export function x402Descriptor({ deployment }: Publication): X402Descriptor {
  return X402Descriptor.parse({
    x402Version: 2,
    version: 1,
    kind: 'resource-server',
    name: deployment.name,
    description: `Nothing of ${deployment.name} is paid by x402 at present: every capsule is free to read, and offers are bought through their pages. No address here answers 402.`,
    resources: [],
    docs: `${deployment.baseUrl}${PATHS.docs}`,
    contact: deployment.contactEmail,
    updated: deployment.catalogUpdatedAt,
  } satisfies X402Descriptor);
}
