import * as z from 'zod';
import { PATHS } from '../paths.ts';
import { IsoDateTime, Uri, uriBeginning } from '../primitives.ts';

/** Origins of the catalog and of its hosted checkouts. */
export interface CatalogOrigins {
  readonly baseUrl: string;
  /** Absent if no offer has a checkout. */
  readonly checkoutHost?: string | undefined;
}

/** A hosted checkout. */
function checkoutUriOn({ checkoutHost }: CatalogOrigins): z.ZodString {
  return uriBeginning(checkoutHost === undefined ? 'https://' : `${checkoutHost}/`);
}

/** Offer, variant A of the published interface: priced by `price_usd`. */
export function offerVariantA(origins: CatalogOrigins) {
  const buyUri = uriBeginning(`${origins.baseUrl}${PATHS.buy}/`);
  return z.looseObject({
    id: z.string().min(1).describe('Permanent id of the offer.'),
    name: z.string().min(1).describe('Name of the offer.'),
    price_usd: z.number().min(0).describe('Price in US dollars; 0 for a free offer.'),
    cadence: z.string().describe('How often the price is paid: free, one_time, monthly or annual.'),
    availability: z
      .looseObject({
        available: z.boolean().describe('Whether the offer can be bought until valid_until; a demonstration cannot.'),
        status: z.string().describe('in_stock or out_of_stock.'),
      })
      .optional()
      .describe('Whether the offer can be bought.'),
    canonical_path: buyUri.describe('Page of the offer.'),
    route_url: buyUri.optional().describe('Page of the offer.'),
    checkout_url: checkoutUriOn(origins).optional().describe('Hosted checkout of the offer.'),
  });
}

/** Offer, variant B of the published interface: priced by `price`. */
export function offerVariantB(origins: CatalogOrigins) {
  const buyUri = uriBeginning(`${origins.baseUrl}${PATHS.buy}/`);
  return z.looseObject({
    name: z.string().min(1).describe('Name of the offer.'),
    price: z.number().min(0).describe('Price in US dollars; 0 for a free offer.'),
    route_url: buyUri.describe('Page of the offer.'),
    checkout_url: checkoutUriOn(origins).describe('Hosted checkout of the offer.'),
    cadence: z.string().optional().describe('How often the price is paid: free, one_time, monthly or annual.'),
    category: z.string().min(1).optional().describe('Kind of offer.'),
    preferred_url: buyUri.optional().describe('Preferred page of the offer for links.'),
  });
}

/** An offer as we publish it: in both variants at once. */
export function publishedOffer(origins: CatalogOrigins) {
  return z.intersection(offerVariantA(origins), offerVariantB(origins)).describe('An offer with its price, page and checkout.');
}

/** The catalog document at `/offers.json`, `/buy.json` and `/pricing.json`. Closed at the top level, open in offers. */
export function catalogSchema(origins: CatalogOrigins) {
  return catalogOf(
    origins,
    z.union([offerVariantA(origins), offerVariantB(origins)]),
    z.union([PATHS.invoice, PATHS.buyInvoice, PATHS.contact].map((path) => uriBeginning(`${origins.baseUrl}${path}`))),
  );
}

/** The catalog as we publish it: {@link catalogSchema} where every offer has both variants, and invoices are requested on one page. */
export function publishedCatalog(origins: CatalogOrigins) {
  return catalogOf(origins, publishedOffer(origins), uriBeginning(`${origins.baseUrl}${PATHS.invoice}`)).describe('The offer catalog.');
}

function catalogOf<Offer extends z.ZodType, Href extends z.ZodType<string>>(origins: CatalogOrigins, offer: Offer, linkHref: Href) {
  const { baseUrl } = origins;
  const buyUri = uriBeginning(`${baseUrl}${PATHS.buy}/`);
  const checkoutUri = checkoutUriOn(origins);
  return z.strictObject({
    $schema: z.literal(`${baseUrl}${PATHS.offersSchema}`).describe('JSON Schema of this document.'),
    updated_at: IsoDateTime.describe('Newest change of an offer or of the publisher.'),
    namespace: z.literal('commerce').describe('Namespace of the document.'),
    offers: z.array(offer).describe('All offers, in the order of the publisher.'),
    description: z.string().optional().describe('What the catalog contains.'),
    currency: z.literal('USD').optional().describe('Currency of all prices, ISO 4217.'),
    contact: z.string().optional().describe('E-mail address for questions about offers.'),
    pricing: Uri.optional().describe('This catalog under the name pricing.json.'),
    buy_json: Uri.optional().describe('This catalog under the name buy.json.'),
    buy_page: Uri.optional().describe('Page with all offers.'),
    buy_html: Uri.optional().describe('Page with all offers.'),
    checkout_page: Uri.optional().describe('Page that explains the checkout.'),
    checkout_html: Uri.optional().describe('Page that explains the checkout.'),
    checkout_routes: z.record(z.string(), buyUri).optional().describe('Page of each offer, by offer id.'),
    checkout_alias_routes: z.record(z.string(), buyUri).optional().describe('Address of each alias, by alias.'),
    recommended_first_checkout: offer.optional().describe('Recommended first offer.'),
    recommended_quick_checkout: offer.optional().describe('Recommended offer for a quick purchase.'),
    recommendedFirstCheckoutUrl: buyUri.optional().describe('Page of the recommended first offer.'),
    recommendedFirstDirectPaymentCheckoutUrl: checkoutUri.optional().describe('Hosted checkout of the recommended first offer.'),
    recommendedQuickCheckoutUrl: buyUri.optional().describe('Page of the recommended quick offer.'),
    recommendedQuickDirectPaymentCheckoutUrl: checkoutUri.optional().describe('Hosted checkout of the recommended quick offer.'),
    fast_paid_starts: z.array(offer).min(1).optional().describe('Paid offers that can start immediately.'),
    links: z
      .looseObject({
        label: z.string().describe('Label of the link.'),
        contact_url: Uri.describe('Contact page of the publisher.'),
        href: linkHref.describe('Target of the link.'),
        subject: z.string().optional().describe('Subject of a message.'),
      })
      .optional()
      .describe('Another way to buy.'),
  });
}

export type CatalogDocument = z.infer<ReturnType<typeof catalogSchema>>;
