import type * as z from 'zod';
import { offerMedia } from '../../gateway/commerce/catalog/catalog-document.ts';
import {
  findOffer,
  namedOffer,
  type PayablePrice,
  payableCurrencies,
  payablePrices,
  refuseUnsold,
  unknownOffer,
} from '../../gateway/commerce/catalog/find-offer.ts';
import { decodeCursor, encodeCursor } from '../../gateway/knowledge/cursor.ts';
import { ok, type Result, refuse, repeatable, suggestionOf } from '../../gateway/result.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { canonicalDigest } from '../../provenance/canonical-json.ts';
import { availabilityOf, isSoldOn } from '../../schemas/commerce/currency-and-availability.ts';
import type { Offer } from '../../schemas/commerce/offers.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { buyPath, PATHS } from '../../schemas/paths.ts';
import { dayOf } from '../../schemas/time.ts';
import { analyse } from '../../search/analysis/analyse.ts';
import { statedOffer } from '../../text/prices.ts';
import { ignoredMessages } from './http-binding.ts';
import {
  type UcpContext,
  UcpLookupRequest,
  type UcpLookupResponse,
  type UcpMessage,
  type UcpProduct,
  UcpProductRequest,
  type UcpProductResponse,
  UcpSearchRequest,
  type UcpSearchResponse,
  ucpMetadata,
} from './ucp-schemas.ts';

type Price = Pick<PayablePrice, 'amountMinor' | 'currency'>;

/** @param inputs Ids of a lookup that found the offer. */
export function offerProduct(offer: Offer, baseUrl: string, inputs?: readonly string[], shown: Price = offer): UcpProduct {
  const { id, name, features, delivery, category, cadence, validUntil, demo } = offer;
  const price = { amount: shown.amountMinor, currency: shown.currency };
  const url = baseUrl + buyPath(id);
  const stated = statedOffer(offer);
  return {
    id,
    handle: id,
    title: name,
    description: { plain: [stated, ...features.map((feature) => `- ${feature}`)].join('\n') },
    url,
    ...(category === undefined ? {} : { categories: [{ value: category, taxonomy: 'merchant' as const }] }),
    price_range: { min: price, max: price },
    ...offerMedia(offer, baseUrl),
    variants: [
      {
        id,
        title: name,
        description: { plain: delivery === undefined ? stated : `${stated} ${delivery}` },
        url,
        price,
        availability: availabilityOf(offer),
        metadata: { cadence, ...(validUntil === undefined ? {} : { valid_until: validUntil }), ...(demo ? { demo } : {}) },
        ...(inputs && { inputs: inputs.map((input) => ({ id: input, match: input === id ? 'exact' : 'featured' })) }),
      },
    ],
  };
}

export interface UcpCatalog extends Pick<Deployment, 'offers' | 'quoteOnlyOffers' | 'discontinuedOffers' | 'baseUrl' | 'commerce'> {
  /** `YYYY-MM-DD`; offers that ended before are left out. */
  readonly today: string;
}

export function ucpCatalog({ deployment, clock }: Pick<GatewayDependencies, 'deployment' | 'clock'>): UcpCatalog {
  return { ...deployment, today: dayOf(clock.nowMs()) };
}

type Asked = Pick<UcpLookupRequest, 'filters' | 'context'>;

/** A page of the offers that contain words of the query, or of all without a query, and fit the filters. */
export async function searchCatalog(request: UcpSearchRequest, catalog: UcpCatalog): Promise<Result<UcpSearchResponse>> {
  const { query = '', filters, context, pagination } = request;
  const ignored = ignoredMessages(UcpSearchRequest, request);
  if (query.trim() === '' && Object.keys(filters ?? {}).length === 0)
    return refuse('invalid_request', ['Send a query or a filter.', ...ignored.map(({ content }) => content)].join(' '), {
      errors: [{ pointer: '/query', message: 'is missing' }],
    });
  const found = searchOffers(query, sold(catalog)).filter((offer) => fits(offer, request, catalog));
  const asked = { query, filters: filters ?? {}, currency: context?.currency ?? '' };
  const version = (await canonicalDigest(catalog.offers)).slice('sha256:'.length);
  let offset = 0;
  if (pagination.cursor !== undefined) {
    const position = decodeCursor(pagination.cursor, asked, 'query, filters and currency');
    if (!position.ok) return position;
    if (position.value.corpusVersion !== version)
      return refuse('invalid_cursor', 'The catalog has changed since this cursor. Start the search again.');
    offset = position.value.offset;
  }
  const end = offset + Math.min(pagination.limit, LIMITS.catalogPageMax);
  return ok({
    ucp: ucpMetadata('success', 'search'),
    products: found.slice(offset, end).map((offer) => pricedProduct(offer, context, catalog)),
    pagination: {
      has_next_page: end < found.length,
      ...(end < found.length ? { cursor: encodeCursor({ corpusVersion: version, offset: end }, asked) } : {}),
      total_count: found.length,
    },
    ...listed(remarksOn(request, UcpSearchRequest, found, catalog)),
  });
}

const listed = (messages: UcpMessage[]) => (messages.length > 0 ? { messages } : {});

