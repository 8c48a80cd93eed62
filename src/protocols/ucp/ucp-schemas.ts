import * as z from 'zod';
import { Buyer, OrderId, SessionId } from '../../schemas/commerce/orders.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { Cadence, CurrencyCode, Cursor, Id, IsoDate, IsoDateTime, Uri } from '../../schemas/primitives.ts';
import { AnyText, IgnoredList, IgnoredObject } from '../protocol-module.ts';

/** Universal Commerce Protocol (ucp.dev). */
export const UCP_VERSION = '2026-08-25';

/** `common/types/context.json` */
export const UcpContext = z
  .looseObject({ currency: z.string().max(16).optional().describe('Preferred currency, ISO 4217, also that of a price filter.') })
  .describe('Context of the buyer. Only the currency is used.');
export type UcpContext = z.infer<typeof UcpContext>;

/** `shopping/payment.json` */
const UcpPayment = z.looseObject({
  instruments: IgnoredList.max(LIMITS.cartItemsMax).optional().describe('Instruments; none is accepted.'),
});

const UCP_REQUEST_MEMBERS = {
  signals: IgnoredObject.optional().describe('Ignored.'),
  attribution: IgnoredObject.optional().describe('Ignored.'),
};

export const UCP_SERVICE = 'dev.ucp.shopping';

export const UCP_CAPABILITIES = {
  search: 'dev.ucp.shopping.catalog.search',
  lookup: 'dev.ucp.shopping.catalog.lookup',
  checkout: 'dev.ucp.shopping.checkout',
  permalink: 'dev.ucp.shopping.permalink',
} as const;
export type UcpCapability = keyof typeof UCP_CAPABILITIES;

const Active = z.array(z.object({ version: IsoDate.describe('Version of the capability.') }));

/** Begins every response (`ucp.json#/$defs/base`). */
const UcpMetadata = z
  .object({
    version: z.literal(UCP_VERSION).describe('Version of the protocol of the response.'),
    status: z.enum(['success', 'error']).describe('Whether the request succeeded; with error, messages say why not.'),
    capabilities: z.record(z.string(), Active).describe('Capabilities that the response belongs to.'),
    payment_handlers: z
      .record(z.string(), z.array(z.unknown()))
      .optional()
      .describe('Payment handlers for agents; empty, because a person pays at continue_url.'),
  })
  .describe('Metadata of the protocol.');
export type UcpMetadata = z.infer<typeof UcpMetadata>;

/** `common/types/message.json` */
const UcpMessage = z.object({
  type: z.enum(['error', 'warning', 'info']).describe('Kind of message.'),
  code: z.string().min(1).describe('Subject of the message.'),
  content: z.string().min(1).describe('The message, in plain text.'),
  severity: z
    .enum(['recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable'])
    .optional()
    .describe('What to do about an error.'),
  path: z.string().regex(/^\$/).optional().describe('Place in the response, as a JSONPath (RFC 9535).'),
});
export type UcpMessage = z.infer<typeof UcpMessage>;

/** `common/types/error_response.json`, a closed object. */
export const UcpError = z.strictObject({
  ucp: UcpMetadata,
  messages: z.array(UcpMessage).min(1).describe('Why there is no result.'),
  continue_url: Uri.optional().describe('Page on which a person can continue.'),
});
export type UcpError = z.infer<typeof UcpError>;

export function ucpMetadata(status: UcpMetadata['status'], ...capabilities: readonly UcpCapability[]): UcpMetadata {
  return {
    version: UCP_VERSION,
    status,
    capabilities: Object.fromEntries(capabilities.map((name) => [UCP_CAPABILITIES[name], [{ version: UCP_VERSION }]])),
    ...(capabilities.includes('checkout') ? { payment_handlers: {} } : {}),
  };
}

const Amount = z.int().min(0).describe('Amount in minor units of the currency.');
const ShortText = z.string().max(LIMITS.shortTextMaxLength);

