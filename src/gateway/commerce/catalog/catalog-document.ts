import { majorUnits } from '../../../publication/offers/money.ts';
import type { CatalogDocument } from '../../../schemas/commerce/catalog.ts';
import { announcedDelivery, availabilityOf, type Offer } from '../../../schemas/commerce/offers.ts';
import { buyPath, PATHS } from '../../../schemas/paths.ts';
import type { Publisher } from '../../../schemas/publisher.ts';

/** A published offer: it satisfies both variants of the interface. */
export type CatalogOffer = ReturnType<typeof publishOffer>;

/** The published form of an offer. */
export function publishOffer(offer: Offer, baseUrl: string) {
  const price = majorUnits(offer);
  return {
    id: offer.id,
    name: offer.name,
    description: offer.summary,
    category: offer.category,
    price_usd: price,
    price,
    currency: offer.currency,
    cadence: offer.cadence,
    availability: availabilityOf(offer),
    canonical_path: `${baseUrl}${buyPath(offer.id)}`,
    route_url: `${baseUrl}${buyPath(offer.id)}`,
    preferred_url: `${baseUrl}${offer.preferredPath}`,
    checkout_url: offer.checkoutUrl,
    features: [...offer.features],
    aliases: [...offer.aliases],
    delivery: offer.delivery,
    ...(offer.delivers.length === 0 ? {} : { delivers: offer.delivers.map(announcedDelivery) }),
    refund_policy: offer.refund,
    refund_policy_url: `${baseUrl}${PATHS.refunds}`,
    terms_url: `${baseUrl}${PATHS.terms}`,
    valid_until: offer.validUntil,
    updated_at: `${offer.updated}T00:00:00Z`,
    ...(offer.demo ? { demo: true } : {}),
  };
}

/** Day of the newest change of an offer or of publisher.yaml, `YYYY-MM-DD`. */
export function catalogUpdated(offers: readonly Pick<Offer, 'updated'>[], publisher: Publisher): string {
  return offers.reduce((newest, { updated }) => (updated > newest ? updated : newest), publisher.updated);
}

/** The catalog document. The same offers give the same document. */
export function catalogDocument(offers: readonly Offer[], publisher: Publisher): CatalogDocument {
  const base = publisher.base_url;
  const published = new Map(offers.map((offer) => [offer.id, publishOffer(offer, base)]));
  const find = (id: string): CatalogOffer => {
    const offer = published.get(id);
    if (offer === undefined) throw new RangeError(`publisher.yaml names the offer "${id}", which does not exist`);
    return offer;
  };
  const first = find(publisher.offers.recommended_first);
  const quick = find(publisher.offers.recommended_quick);
  return {
    $schema: `${base}${PATHS.offersSchema}`,
    updated_at: `${catalogUpdated(offers, publisher)}T00:00:00Z`,
    namespace: 'commerce',
    description: `Offers of ${publisher.name}. Prices in US dollars. ${offers.some((offer) => offer.demo) ? 'Offers marked "demo": true lead to a demonstration checkout that takes no payment.' : 'Each offer has a page on this site and a hosted checkout.'}`,
    currency: publisher.currency,
    contact: publisher.contact_email,
    pricing: `${base}${PATHS.pricingJson}`,
    buy_json: `${base}${PATHS.buyJson}`,
    buy_page: `${base}${PATHS.buy}`,
    buy_html: `${base}${PATHS.buy}`,
    checkout_page: `${base}${PATHS.checkout}`,
    checkout_html: `${base}${PATHS.checkout}`,
    offers: [...published.values()],
    checkout_routes: Object.fromEntries(offers.map(({ id }) => [id, `${base}${buyPath(id)}`])),
    checkout_alias_routes: Object.fromEntries(offers.flatMap(({ aliases }) => aliases.map((alias) => [alias, `${base}${buyPath(alias)}`]))),
    recommended_first_checkout: first,
    recommended_quick_checkout: quick,
    recommendedFirstCheckoutUrl: first.canonical_path,
    recommendedFirstDirectPaymentCheckoutUrl: first.checkout_url,
    recommendedQuickCheckoutUrl: quick.canonical_path,
    recommendedQuickDirectPaymentCheckoutUrl: quick.checkout_url,
    fast_paid_starts: publisher.offers.fast_paid_starts.map(find),
    links: {
      label: 'Request an invoice',
      href: `${base}${PATHS.invoice}`,
      contact_url: `${base}${PATHS.contact}`,
      subject: `Invoice from ${publisher.name}`,
    },
  };
}
