import * as z from 'zod';
import { line } from '../knowledge/capsule-fields.ts';
import { WrittenDate, writtenLine } from '../knowledge/capsule-front-matter.ts';
import { LIMITS } from '../limits.ts';
import { PATHS } from '../paths.ts';
import {
  Cadence,
  ContentDate,
  Currency,
  Id,
  IsoDateTime,
  Picture,
  Sha256Hex,
  SizedImage,
  URI_CHARACTERS,
  Uri,
  uriBeginning,
} from '../primitives.ts';
import { creditTitle, openedTitle, Prices } from './capsule-price.ts';

const Title = z
  .string()
  .min(3)
  .max(120)
  .regex(/^[^\r\n]*$/, 'must be on one line')
  .describe('What it is, for people.');

const TextDelivery = z.strictObject({
  kind: z.literal('text'),
  name: Id,
  title: Title,
  text: z.string().min(1).max(4_000, 'must have at most 4000 characters; put a longer text into a file of content/deliveries'),
});

const CapsuleDelivery = z.strictObject({ kind: z.literal('capsule'), capsule: Id });

/** A key with the raised limit. Keys live 90 days at most, so that every one can be revoked. */
const LimitDelivery = z.strictObject({ kind: z.literal('limit'), days: z.int().min(1).max(LIMITS.keyTtlDays) });

/** Access to the paid capsules with a tag, or to all of them, for a number of days or for good. */
const PassDelivery = z.strictObject({
  kind: z.literal('pass'),
  tag: Id.optional(),
  days: z.int().min(1).max(LIMITS.passDaysMax).optional(),
});

const CreditDelivery = z.strictObject({
  kind: z.literal('credit'),
  /** Of US dollars, the currency of the prices of capsules. */
  cents: z.int().min(1).max(1_000_000),
  days: z.int().min(1).max(LIMITS.passDaysMax).optional(),
});

const FURTHER_DELIVERIES = [TextDelivery, CapsuleDelivery, PassDelivery, CreditDelivery, LimitDelivery] as const;

export const AuthoredDelivery = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('file'),
    name: Id,
    title: Title,
    file: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,80}$/, 'must be the name of a file in content/deliveries'),
  }),
  ...FURTHER_DELIVERIES,
]);
export type AuthoredDelivery = z.infer<typeof AuthoredDelivery>;

/** A delivery at run time: a file is a block of the store. */
export const StoredDelivery = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('file'),
    name: Id,
    title: Title,
    fileName: z.string(),
    mediaType: z.string(),
    sha256: Sha256Hex,
    bytes: z.int().min(0),
  }),
  ...FURTHER_DELIVERIES,
]);
export type StoredDelivery = z.infer<typeof StoredDelivery>;

export interface AnnouncedDelivery {
  readonly name: string;
  readonly kind: AuthoredDelivery['kind'];
  readonly title: string;
  /** Of US dollars; only for credit. */
  readonly cents?: number;
}

export function announcedDelivery(delivery: AuthoredDelivery | StoredDelivery): AnnouncedDelivery {
  const { kind } = delivery;
  const name = deliveryName(delivery);
  switch (kind) {
    case 'file':
    case 'text':
      return { name, kind, title: delivery.title };
    case 'capsule':
      return { name, kind, title: `The paid capsule ${delivery.capsule}` };
    case 'pass':
      return { name, kind, title: `${openedTitle(delivery.tag)}, ${lasting(delivery)}` };
    case 'credit':
      return { name, kind, title: `${creditTitle(delivery.cents)}, ${lasting(delivery)}`, cents: delivery.cents };
    case 'limit':
      return { name, kind, title: `A key with a raised query limit for ${delivery.days} days` };
  }
}

function lasting({ days }: { readonly days?: number | undefined }): string {
  return days === undefined ? 'for good' : days === 1 ? 'for 1 day' : `for ${days} days`;
}

export function deliveryName(delivery: AuthoredDelivery | StoredDelivery): string {
  if (delivery.kind === 'capsule') return delivery.capsule;
  if (delivery.kind === 'pass') return delivery.tag ?? 'pass';
  if (delivery.kind === 'credit') return delivery.kind;
  return delivery.kind === 'limit' ? 'key' : delivery.name;
}

const CheckoutLink = z
  .string()
  .max(500)
  .regex(
    new RegExp(`^(/|https://)[${URI_CHARACTERS}]*$`),
    'must be a path such as /demo/example-review, or an https address on the checkout host, with other characters written as %XX',
  );

export const OFFER_SUMMARY_MAX_LENGTH = 240;

const Terms = line(1, 300);

/** `offers` of publisher.yaml: members of offers that do not state them. */
export const OfferDefaults = z.strictObject({
  category: Id.optional(),
  refund: Terms.optional(),
  delivery: Terms.optional(),
  valid_until: ContentDate.optional(),
});
export type OfferDefaults = z.infer<typeof OfferDefaults>;