/** Filters of a search and of a lookup (`types/search_filters.json`); unknown ones are ignored, as messages say. */
const UcpFilters = z
  .looseObject({
    categories: z.array(ShortText).max(LIMITS.cartItemsMax).optional().describe('Categories; a product must have at least one of them.'),
    price: z
      .looseObject({ min: Amount.optional().describe('Lowest price.'), max: Amount.optional().describe('Highest price.') })
      .optional()
      .describe('Lowest and highest price, in context.currency (USD without one); ignored for offers without a price in it.'),
  })
  .describe('Filters; a product must match all.');

const CATALOG_MEMBERS = {
  filters: UcpFilters.optional().describe('Filters that products must match.'),
  context: UcpContext.optional().describe('Context of the buyer; only the currency is used, for prices and for a price filter.'),
};

/** `catalog_search.json#/$defs/search_request` */
export const UcpSearchRequest = z.looseObject({
  query: z.string().max(LIMITS.queryMaxLength).optional().describe('Words to look for.'),
  ...CATALOG_MEMBERS,
  pagination: z
    .looseObject({
      cursor: z.string().max(512).optional().describe('Cursor of the previous response.'),
      limit: z
        .int()
        .min(1)
        .default(LIMITS.catalogPageDefault)
        .describe(`Products of the response; more than ${LIMITS.catalogPageMax} count as ${LIMITS.catalogPageMax}.`),
    })
    .prefault({})
    .describe('Requested page.'),
  ...UCP_REQUEST_MEMBERS,
});
export type UcpSearchRequest = z.infer<typeof UcpSearchRequest>;

/** `catalog_lookup.json#/$defs/lookup_request` */
export const UcpLookupRequest = z.looseObject({
  ids: z
    .array(ShortText)
    .min(1)
    .max(LIMITS.jsonMaxKeys)
    .describe(`Ids or aliases of offers, at most ${LIMITS.catalogLookupMax}; duplicates are returned once.`),
  ...CATALOG_MEMBERS,
  ...UCP_REQUEST_MEMBERS,
});
export type UcpLookupRequest = z.infer<typeof UcpLookupRequest>;

/** `catalog_lookup.json#/$defs/get_product_request`; products have no options to select. */
export const UcpProductRequest = z.looseObject({
  id: ShortText.describe('Id or alias of an offer.'),
  ...CATALOG_MEMBERS,
  selected: IgnoredList.optional().describe('Ignored: products have no options.'),
  preferences: z.array(AnyText).max(LIMITS.jsonMaxKeys).optional().describe('Ignored: products have no options.'),
  ...UCP_REQUEST_MEMBERS,
});
export type UcpProductRequest = z.infer<typeof UcpProductRequest>;

const Price = z.object({ amount: Amount, currency: CurrencyCode.describe('Currency, ISO 4217.') });
const Description = z.object({ plain: z.string().min(1).describe('Plain text.') });

const Input = z.object({
  id: ShortText.describe('Id that was looked up.'),
  match: z.enum(['exact', 'featured']).describe('exact: the id of the offer. featured: an alias of it.'),
});

/** `types/variant.json` */
const UcpVariant = z.object({
  id: Id.describe('Id of the offer: the item id of a checkout.'),
  title: z.string().min(1).describe('Name of the offer.'),
  description: Description.describe('What it is, and when it is delivered.'),
  url: Uri.describe('Page of the offer.'),
  price: Price.describe('Price of one unit, or of one period.'),
  availability: z
    .object({
      available: z.boolean().describe('Whether it can be bought.'),
      status: z.enum(['in_stock', 'out_of_stock']).describe('in_stock if it can be bought, otherwise out_of_stock.'),
    })
    .describe('Whether it can be bought.'),
  metadata: z
    .object({
      cadence: Cadence.describe('How often the price is paid.'),
      valid_until: IsoDate.optional().describe('Last day on which it is sold.'),
      demo: z.boolean().optional().describe('True if the offer is a demonstration: no money is taken, and no work is done.'),
    })
    .describe('Additional metadata.'),
  inputs: z.array(Input).min(1).optional().describe('Ids of the lookup that found it.'),
});

