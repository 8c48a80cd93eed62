import { documentRoute } from '../../http/document-route.ts';
import { PATHS } from '../../schemas/paths.ts';
import { jsonDocument, type ProtocolModule } from '../protocol-module.ts';
import { X402_VERSION } from '../versions.ts';
import { X402Descriptor, X402Items, x402Descriptor, x402Items } from './discovery.ts';
import { x402Scheme } from './payment-scheme.ts';

/** x402: capsules sold over HTTP 402. Its descriptor is always published, even if nothing is sold. */
export const x402Protocol: ProtocolModule = {
  capability: ({ baseUrl, payments }, features) =>
    features.payments
      ? {
          name: 'x402',
          version: String(X402_VERSION),
          document: `${baseUrl}${PATHS.x402WellKnown}`,
          services: payments ? ['exact'] : [],
        }
      : undefined,
  documents: [
    {
      name: 'x402',
      path: PATHS.x402WellKnown,
      listing: { title: 'x402 descriptor', note: 'resources paid by x402' },
      isPublished: () => true,
      feature: 'payments',
      make: (publication) => jsonDocument(x402Descriptor(publication)),
      route: () =>
        documentRoute('x402', {
          id: 'getX402Descriptor',
          feature: 'payments',
          path: PATHS.x402WellKnown,
          summary: 'Discover resources paid by x402',
          description: 'Payment descriptor for x402 clients. The list of resources is empty while nothing can be paid this way.',
          capability: 'capsules',
          schema: X402Descriptor,
          cache: 300,
        }),
    },
    {
      name: 'x402_items',
      path: PATHS.x402Json,
      isPublished: ({ payments }) => payments !== undefined,
      feature: 'payments',
      make: (publication) => jsonDocument(x402Items(publication)),
      route: () =>
        documentRoute('x402_items', {
          id: 'getX402Items',
          feature: 'payments',
          path: PATHS.x402Json,
          summary: 'List resources paid by x402',
          description: 'Every capsule whose text is sold, with the terms of its challenge.',
          capability: 'capsules',
          schema: X402Items,
          cache: 300,
        }),
    },
  ],
  operations: () => [],
  paymentScheme: x402Scheme,
  examples: (publication) => [
    ['getX402Descriptor', { response: x402Descriptor(publication) }],
    ['getX402Items', { response: x402Items(publication) }],
  ],
  schemas: { requests: {}, responses: { X402Descriptor } },
};
