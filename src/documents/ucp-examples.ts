import { offerProduct } from '../gateway/commerce/offer-product.ts';
import { writeUcpCheckout } from '../gateway/commerce/write-ucp-checkout.ts';
import { type Session, totalOf } from '../gateway/orders/session.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { LIMITS } from '../schemas/limits.ts';
import { ucpMetadata } from '../schemas/ucp.ts';
import type { OperationExample, Publication } from './publication.ts';
import { ucpProfile } from './ucp-profile.ts';

const TIME_MS = Date.UTC(2026, 10, 22, 9, 30);

/** Requests and answers of the Universal Commerce Protocol for an offer of the catalog, by operation; none where it is off. */
export function ucpExamples({ deployment }: Pick<Publication, 'deployment'>): [string, OperationExample][] {
  const { baseUrl, commerce, offers } = deployment;
  const offer = offers.find(({ cadence }) => cadence === 'one_time') ?? offers[0];
  if (!commerce.ucp || offer === undefined) return [];
  const product = offerProduct(offer, baseUrl);
  const search = {
    ucp: ucpMetadata('success', 'search'),
    products: [product],
    pagination: { has_next_page: false, total_count: 1 },
  };
  const open = openSession(offer);
  const parameters = { id: open.id };
  const answer = writeUcpCheckout(open, undefined, deployment, TIME_MS);
  const cart = { line_items: [{ item: { id: offer.id }, quantity: 1 }] };
  const buyer = { first_name: 'Ada', email: 'ada@example.com' };
  const named: Session = { ...open, buyer: { email: buyer.email }, details: { first_name: buyer.first_name } };
  return [
    ['getUcpProfile', { answer: ucpProfile({ deployment }) }],
    ['searchUcpCatalog', { request: { query: offer.name }, answer: search }],
    [
      'getUcpProducts',
      {
        request: { ids: [offer.id] },
        answer: { ucp: ucpMetadata('success', 'lookup'), products: [offerProduct(offer, baseUrl, [offer.id])] },
      },
    ],
    ['getUcpProduct', { request: { id: offer.id }, answer: { ucp: ucpMetadata('success', 'lookup'), product } }],
    ['createUcpCheckout', { request: cart, answer }],
    ['getUcpCheckout', { parameters, answer }],
    ['updateUcpCheckout', { parameters, request: { ...cart, buyer }, answer: writeUcpCheckout(named, undefined, deployment, TIME_MS) }],
    ['completeUcpCheckout', { parameters, request: {}, answer }],
    [
      'cancelUcpCheckout',
      { parameters, request: {}, answer: writeUcpCheckout({ ...open, state: 'canceled' }, undefined, deployment, TIME_MS) },
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
        answer: {
          jsonrpc: '2.0',
          id: 1,
          result: { content: [{ type: 'text', text: JSON.stringify(search) }], structuredContent: search, isError: false },
        },
      },
    ],
  ];
}

function openSession({ id, name, cadence, amountMinor, demo, currency }: Deployment['offers'][number]): Session {
  const lines = [{ id: 'li_1', offerId: id, name, cadence, unitMinor: amountMinor, quantity: 1, demo }];
  return {
    id: 'cs_0123456789abcdef0123456789abcdef',
    owner: 'ucp',
    channel: 'ucp',
    state: 'open',
    currency,
    lines,
    totalMinor: totalOf(lines),
    buyer: undefined,
    notifyUrl: undefined,
    details: {},
    hosted: undefined,
    revision: 1,
    createdAtMs: TIME_MS,
    updatedAtMs: TIME_MS,
    expiresAtMs: TIME_MS + LIMITS.sessionHours * 3_600_000,
  };
}
