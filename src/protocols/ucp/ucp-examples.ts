import { EXAMPLE_SESSION_TIME_MS, exampleOffer, exampleSession, type Session } from '../../gateway/commerce/sessions/session.ts';
import type { OperationExample, Publication } from '../../publication/publication.ts';
import { offerProduct } from './catalog.ts';
import { ucpMetadata } from './schemas/metadata.ts';
import { writeUcpCheckout } from './write-checkout.ts';

/** Requests and responses of the Universal Commerce Protocol for an offer of the catalog, by operation; none where it is off. */
export function ucpExamples({ deployment }: Pick<Publication, 'deployment'>): [string, OperationExample][] {
  const { baseUrl, commerce } = deployment;
  const offer = exampleOffer(deployment);
  if (!commerce.ucp || offer === undefined) return [];
  const product = offerProduct(offer, baseUrl);
  const search = {
    ucp: ucpMetadata('success', 'search'),
    products: [product],
    pagination: { has_next_page: false, total_count: 1 },
  };
  const open = exampleSession(offer, { owner: 'ucp', channel: 'ucp' });
  const parameters = { id: open.id };
  const response = writeUcpCheckout(open, undefined, deployment, EXAMPLE_SESSION_TIME_MS);
  const cart = { line_items: [{ item: { id: offer.id }, quantity: 1 }] };
  const buyer = { first_name: 'Ada', email: 'ada@example.com' };
  const named: Session = { ...open, buyer };
  return [
    ['searchUcpCatalog', { request: { query: offer.name }, response: search }],
    [
      'getUcpProducts',
      {
        request: { ids: [offer.id] },
        response: { ucp: ucpMetadata('success', 'lookup'), products: [offerProduct(offer, baseUrl, { inputs: [offer.id] })] },
      },
    ],
    ['getUcpProduct', { request: { id: offer.id }, response: { ucp: ucpMetadata('success', 'lookup'), product } }],
    ['createUcpCheckout', { request: cart, response }],
    ['getUcpCheckout', { parameters, response }],
    [
      'updateUcpCheckout',
      { parameters, request: { ...cart, buyer }, response: writeUcpCheckout(named, undefined, deployment, EXAMPLE_SESSION_TIME_MS) },
    ],
    ['completeUcpCheckout', { parameters, request: {}, response }],
    [
      'cancelUcpCheckout',
      {
        parameters,
        request: {},
        response: writeUcpCheckout({ ...open, state: 'canceled' }, undefined, deployment, EXAMPLE_SESSION_TIME_MS),
      },
    ],
    [
      'callUcpTool',
      {
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
    ],
  ];
}
