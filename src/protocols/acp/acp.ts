import * as z from 'zod';
import type { Order, Session } from '../../gateway/commerce/cart/checkout-ports.ts';
import { offerMedia, publishOffer } from '../../gateway/commerce/catalog/catalog-document.ts';
import { payableCurrencies } from '../../gateway/commerce/catalog/find-offer.ts';
import { completionStep } from '../../gateway/commerce/orders/order-transitions.ts';
import { once } from '../../http/define-route.ts';
import { availabilityOf } from '../../schemas/commerce/currency-and-availability.ts';
import { type CatalogOrigins, type Offer, publishedOffer } from '../../schemas/commerce/offers.ts';
import { policyLinks } from '../../schemas/deployment.ts';
import { featuresOf } from '../../schemas/feature-switches.ts';
import { buyPath, docPath, PATHS } from '../../schemas/paths.ts';
import { IsoDateTime, Language, Uri } from '../../schemas/primitives.ts';
import { statedOffer } from '../../text/prices.ts';
import type { Publication } from '../../text/publication-model.ts';
import { exampleCheckout, jsonDocument, type OperationExamples, type ProtocolModule } from '../protocol-module.ts';
import { ACP_REQUESTS, ACP_RESPONSES, ACP_VERSION, LowerCurrency } from './acp-schemas.ts';
import { ACP_ROUTES, describeOrderWebhook } from './checkout-session-routes.ts';
import { ACP_SITE_BINDING } from './http-binding.ts';
import { acpSession, CADENCES } from './write-session.ts';

/** `/.well-known/acp.json` (rfcs/rfc.discovery.md). A closed object. */
export const AcpDiscovery = z.strictObject({
  protocol: z
    .strictObject({
      name: z.literal('acp').describe('Name of the protocol.'),
      version: z.literal(ACP_VERSION).describe('Newest supported version.'),
      supported_versions: z.array(z.literal(ACP_VERSION)).min(1).describe('All supported versions, oldest first.'),
      documentation_url: Uri.describe('Documentation for agents.'),
    })
    .describe('The protocol, and its versions.'),
  api_base_url: Uri.describe('Address that REST paths of the protocol are appended to.'),
  transports: z
    .array(z.enum(['rest', 'mcp']))
    .min(1)
    .describe('Supported transports.'),
  capabilities: z
    .strictObject({
      services: z.array(z.enum(['checkout', 'orders', 'delegate_payment', 'carts'])).describe('Active services; empty if none.'),
      supported_currencies: z.array(LowerCurrency).describe('Currencies of prices, lower case.'),
      supported_locales: z.array(Language).describe('Languages of offers.'),
    })
    .describe('What is supported.'),
});

