import { availabilityOf, hasPrice, isDeliveredAtOnce } from '../../../schemas/commerce/currency-and-availability.ts';
import { announcedDelivery, type CatalogDocument, type Offer, type QuoteOnlyOffer } from '../../../schemas/commerce/offers.ts';
import { type Deployment, policyUrl } from '../../../schemas/deployment.ts';
import { buyPath, invoiceItemsPath, PATHS } from '../../../schemas/paths.ts';
import type { Publisher } from '../../../schemas/publisher.ts';
import { majorUnits } from '../../../text/prices.ts';

/** Hosted links, where a payment alone is all that a purchase needs. */
function linksOf(offer: Offer, name: string, link: string | undefined): Readonly<Record<string, string>> {
  return link === undefined || isDeliveredAtOnce(offer) ? {} : { [name]: link };
}

function pricesOf(offer: Offer) {
  const { currencyOptions = [] } = offer;
  if (currencyOptions.length === 0) return {};
  return {
    prices: Object.fromEntries(
      currencyOptions.map((option) => [
        option.currency,
        { price: majorUnits(option), ...linksOf(offer, 'checkout_url', option.checkoutUrl) },
      ]),
    ),
  };
}

export function publishOffer(offer: Offer, site: Pick<Deployment, 'baseUrl' | 'missingPages'>) {
  const { baseUrl } = site;
  const refundsUrl = policyUrl(site, 'refunds');
  const termsUrl = policyUrl(site, 'terms');
  const price = majorUnits(offer);
  return {
    id: offer.id,
    name: offer.name,
    description: offer.summary,
    ...(offer.audience === undefined ? {} : { audience: offer.audience }),
    ...(offer.sample === undefined ? {} : { sample_url: offer.sample.startsWith('/') ? baseUrl + offer.sample : offer.sample }),
    ...(offer.image === undefined ? {} : { image: baseUrl + offer.image.path }),
    ...(offer.category === undefined ? {} : { category: offer.category }),
    price_usd: price,
    price,
    currency: offer.currency,
    ...pricesOf(offer),
    cadence: offer.cadence,
    availability: availabilityOf(offer),
    canonical_path: `${baseUrl}${buyPath(offer.id)}`,
    route_url: `${baseUrl}${buyPath(offer.id)}`,
    preferred_url: `${baseUrl}${offer.preferredPath}`,
    checkout_url: offer.checkoutUrl,
    features: [...offer.features],
    aliases: [...offer.aliases],
    ...(offer.delivery === undefined ? {} : { delivery: offer.delivery }),
    ...(offer.delivers.length === 0 ? {} : { delivers: offer.delivers.map(announcedDelivery) }),
    ...(offer.refund === undefined ? {} : { refund_policy: offer.refund }),
    ...(refundsUrl === undefined ? {} : { refund_policy_url: refundsUrl }),
    ...(termsUrl === undefined ? {} : { terms_url: termsUrl }),
    ...(offer.validUntil === undefined ? {} : { valid_until: offer.validUntil }),
    updated_at: `${offer.updated}T00:00:00Z`,
    ...(offer.demo ? { demo: true } : {}),
  };
}

/** The picture of an offer in the form of ACP (schema.feed.json, `Media`) and UCP (`types/media.json`); nothing without one. */
export function offerMedia({ image }: Pick<Offer, 'image'>, baseUrl: string) {
  if (image === undefined) return {};
  const { path, alt, width, height } = image;
  return { media: [{ type: 'image', url: baseUrl + path, alt_text: alt, width, height }] };
}

/** Day of the newest change of an offer or of publisher.yaml, `YYYY-MM-DD`. */
export function catalogUpdated(offers: readonly Pick<Offer, 'updated'>[], publisher: Publisher): string {
  return offers.reduce((newest, { updated }) => (updated > newest ? updated : newest), publisher.updated);
}

/** Offers that are recommended, by id: those that publisher.yaml names, or the first, the cheapest and the three cheapest. */
export function recommendedOffers(
  offers: readonly Offer[],
  { offers: named }: Pick<Publisher, 'offers'>,
): { readonly first: Offer | undefined; readonly quick: Offer | undefined; readonly fastPaidStarts: readonly Offer[] } {
  const find = (id: string): Offer => {
    const offer = offers.find((candidate) => candidate.id === id);
    if (offer === undefined) throw new RangeError(`publisher.yaml names the offer "${id}", which does not exist`);
    return offer;
  };
  const byPrice = offers.filter(({ amountMinor }) => amountMinor > 0).sort((a, b) => a.amountMinor - b.amountMinor);
  const [cheapest = offers[0]] = byPrice;
  const chosen = (id: string | undefined, byDefault: Offer | undefined) => (id === undefined ? byDefault : find(id));
  return {
    first: chosen(named.recommended_first, offers.find(({ amountMinor }) => amountMinor > 0) ?? offers[0]),
    // A subscription is no quick purchase.
    quick: chosen(named.recommended_quick, byPrice.find(({ cadence }) => cadence === 'one_time') ?? cheapest),
    fastPaidStarts: named.fast_paid_starts?.map(find) ?? byPrice.slice(0, 3),
  };
}

