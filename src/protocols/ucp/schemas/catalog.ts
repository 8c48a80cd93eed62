import * as z from 'zod';
import { Cadence } from '../../../schemas/commerce/offers.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { CurrencyCode, Cursor, Id, IsoDate, Uri } from '../../../schemas/primitives.ts';
import { AnyText, IgnoredList } from '../../ignored-members.ts';
import { UcpError, UcpMessage, UcpMetadata } from './metadata.ts';
import { UCP_REQUEST_MEMBERS, UcpContext } from './request-members.ts';

const Amount = z.int().min(0).describe('Amount in minor units of the currency.');
const ShortText = z.string().max(LIMITS.shortTextMaxLength);

/** Filters of a search and of a lookup (`types/search_filters.json`); unknown ones are ignored. */
export const UcpFilters = z
  .looseObject({
    categories: z.array(ShortText).max(LIMITS.cartItemsMax).optional().describe('Categories; a product must have at least one of them.'),
    price: z
      .looseObject({ min: Amount.optional().describe('Lowest price.'), max: Amount.optional().describe('Highest price.') })
      .optional()
      .describe('Lowest and highest price, in context.currency (USD without one); ignored for offers without a price in it.'),
  })
  .describe('Filters; a product must match all.');
export type UcpFilters = z.infer<typeof UcpFilters>;

/** Body of `POST …/catalog/search` (`catalog_search.json#/$defs/search_request`). */
export const UcpSearchRequest = z.looseObject({
  query: z.string().max(LIMITS.queryMaxLength).optional().describe('Words to look for.'),
  filters: UcpFilters.optional().describe('Filters that products must match.'),
  context: UcpContext.optional().describe('Context of the buyer; only the currency is used, for prices and for a price filter.'),
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

/** Body of `POST …/catalog/lookup` (`catalog_lookup.json#/$defs/lookup_request`). */
export const UcpLookupRequest = z.looseObject({
  ids: z
    .array(ShortText)
    .min(1)
    .max(LIMITS.jsonMaxKeys)
    .describe(`Ids or aliases of offers, at most ${LIMITS.catalogLookupMax}; duplicates are returned once.`),
  filters: UcpFilters.optional().describe('Filters that products must match.'),
  context: UcpContext.optional().describe('Context of the buyer; only the currency is used, for prices and for a price filter.'),
  ...UCP_REQUEST_MEMBERS,
});
export type UcpLookupRequest = z.infer<typeof UcpLookupRequest>;

/** Body of `POST …/catalog/product` (`catalog_lookup.json#/$defs/get_product_request`); products have no options to select. */
export const UcpProductRequest = z.looseObject({
  id: ShortText.describe('Id or alias of an offer.'),
  filters: UcpFilters.optional().describe('Filters that products must match.'),
  context: UcpContext.optional().describe('Context of the buyer; only the currency is used, for prices and for a price filter.'),
  selected: IgnoredList.optional().describe('Ignored: products have no options.'),
  preferences: z.array(AnyText).max(LIMITS.jsonMaxKeys).optional().describe('Ignored: products have no options.'),
  ...UCP_REQUEST_MEMBERS,
});
export type UcpProductRequest = z.infer<typeof UcpProductRequest>;

const Price = z.object({ amount: Amount, currency: CurrencyCode.describe('Currency, ISO 4217.') });
const Description = z.object({ plain: z.string().min(1).describe('Plain text.') });

/** What can be bought of a product (`types/variant.json`). */
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
      demo: z.boolean().optional().describe('True if the offer is a demonstration: no money is taken, and nothing is delivered.'),
    })
    .describe('Additional metadata.'),
  inputs: z
    .array(
      z.object({
        id: ShortText.describe('Id that was looked up.'),
        match: z.enum(['exact', 'featured']).describe('exact: the id of the offer. featured: an alias of it.'),
      }),
    )
    .min(1)
    .optional()
    .describe('Ids of the lookup that found it.'),
});

/** A product of the catalog (`types/product.json`): an offer, with itself as its only variant. */
export const UcpProduct = z
  .object({
    id: Id.describe('Id of the offer.'),
    handle: Id.describe('The same id, as in the URL of its page.'),
    title: z.string().min(1).describe('Name of the offer.'),
    description: Description.describe('Summary and features.'),
    url: Uri.describe('Page of the offer.'),
    categories: z
      .array(
        z.object({
          value: z.string().min(1).describe('The category.'),
          taxonomy: z.literal('merchant').describe('Taxonomy of the category: merchant is the publisher.'),
        }),
      )
      .min(1)
      .optional()
      .describe('Category of the publisher.'),
    price_range: z
      .object({ min: Price.describe('Lowest price.'), max: Price.describe('Highest price.') })
      .describe('Lowest and highest price, which are equal.'),
    variants: z.array(UcpVariant).min(1).max(1).describe('What can be bought.'),
  })
  .describe('An offer of the catalog.');
export type UcpProduct = z.infer<typeof UcpProduct>;

/** Response to a search (`catalog_search.json#/$defs/search_response`). */
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

/** Response to a lookup (`catalog_lookup.json#/$defs/lookup_response`). */
export const UcpLookupResponse = z.object({
  ucp: UcpMetadata,
  products: z.array(UcpProduct).max(LIMITS.catalogLookupMax).describe('Products that were found, in the order of the ids.'),
  messages: z.array(UcpMessage).optional().describe('Unknown ids.'),
});
export type UcpLookupResponse = z.infer<typeof UcpLookupResponse>;

/** Response with one product (`catalog_lookup.json#/$defs/get_product_response`), or why there is none. */
export const UcpProductResponse = z.union([
  z.object({
    ucp: UcpMetadata,
    product: UcpProduct.describe('The offer.'),
    messages: z.array(UcpMessage).min(1).optional().describe('What was ignored.'),
  }),
  UcpError,
]);
export type UcpProductResponse = z.infer<typeof UcpProductResponse>;