const Category = z.object({
  value: z.string().min(1).describe('The category.'),
  taxonomy: z.literal('merchant').describe('Taxonomy of the category: merchant is the publisher.'),
});

const Medium = z.object({
  type: z.string().describe('Kind of the medium: image.'),
  url: Uri.describe('Address of the picture.'),
  alt_text: z.string().describe('The picture in words.'),
  width: z.int().min(1).describe('Width in pixels.'),
  height: z.int().min(1).describe('Height in pixels.'),
});

/** A product of the catalog (`types/product.json`): an offer, with itself as its only variant. */
export const UcpProduct = z
  .object({
    id: Id.describe('Id of the offer.'),
    handle: Id.describe('The same id, as in the URL of its page.'),
    title: z.string().min(1).describe('Name of the offer.'),
    description: Description.describe('Summary and features.'),
    url: Uri.describe('Page of the offer.'),
    categories: z.array(Category).min(1).optional().describe('Category of the publisher.'),
    price_range: z
      .object({ min: Price.describe('Lowest price.'), max: Price.describe('Highest price.') })
      .describe('Lowest and highest price, which are equal.'),
    media: z.array(Medium).optional().describe('Picture of the offer.'),
    variants: z.array(UcpVariant).min(1).max(1).describe('What can be bought.'),
  })
  .describe('An offer of the catalog.');
export type UcpProduct = z.infer<typeof UcpProduct>;

/** `catalog_search.json#/$defs/search_response` */
export const UcpSearchResponse = z.object({
  ucp: UcpMetadata,
  products: z.array(UcpProduct).max(LIMITS.catalogPageMax).describe('Products, best match first.'),
  pagination: z
    .object({
      has_next_page: z.boolean().describe('Whether there is a next page.'),
      cursor: Cursor.optional().describe('Cursor of the next page.'),
      total_count: z.int().min(0).describe('Products on all pages.'),
    })
    .describe('Position of the page.'),
  messages: z.array(UcpMessage).optional().describe('What was ignored.'),
});
export type UcpSearchResponse = z.infer<typeof UcpSearchResponse>;

/** `catalog_lookup.json#/$defs/lookup_response` */
export const UcpLookupResponse = z.object({
  ucp: UcpMetadata,
  products: z.array(UcpProduct).max(LIMITS.catalogLookupMax).describe('Products that were found, in the order of the ids.'),
  messages: z.array(UcpMessage).optional().describe('Unknown ids.'),
});
export type UcpLookupResponse = z.infer<typeof UcpLookupResponse>;

/** `catalog_lookup.json#/$defs/get_product_response`, or why there is none. */
export const UcpProductResponse = z.union([
  z.object({
    ucp: UcpMetadata,
    product: UcpProduct.describe('The offer.'),
    messages: z.array(UcpMessage).min(1).optional().describe('What was ignored.'),
  }),
  UcpError,
]);
export type UcpProductResponse = z.infer<typeof UcpProductResponse>;

const QuantityUnit = z.looseObject({
  unit: ShortText.describe('Unit (UN/ECE Recommendation 20).'),
  scale: z.int().min(0).max(15).optional().describe('Decimal places.'),
  display_text: ShortText.describe('Text to show.'),
  increment: z.int().min(1).optional().describe('Smallest step.'),
});

const SentItem = z.looseObject({
  id: ShortText.describe('Id or alias of an offer.'),
  quantity_unit: QuantityUnit.optional().describe('Unit of the quantity. Offers are sold by the piece (C62): anything else is refused.'),
});

const SentLine = z.looseObject({
  item: SentItem.describe('What is bought.'),
  quantity: z.int().min(1).describe('Number of units.'),
  id: AnyText.optional().describe('Id of the line; ignored, because the lines replace all earlier ones.'),
  parent_id: AnyText.optional().describe('Ignored: lines have no parents.'),
});

