import * as z from 'zod';
import { publishOffer } from '../../gateway/commerce/catalog/catalog-document.ts';
import { payableCurrencies } from '../../gateway/commerce/catalog/payable-price.ts';
import type { Publication } from '../../publication/publication.ts';
import { type CatalogOrigins, publishedOffer } from '../../schemas/commerce/catalog.ts';
import { availabilityOf, type Offer } from '../../schemas/commerce/offers.ts';
import { policyLinks } from '../../schemas/deployment.ts';
import { featuresOf } from '../../schemas/features.ts';
import { buyPath, docPath, PATHS } from '../../schemas/paths.ts';
import { IsoDateTime, Language, Uri } from '../../schemas/primitives.ts';
import { ACP_VERSION } from '../versions.ts';
import { LowerCurrency } from './schemas/responses.ts';

/** `/.well-known/acp.json`: discovery of the Agentic Commerce Protocol 2026-04-17 (rfcs/rfc.discovery.md). A closed object. */
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

/**
 * `/.well-known/acp.json`. Of the protocol's services only `checkout` can be on: order events are sent, but orders cannot be managed.
 *
 * @see Agentic Commerce Protocol 2026-04-17, rfcs/rfc.discovery.md: the document MUST NOT hold anything that varies by
 *   session, nor merchant ids or payment handlers.
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

/** `GET /api/v1/acp/discover`: every offer, and where the commerce documents are. */
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

/** Response of `GET /api/v1/acp/discover`. */
export type CommerceDiscovery = z.infer<ReturnType<typeof commerceDiscovery>>;

/**
 * Every offer, and where the commerce documents are.
 *
 * @param documents Whole addresses of the commerce documents, by name.
 */
export function acpDiscover(publication: Publication, documents: Readonly<Record<string, string>>): CommerceDiscovery {
  const { deployment } = publication;
  const { baseUrl, offers } = deployment;
  const features = featuresOf(publication.publisher, publication.offers);
  const pages = {
    buy_page: PATHS.buy,
    pricing_page: PATHS.pricing,
    checkout_page: PATHS.checkout,
    invoice_page: PATHS.invoice,
    contact_page: PATHS.contact,
  };
  return commerceDiscovery(deployment).parse({
    object: 'list',
    protocol_note: `This list of offers is specific to this site${features.acp ? ` and not part of the Agentic Commerce Protocol (OpenAI/Stripe). The protocol's discovery document is at documents.acp and declares ${deployment.commerce.acp ? 'the service checkout: POST /checkout_sessions under its api_base_url opens a session for an offer by its id' : 'no service'}` : ''}. ${features.shop ? 'A person buys an offer at its route_url or checkout_url.' : 'Nothing is for sale.'}`,
    offers: offers.map((offer) => publishOffer(offer, deployment)),
    documents: {
      ...documents,
      openapi: `${baseUrl}${PATHS.openApi}`,
      ...Object.fromEntries(
        Object.entries(features.shop ? pages : { contact_page: PATHS.contact }).map(([name, path]) => [name, baseUrl + path]),
      ),
    },
    updated_at: deployment.catalogUpdatedAt,
  } satisfies CommerceDiscovery);
}

/** Billing interval, as an option of the variant. */
const BILLING: Readonly<Record<Offer['cadence'], string>> = {
  one_time: 'Once',
  monthly: 'Every month',
  annual: 'Every year',
  free: 'Free of charge',
};

/** A line of the feed: an offer as a product with one variant, which has the id of the offer. */
function product(offer: Offer, { deployment }: Pick<Publication, 'deployment'>): object {
  const { baseUrl, name } = deployment;
  const url = baseUrl + buyPath(offer.id);
  const described = { title: offer.name, description: { plain: offer.summary }, url };
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
        variant_options: [{ name: 'Billing', value: BILLING[offer.cadence] }],
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

/** Metadata of the product feed (Agentic Commerce Protocol 2026-04-17, schema.feed.json). */
export function acpFeedMetadata({ deployment }: Publication): object {
  return { id: 'offers', updated_at: deployment.catalogUpdatedAt };
}

/**
 * The product feed as JSON Lines. Prices are in minor units; the currency is in upper case, in this schema only.
 */
export function acpFeedProducts(publication: Publication): string {
  return publication.deployment.offers.map((offer) => `${JSON.stringify(product(offer, publication))}\n`).join('');
}