/** Front matter of `content/offers/<id>.md` with all defaults; the body of the file describes the offer on its page. */
export const OfferFrontMatter = z.strictObject({
  ...OfferDefaults.shape,
  name: line(1, 80),
  summary: line(1, OFFER_SUMMARY_MAX_LENGTH),
  audience: line(1, 160).optional(),
  sample: z
    .string()
    .max(500)
    .regex(
      new RegExp(`^(/(?!/)|https://)[${URI_CHARACTERS}]*$`),
      'must be a path of this site such as /samples/review.pdf, or an https address',
    )
    .optional(),
  image: Picture.optional(),
  price_usd: z
    .number('must be a number of US dollars such as 450 or 19.50')
    .min(0, 'must not be below 0')
    .max(999_999, 'must be below 1,000,000')
    .refine((value) => Number(value.toFixed(2)) === value, 'must have at most two decimals')
    .optional(),
  /** In place of `price_usd`: the publisher quotes a price to whoever asks. */
  price: z.literal('on request', 'must be "on request"; a price in US dollars belongs into price_usd').optional(),
  prices: Prices.default({}),
  cadence: Cadence.optional(),
  route: z
    .string()
    .regex(/^\/buy\/[a-z0-9-]+$/, 'must be a route under /buy/, such as /buy/example-review')
    .optional(),
  aliases: z.array(Id).max(8).default([]),
  /** A single link charges US dollars; otherwise links by currency. */
  checkout: z.union([CheckoutLink, z.record(Currency, CheckoutLink)]).optional(),
  demo: z.boolean().default(false),
  draft: z.boolean().default(false),
  features: z.array(line(1, 160)).max(12, 'must list at most 12 features').default([]),
  delivers: z.array(AuthoredDelivery).max(8).default([]),
  discontinued: ContentDate.optional(),
  order: z.int().min(0).max(999).default(100),
  updated: ContentDate,
});
export type OfferFrontMatter = z.infer<typeof OfferFrontMatter>;

/** Front matter as it stands in the file of an offer: only a name and a price, or `price: on request`, are required. */
export const WrittenOffer = OfferFrontMatter.extend({
  name: writtenLine(80),
  summary: writtenLine(OFFER_SUMMARY_MAX_LENGTH).optional(),
  updated: WrittenDate.optional(),
});
export type WrittenOffer = z.infer<typeof WrittenOffer>;

export const CurrencyOption = z.object({ currency: Currency, amountMinor: z.int().min(1), checkoutUrl: Uri.optional() });
export type CurrencyOption = z.infer<typeof CurrencyOption>;

export const Offer = z.object({
  id: Id,
  aliases: z.array(Id),
  name: z.string(),
  summary: z.string(),
  audience: z.string().optional(),
  /** A sample of what is delivered: a path of this site, or an address. */
  sample: z.string().optional(),
  image: SizedImage.extend({ alt: z.string() }).optional(),
  category: z.string().optional(),
  features: z.array(z.string()),
  amountMinor: z.int().min(0),
  currency: z.literal('USD'),
  currencyOptions: z.array(CurrencyOption).optional(),
  cadence: Cadence,
  preferredPath: z.string(),
  checkoutUrl: Uri,
  /** Whether it is a demonstration: no money is taken, and no work is done. */
  demo: z.boolean(),
  /** Last day of sale, `YYYY-MM-DD`; an offer without one is sold until it is withdrawn. */
  validUntil: z.string().optional(),
  discontinued: z.string().optional(),
  delivery: z.string().optional(),
  refund: z.string().optional(),
  delivers: z.array(StoredDelivery),
  updated: z.string(),
});
export type Offer = z.infer<typeof Offer>;

export const QuoteOnlyOffer = Offer.omit({
  amountMinor: true,
  currency: true,
  currencyOptions: true,
  cadence: true,
  checkoutUrl: true,
  delivers: true,
}).extend({ price: z.literal('on_request') });
export type QuoteOnlyOffer = z.infer<typeof QuoteOnlyOffer>;

export interface CatalogOrigins {
  readonly baseUrl: string;
  readonly checkoutHost?: string | undefined;
}

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
    checkout_url: checkoutUriOn(origins)
      .optional()
      .describe('Hosted checkout of the offer. It makes no order, so what an offer delivers at once is bought at route_url.'),
  });
}

/** Offer, variant B of the published interface: priced by `price`. */
export function offerVariantB(origins: CatalogOrigins) {
  const buyUri = uriBeginning(`${origins.baseUrl}${PATHS.buy}/`);
  return z.looseObject({
    name: z.string().min(1).describe('Name of the offer.'),
    price: z.number().min(0).describe('Price in US dollars; 0 for a free offer.'),
    route_url: buyUri.describe('Page of the offer.'),
    checkout_url: checkoutUriOn(origins).describe(
      'Hosted checkout of the offer. It makes no order, so what an offer delivers at once is bought at route_url.',
    ),
    cadence: z.string().optional().describe('How often the price is paid: free, one_time, monthly or annual.'),
    category: z.string().min(1).optional().describe('Kind of offer.'),
    preferred_url: buyUri.optional().describe('Preferred page of the offer for links.'),
  });
}

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