export type AcpDiscovery = z.infer<typeof AcpDiscovery>;

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
      feature: 'acp',
      make: (publication) => jsonDocument(acpWellKnown(publication)),
      route: () => ({
        id: 'getAcpDiscovery',
        feature: 'acp',
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
      feature: 'shop',
      make: (publication, addresses) => jsonDocument(acpDiscover(publication, addresses)),
      route: (origins) => ({
        id: 'discoverOffers',
        feature: 'shop',
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
      feature: 'acp',
      // schema.feed.json.
      make: ({ deployment }) => jsonDocument({ id: 'offers', updated_at: deployment.catalogUpdatedAt }),
    },
    {
      name: 'acp_products',
      path: PATHS.acpFeedProducts,
      listing: { title: 'Products of the feed', note: 'all offers as products of the Agentic Commerce Protocol, one per line' },
      feature: 'acp',
      make: (publication) => ({ contentType: 'application/jsonl', body: acpFeedProducts(publication) }),
    },
  ],
  operations: ({ commerce }) => (commerce?.acp ? ACP_ROUTES : []),
  examples: (publication, addresses) => {
    const discovery = acpDiscover(publication, addresses);
    return {
      getAcpDiscovery: { response: acpWellKnown(publication) },
      discoverOffers: { response: { ...discovery, offers: discovery.offers.slice(0, 2) } },
      ...acpExamples(publication),
    };
  },
  schemas: { requests: ACP_REQUESTS, responses: { AcpDiscovery, ...ACP_RESPONSES } },
};

/**
 * Of the protocol's services only `checkout` can be on: order events are sent, but orders cannot be managed.
 * The document MUST NOT hold anything that varies by session, nor merchant ids or payment handlers (rfcs/rfc.discovery.md).
 */
export function acpWellKnown({ deployment, pages }: Publication): AcpDiscovery {
  const { baseUrl } = deployment;
  const guide = docPath('agentic-commerce');
  return AcpDiscovery.parse({
    protocol: {
      name: 'acp',
      version: ACP_VERSION,
      supported_versions: [ACP_VERSION],
      documentation_url: baseUrl + (pages.some(({ path }) => path === guide) ? guide : PATHS.docs),
    },
    api_base_url: `${baseUrl}${PATHS.acp}`,
    transports: ['rest'],
    capabilities: {
      services: deployment.commerce.acp ? ['checkout'] : [],
      supported_currencies: payableCurrencies(deployment).map((currency) => currency.toLowerCase()),
      supported_locales: ['en-US'],
    },
  } satisfies AcpDiscovery);
}

export function commerceDiscovery(origins: CatalogOrigins) {
  return z
    .object({
      object: z.literal('list').describe('Kind of the response.'),
      protocol_note: z.string().min(1).describe('Origin of this list, and the active protocols.'),
      offers: z.array(publishedOffer(origins)).describe('Offers in the order of the publisher.'),
      documents: z.record(z.string(), Uri).describe('Commerce documents of this site.'),
      updated_at: IsoDateTime.describe('Newest change of an offer or of the publisher.'),
    })
    .describe('Offers, and the commerce documents of the site.');
}

type CommerceDiscovery = z.infer<ReturnType<typeof commerceDiscovery>>;

/** @param documents Whole addresses of the commerce documents, by name. */
export function acpDiscover(publication: Publication, documents: Readonly<Record<string, string>>): CommerceDiscovery {
  const { deployment } = publication;
  const { baseUrl, offers } = deployment;
  const features = featuresOf(publication.publisher, publication.offers);
  const shop = { buy_page: PATHS.buy, pricing_page: PATHS.pricing, checkout_page: PATHS.checkout, invoice_page: PATHS.invoice };
  const pages = { ...(features.shop ? shop : {}), contact_page: PATHS.contact };
  return commerceDiscovery(deployment).parse({
    object: 'list',
    protocol_note: `This list of offers is specific to this site${features.acp ? ` and not part of the Agentic Commerce Protocol (OpenAI/Stripe). The protocol's discovery document is at documents.acp and declares ${deployment.commerce.acp ? 'the service checkout: POST /checkout_sessions under its api_base_url opens a session for an offer by its id' : 'no service'}` : ''}. ${features.shop ? 'A person buys an offer at its route_url or checkout_url.' : 'Nothing is for sale.'}`,
    offers: offers.map((offer) => publishOffer(offer, deployment)),
    documents: {
      ...documents,
      openapi: `${baseUrl}${PATHS.openApi}`,
      ...Object.fromEntries(Object.entries(pages).map(([name, path]) => [name, baseUrl + path])),
    },
    updated_at: deployment.catalogUpdatedAt,
  } satisfies CommerceDiscovery);
}

/** A line of the feed: an offer as a product with one variant, which has the id of the offer. */
function product(offer: Offer, { deployment }: Pick<Publication, 'deployment'>): object {
  const { baseUrl, name } = deployment;
  const url = baseUrl + buyPath(offer.id);
  const billing = CADENCES[offer.cadence];
  const described = { title: offer.name, description: { plain: statedOffer(offer) }, url, ...offerMedia(offer, baseUrl) };
  return {
    id: offer.id,
    ...described,
    variants: [
      {
        id: offer.id,
        ...described,
        price: { amount: offer.amountMinor, currency: offer.currency },
        availability: availabilityOf(offer),
        ...(offer.category === undefined ? {} : { categories: [{ value: offer.category, taxonomy: 'merchant' }] }),
        variant_options: [{ name: 'Billing', value: billing.charAt(0).toUpperCase() + billing.slice(1) }],
        seller: {
          name,
          links: policyLinks(deployment, [
            { type: 'terms_of_service', title: 'Terms', page: 'terms' },
            { type: 'privacy_policy', title: 'Privacy', page: 'privacy' },
            { type: 'refund_policy', title: 'Refunds', page: 'refunds' },
          ]),
        },
      },
    ],
  };
}

/** The product feed as JSON Lines. Prices are in minor units; the currency is in upper case, in this schema only. */
export function acpFeedProducts(publication: Publication): string {
  return publication.deployment.offers.map((offer) => `${JSON.stringify(product(offer, publication))}\n`).join('');
}

const BUYER = { email: 'ada@example.com', full_name: 'Ada Example' };

export function acpExamples({ deployment }: Pick<Publication, 'deployment'>): OperationExamples {
  const checkout = exampleCheckout(deployment, { owner: 'agt_1122334455667788', channel: 'acp' });
  if (!deployment.commerce.acp || checkout === undefined) return {};
  const { offer, open, nowMs } = checkout;
  const write = (session: Session, order?: Order): object => acpSession(session, order, deployment, nowMs);
  const named: Session = { ...open, buyer: BUYER, revision: 2 };
  const completed: Session = { ...named, state: 'completed', revision: 4 };
  const payment = { reference: 'pi_example', by: 'processor' } as const;
  const { order } = completionStep(completed, payment, { bytes: (length) => new Uint8Array(length) }, nowMs);
  const parameters = { checkout_session_id: open.id };
  return {
    createCheckoutSession: {
      request: { line_items: [{ id: offer.id, quantity: 1 }], currency: 'usd', capabilities: {} },
      response: write(open),
    },
    getCheckoutSession: { parameters, response: write(open) },
    updateCheckoutSession: { parameters, request: { buyer: BUYER }, response: write(named) },
    completeCheckoutSession: {
      parameters,
      request: {
        payment_data: { handler_id: 'card_tokenized', instrument: { type: 'card', credential: { type: 'spt', token: 'spt_123' } } },
      },
      response: write(completed, { ...order, id: 'ord_0123456789abcdef01234567', receipt: 'rct_0123456789abcdef0123456789abcdef' }),
    },
    cancelCheckoutSession: {
      parameters,
      request: { intent_trace: { reason_code: 'timing_deferred' } },
      response: write({ ...open, state: 'canceled', revision: 2 }),
    },
    getOrderWebhook: { response: describeOrderWebhook(['agent.example'], `whsec_${'A'.repeat(43)}`) },
  };
}