export function lookUpCatalog(request: UcpLookupRequest, catalog: UcpCatalog): Result<UcpLookupResponse> {
  const { ids, context } = request;
  if (ids.length > LIMITS.catalogLookupMax)
    return refuse('invalid_request', `At most ${LIMITS.catalogLookupMax} ids can be looked up at once.`, {
      errors: [{ pointer: '/ids', message: `must have at most ${LIMITS.catalogLookupMax} items` }],
      protocolCode: 'request_too_large',
    });
  const inputs = Map.groupBy(new Set(ids), (id) => findOffer(catalog.offers, id, catalog.today));
  const shown = [...inputs.keys()].filter((offer) => offer !== undefined).filter((offer) => fits(offer, request, catalog));
  const missing = (inputs.get(undefined) ?? []).flatMap((id): UcpMessage[] => {
    const reason = reasonOf(id, catalog);
    const named: UcpMessage = { type: 'info', code: 'not_found', content: repeatable(id) };
    return reason === '' ? [named] : [named, { type: 'info', code: 'not_found_reason', content: `${repeatable(id)}: ${reason}` }];
  });
  return ok({
    ucp: ucpMetadata('success', 'lookup'),
    products: shown.map((offer) => pricedProduct(offer, context, catalog, inputs.get(offer))),
    ...listed([...remarksOn(request, UcpLookupRequest, shown, catalog), ...missing]),
  });
}

/** One offer, or a message that it was not found, which UCP calls an outcome and not an error. */
export function productOf(request: UcpProductRequest, catalog: UcpCatalog): UcpProductResponse {
  const { id, context } = request;
  const offer = findOffer(catalog.offers, id, catalog.today);
  if (offer === undefined || !fits(offer, request, catalog)) {
    const reason = offer === undefined ? reasonOf(id, catalog) : '';
    const content = `We do not sell an offer with the id "${repeatable(id)}". ${reason}`.trim();
    return {
      ucp: ucpMetadata('error', 'lookup'),
      messages: [{ type: 'error', code: 'not_found', content, severity: 'unrecoverable' }],
      continue_url: catalog.baseUrl + PATHS.buy,
    };
  }
  return {
    ucp: ucpMetadata('success', 'lookup'),
    product: pricedProduct(offer, context, catalog),
    ...listed(remarksOn(request, UcpProductRequest, [offer], catalog)),
  };
}

function reasonOf(name: string, catalog: UcpCatalog): string {
  const offer = namedOffer(name, catalog);
  if (offer !== undefined) return refuseUnsold(offer, catalog.today)?.detail ?? '';
  return suggestionOf(unknownOffer(name, '', sold(catalog)));
}

function sold({ offers, today }: UcpCatalog): Offer[] {
  return offers.filter((offer) => isSoldOn(offer, today));
}

function preferredCurrency(context: UcpContext | undefined): string {
  return context?.currency?.toUpperCase() ?? 'USD';
}

function pricedProduct(offer: Offer, context: UcpContext | undefined, catalog: UcpCatalog, inputs?: readonly string[]): UcpProduct {
  return offerProduct(offer, catalog.baseUrl, inputs, priceFor(offer, context, catalog));
}

function priceFor(offer: Offer, context: UcpContext | undefined, { commerce }: UcpCatalog): Price {
  return payablePrices(offer, commerce).find(({ currency }) => currency === preferredCurrency(context)) ?? offer;
}

function fits(offer: Offer, { filters, context }: Asked, catalog: UcpCatalog): boolean {
  const { categories, price } = filters ?? {};
  if (categories !== undefined && (offer.category === undefined || !categories.includes(offer.category))) return false;
  const { amountMinor, currency } = priceFor(offer, context, catalog);
  if (price === undefined || currency !== preferredCurrency(context)) return true;
  return amountMinor >= (price.min ?? 0) && amountMinor <= (price.max ?? Number.POSITIVE_INFINITY);
}

function remarksOn(asked: Asked, schema: z.ZodType, shown: readonly Offer[], catalog: UcpCatalog): UcpMessage[] {
  const { filters, context } = asked;
  const ignored = ignoredMessages(schema, asked);
  if (filters?.price === undefined) return ignored;
  const sold = payableCurrencies(catalog);
  const isUnpriced = (offer: Offer): boolean => priceFor(offer, context, catalog).currency !== preferredCurrency(context);
  if (sold.includes(preferredCurrency(context)) && !shown.some(isUnpriced)) return ignored;
  const content = `${sold.length > 1 ? 'Some prices' : 'Prices'} are in USD, so a price filter in another currency is ignored.`;
  return [...ignored, { type: 'info', code: 'price_filter_ignored', content }];
}

const WEIGHTS = { name: 4, id: 2, summary: 1 } as const;

/**
 * Offers that contain a word of the query, sorted by number of distinct words, then by field (name; id, alias or category; summary or feature),
 * then in the publisher's order; all without a query. Words are analysed as in the capsule index.
 */
function searchOffers(query: string, offers: readonly Offer[]): Offer[] {
  if (query.trim() === '') return [...offers];
  const words = termsOf(query);
  return offers
    .map((offer, order) => ({ offer, order, ...rank(words, offer) }))
    .filter(({ matched }) => matched > 0)
    .sort((a, b) => b.matched - a.matched || b.score - a.score || a.order - b.order)
    .map(({ offer }) => offer);
}

function rank(words: ReadonlySet<string>, offer: Offer): { matched: number; score: number } {
  const fields: readonly (readonly [number, ReadonlySet<string>])[] = [
    [WEIGHTS.name, termsOf(offer.name)],
    [WEIGHTS.id, termsOf([offer.id, ...offer.aliases, offer.category ?? ''].join(' '))],
    [WEIGHTS.summary, termsOf([offer.summary, ...offer.features].join(' '))],
  ];
  let matched = 0;
  let score = 0;
  for (const word of words) {
    const best = Math.max(...fields.map(([weight, terms]) => (terms.has(word) ? weight : 0)));
    if (best > 0) matched += 1;
    score += best;
  }
  return { matched, score };
}

function termsOf(text: string): Set<string> {
  return new Set(analyse(text, 'en').map(({ term }) => term));
}
