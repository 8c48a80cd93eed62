import type { Publication } from '../../publication/publication.ts';
import type { Offer } from '../../schemas/commerce/offers.ts';
import { availabilityOf } from '../../schemas/commerce/offers.ts';
import { buyPath, PATHS } from '../../schemas/paths.ts';

/** What an offer is paid for, as a characteristic of its variant. */
const BILLING: Readonly<Record<Offer['cadence'], string>> = {
  one_time: 'Once',
  monthly: 'Every month',
  annual: 'Every year',
  free: 'Free of charge',
};

/** A line of the feed: one offer as a product with one variant, which has the id of the offer. */
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
        categories: [{ value: offer.category, taxonomy: 'merchant' }],
        variant_options: [{ name: 'Billing', value: BILLING[offer.cadence] }],
        seller: {
          name,
          links: [
            { type: 'terms_of_service', title: 'Terms', url: baseUrl + PATHS.terms },
            { type: 'privacy_policy', title: 'Privacy', url: baseUrl + PATHS.privacy },
            { type: 'refund_policy', title: 'Refunds', url: baseUrl + PATHS.refunds },
          ],
        },
      },
    ],
  };
}

/** What the product feed is (Agentic Commerce Protocol 2026-04-17, schema.feed.json). */
export function acpFeedMetadata({ deployment }: Publication): object {
  return { id: 'offers', updated_at: deployment.catalogUpdatedAt };
}

/**
 * The product feed as JSON Lines, one product a line. Prices are those of the catalog, in minor units, with the currency in upper case as
 * this schema alone has it.
 */
export function acpFeedProducts(publication: Publication): string {
  return publication.offers.map((offer) => `${JSON.stringify(product(offer, publication))}\n`).join('');
}
