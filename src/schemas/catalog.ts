import * as z from 'zod';
import { PATHS } from './paths.ts';
import { IsoDateTime, Uri, uriBeginning } from './primitives.ts';

/** Where a catalog is published: its own origin and the origin of every hosted checkout. */
export interface CatalogOrigins {
  readonly baseUrl: string;
  readonly checkoutHost: string;
}

/** Offer, variant A of the published interface: identified by `id`, priced by `price_usd`. */
export function offerVariantA({ baseUrl, checkoutHost }: CatalogOrigins) {
  const buyUri = uriBeginning(`${baseUrl}${PATHS.buy}/`);
  return z.looseObject({
    id: z.string(),
    name: z.string(),
    price_usd: z.number().min(0),
    cadence: z.string(),
    canonical_path: buyUri,
    route_url: buyUri.optional(),
    checkout_url: uriBeginning(`${checkoutHost}/`).optional(),
  });
}

/** Offer, variant B of the published interface: priced by `price`, with both ways to buy. */
export function offerVariantB({ baseUrl, checkoutHost }: CatalogOrigins) {
  const buyUri = uriBeginning(`${baseUrl}${PATHS.buy}/`);
  return z.looseObject({
    name: z.string(),
    price: z.number().min(0),
    route_url: buyUri,
    checkout_url: uriBeginning(`${checkoutHost}/`),
    cadence: z.string().optional(),
    category: z.string().optional(),
    preferred_url: buyUri.optional(),
  });
}

/** The catalog document at `/offers.json`, `/buy.json` and `/pricing.json`. The top level is closed, offers are open. */
export function catalogSchema(origins: CatalogOrigins) {
  const { baseUrl, checkoutHost } = origins;
  const offer = z.union([offerVariantA(origins), offerVariantB(origins)]);
  const buyUri = uriBeginning(`${baseUrl}${PATHS.buy}/`);
  const checkoutUri = uriBeginning(`${checkoutHost}/`);
  const linkHref = z.union([PATHS.invoice, PATHS.buyInvoice, PATHS.contact].map((path) => uriBeginning(`${baseUrl}${path}`)) as [z.ZodString, z.ZodString, z.ZodString]);
  return z.strictObject({
    $schema: z.literal(`${baseUrl}${PATHS.offersSchema}`),
    updated_at: IsoDateTime,
    namespace: z.literal('commerce'),
    offers: z.array(offer),
    description: z.string().optional(),
    currency: z.literal('USD').optional(),
    contact: z.string().optional(),
    pricing: Uri.optional(),
    buy_json: Uri.optional(),
    buy_page: Uri.optional(),
    buy_html: Uri.optional(),
    checkout_page: Uri.optional(),
    checkout_html: Uri.optional(),
    checkout_routes: z.record(z.string(), buyUri).optional(),
    checkout_alias_routes: z.record(z.string(), buyUri).optional(),
    recommended_first_checkout: offer.optional(),
    recommended_quick_checkout: offer.optional(),
    recommendedFirstCheckoutUrl: buyUri.optional(),
    recommendedFirstDirectPaymentCheckoutUrl: checkoutUri.optional(),
    recommendedQuickCheckoutUrl: buyUri.optional(),
    recommendedQuickDirectPaymentCheckoutUrl: checkoutUri.optional(),
    fast_paid_starts: z.array(offer).min(1).optional(),
    links: z
      .looseObject({ label: z.string(), contact_url: Uri, href: linkHref, subject: z.string().optional() })
      .optional(),
  });
}

/** A catalog document as it is sent. */
export type CatalogDocument = z.infer<ReturnType<typeof catalogSchema>>;