/** `checkout.json`, as a request. */
export const UcpCheckoutRequest = z.looseObject({
  line_items: z.array(SentLine).min(1).max(LIMITS.cartItemsMax).describe('What is bought. An update replaces all lines.'),
  buyer: Buyer.loose().optional().describe('The buyer, optional. Only name, e-mail address and telephone number are stored.'),
  context: UcpContext.optional().describe('Context of the buyer; of it, only the preferred currency is used.'),
  currency: z.string().max(16).optional().describe('Preferred currency, as requests of earlier versions name it; context.currency wins.'),
  payment: UcpPayment.optional().describe('Payment; neither stored nor used.'),
  ...UCP_REQUEST_MEMBERS,
});
export type UcpCheckoutRequest = z.infer<typeof UcpCheckoutRequest>;

/** `checkout.json`, as a request to complete. */
export const UcpCompleteRequest = z.looseObject({
  payment: UcpPayment.optional().describe('Payment; neither stored nor used.'),
  ...UCP_REQUEST_MEMBERS,
});
export type UcpCompleteRequest = z.infer<typeof UcpCompleteRequest>;

export const UcpNothing = z.looseObject({});

const Total = z.object({
  type: z.enum(['subtotal', 'discount', 'total']).describe('Kind of amount.'),
  display_text: z.string().min(1).describe('Text to show with it.'),
  amount: z
    .int()
    .min(-LIMITS.sessionTotalMaxMinor)
    .max(LIMITS.sessionTotalMaxMinor)
    .describe('Amount in minor units of the currency; a discount is negative.'),
});

const BoughtItem = z.object({
  id: Id.describe('Id of the offer.'),
  title: z.string().min(1).describe('Name of the offer.'),
  price: z.int().min(0).describe('Price of one unit, in minor units.'),
});

const CheckoutLine = z.object({
  id: z.string().min(1).describe('Id of the line in the session.'),
  item: BoughtItem.describe('What is bought.'),
  quantity: z.int().min(1).describe('Number of units.'),
  totals: z.array(Total).min(1).describe('Amounts of the line.'),
});

const PolicyLink = z.object({ type: z.string().min(1).describe('Kind of page.'), url: Uri.describe('Address of the page.') });

/** `checkout.json` */
export const UcpCheckout = z.object({
  ucp: UcpMetadata,
  id: SessionId.describe('Id of the session. Anyone who knows it can read and change the session.'),
  status: z
    .enum(['requires_escalation', 'complete_in_progress', 'completed', 'canceled'])
    .describe('State: requires_escalation until a person has paid at continue_url.'),
  currency: CurrencyCode.describe('Currency of all amounts, ISO 4217.'),
  line_items: z.array(CheckoutLine).min(1).max(LIMITS.cartItemsMax).describe('What is bought, at the prices of the catalog.'),
  totals: z.array(Total).min(1).describe('Amounts of the session.'),
  buyer: Buyer.optional().describe('The buyer, as sent.'),
  messages: z.array(UcpMessage).optional().describe('Problems and notes.'),
  links: z.array(PolicyLink).describe('Pages with the terms.'),
  expires_at: IsoDateTime.optional().describe('Expiry of the session, RFC 3339.'),
  continue_url: Uri.optional().describe('Hosted checkout on which a person pays exactly the total of this session.'),
  order: z
    .object({
      id: OrderId.describe('Id of the order.'),
      permalink_url: Uri.describe('Page of the order. Anyone who knows the address can open it.'),
    })
    .optional()
    .describe('The order, once the session is completed.'),
});
export type UcpCheckout = z.infer<typeof UcpCheckout>;

export const UcpCheckoutResponse = z.union([UcpCheckout, UcpError]);

export const UCP_REQUESTS = { UcpSearchRequest, UcpLookupRequest, UcpProductRequest, UcpCheckoutRequest, UcpCompleteRequest };
export const UCP_RESPONSES = {
  UcpMetadata,
  UcpMessage,
  UcpError,
  UcpProduct,
  UcpSearchResponse,
  UcpLookupResponse,
  UcpProductResponse,
  UcpCheckout,
  UcpCheckoutResponse,
};