export function catalogDocument(
  all: readonly (Offer | QuoteOnlyOffer)[],
  publisher: Publisher,
  missingPages?: Deployment['missingPages'],
): CatalogDocument {
  const base = publisher.base_url;
  const sold = all.filter(({ discontinued }) => discontinued === undefined);
  const offers = sold.filter(hasPrice);
  const { first, quick, fastPaidStarts } = recommendedOffers(offers, publisher);
  const publish = (offer: Offer) => publishOffer(offer, { baseUrl: base, missingPages });
  return {
    $schema: `${base}${PATHS.offersSchema}`,
    updated_at: `${catalogUpdated(all, publisher)}T00:00:00Z`,
    namespace: 'commerce',
    description: `Offers of ${publisher.name}. ${pricesNote(sold)}`,
    currency: publisher.currency,
    contact: publisher.contact_email,
    pricing: `${base}${PATHS.pricingJson}`,
    buy_json: `${base}${PATHS.buyJson}`,
    buy_page: `${base}${PATHS.buy}`,
    buy_html: `${base}${PATHS.buy}`,
    checkout_page: `${base}${PATHS.checkout}`,
    checkout_html: `${base}${PATHS.checkout}`,
    offers: offers.map(publish),
    checkout_routes: Object.fromEntries(offers.map(({ id }) => [id, `${base}${buyPath(id)}`])),
    checkout_alias_routes: Object.fromEntries(offers.flatMap(({ aliases }) => aliases.map((alias) => [alias, `${base}${buyPath(alias)}`]))),
    ...(first === undefined ? {} : { recommended_first_checkout: publish(first) }),
    ...(quick === undefined ? {} : { recommended_quick_checkout: publish(quick) }),
    ...(first === undefined
      ? {}
      : {
          recommendedFirstCheckoutUrl: `${base}${buyPath(first.id)}`,
          ...linksOf(first, 'recommendedFirstDirectPaymentCheckoutUrl', first.checkoutUrl),
        }),
    ...(quick === undefined
      ? {}
      : {
          recommendedQuickCheckoutUrl: `${base}${buyPath(quick.id)}`,
          ...linksOf(quick, 'recommendedQuickDirectPaymentCheckoutUrl', quick.checkoutUrl),
        }),
    ...(fastPaidStarts.length === 0 ? {} : { fast_paid_starts: fastPaidStarts.map(publish) }),
    ...(sold.length === 0 ? {} : { links: invoiceLink(sold, publisher) }),
  };
}

function pricesNote(offers: readonly (Offer | QuoteOnlyOffer)[]): string {
  if (offers.length === 0) return 'Nothing is for sale.';
  const demo = offers.some((offer) => offer.demo);
  const ways = demo
    ? 'Offers marked "demo": true are demonstrations, not for sale: no money is taken, and no work is done.'
    : offers.every(hasPrice)
      ? 'Each offer has a page on this site and a hosted checkout.'
      : 'Each of "offers" has a page on this site and a hosted checkout; prices of "links.on_request" are quoted on request.';
  const priced = offers.filter(hasPrice);
  const others = priced.some(({ currencyOptions = [] }) => currencyOptions.length > 0) ? ', some also in the currencies of "prices"' : '';
  const orders = priced.some(isDeliveredAtOnce)
    ? ' What an offer "delivers" comes with an order, which begins at its route_url: a payment at its checkout_url makes none.'
    : '';
  return `${priced.length === 0 ? '' : `Prices in US dollars${others}. `}${ways}${orders}`;
}

function invoiceLink(offers: readonly (Offer | QuoteOnlyOffer)[], { base_url: base, name }: Publisher): CatalogDocument['links'] {
  const onRequest = offers.filter((offer) => !hasPrice(offer));
  const isQuote = onRequest.length === offers.length;
  const contact = { contact_url: `${base}${PATHS.contact}` };
  return {
    label: isQuote ? 'Request a quote' : 'Request an invoice',
    href: `${base}${PATHS.invoice}`,
    ...contact,
    subject: `${isQuote ? 'Quote' : 'Invoice'} from ${name}`,
    ...(onRequest.length === 0
      ? {}
      : {
          on_request: onRequest.map((offer) => ({
            id: offer.id,
            label: offer.name,
            description: offer.summary,
            ...(offer.category === undefined ? {} : { category: offer.category }),
            page: `${base}${buyPath(offer.id)}`,
            href: `${base}${invoiceItemsPath([{ id: offer.id, quantity: 1 }])}`,
            ...contact,
            subject: `Quote for ${offer.name}`,
            ...(offer.demo ? { demo: true } : {}),
          })),
        }),
  };
}
