import type * as z from 'zod';
import { publishOffer } from '../../gateway/commerce/catalog/catalog-document.ts';
import { commerceDiscovery } from './schemas/discovery.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { Publication } from '../../publication/publication.ts';

/** Answer of `GET /api/v1/acp/discover`. */
export type CommerceDiscovery = z.infer<ReturnType<typeof commerceDiscovery>>;

/**
 * Every offer, and where the commerce documents are.
 *
 * @param documents Whole addresses of the commerce documents, by name.
 */
export function acpDiscover(publication: Publication, documents: Readonly<Record<string, string>>): CommerceDiscovery {
  const { deployment, offers } = publication;
  const { baseUrl } = deployment;
  const pages = {
    buy_page: PATHS.buy,
    pricing_page: PATHS.pricing,
    checkout_page: PATHS.checkout,
    invoice_page: PATHS.invoice,
    contact_page: PATHS.contact,
  };
  return commerceDiscovery(deployment).parse({
    object: 'list',
    protocol_note: `A list of offers that this site defines; it is no part of the Agentic Commerce Protocol (OpenAI/Stripe), whose discovery document is at documents.acp and declares ${deployment.commerce.acp ? 'the service checkout: POST /checkout_sessions under its api_base_url opens a session for an offer by its id' : 'no service'}. Each offer is bought at its route_url by a person, or at its checkout_url.`,
    offers: offers.map((offer) => publishOffer(offer, baseUrl)),
    documents: {
      ...documents,
      openapi: `${baseUrl}${PATHS.openApi}`,
      ...Object.fromEntries(Object.entries(pages).map(([name, path]) => [name, baseUrl + path])),
    },
    updated_at: deployment.catalogUpdatedAt,
  } satisfies CommerceDiscovery);
}
