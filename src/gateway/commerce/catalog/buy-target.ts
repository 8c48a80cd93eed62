import type { Offer } from '../../../schemas/commerce/offers.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { buyPath } from '../../../schemas/paths.ts';
import type { Refusal } from '../../result.ts';
import { hasId, payableIn, payablePriceIn, priceCart } from '../sessions/price-cart.ts';
import { cartPath } from '../sessions/session.ts';
import { continueTo, permalinkItems, readPermalinkQuery, withPassedOn } from './permalink.ts';
import { offersOfOrders, refuseUnsold } from './unsold-offers.ts';

/** Where a URL under `/buy/` leads: its own page, a redirect, or a refused cart. `bought` names the offers of a checkout. */
type BuyTarget =
  | { readonly kind: 'page' }
  | { readonly kind: 'alias'; readonly location: string }
  | { readonly kind: 'redirect'; readonly location: string; readonly bought: readonly string[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A URL under `/buy/`. */
interface BuyAddress {
  /** The segment after `/buy/`, decoded. */
  readonly segment: string;
  readonly sentSegment: string;
  readonly query: string;
}

/**
 * Where `/buy/<segment>` leads: an alias to its offer's page, `?go` to the hosted checkout, a permalink `<id>:<quantity>[,…]` to the
 * checkout that charges exactly its items, anything else to the page of that name, if there is one. All targets are links of the catalog or
 * pages of this site.
 *
 * A permalink with `continue_to` leads to that page; its items are dropped, because this site has no carts. A permalink that no hosted link
 * can charge leads to its cart page; one with an offer that is not sold any more is refused with the reason. A quantity above the maximum is refused, as on
 * the cart page.
 */
export function findBuyTarget({ segment, sentSegment, query }: BuyAddress, deployment: Deployment, today: string): BuyTarget {
  const offers = offersOfOrders(deployment);
  const offerOf = (name: string): Offer | undefined => offers.find((offer) => hasId(offer, name));
  const items = permalinkItems(sentSegment);
  if (items === undefined) {
    const offer = offerOf(segment);
    if (offer === undefined) return quoteOnlyTarget(segment, query, deployment);
    const isCheckout = new URLSearchParams(query).has('go');
    if (isCheckout) return checkoutOf(new Map([[offer, 1]]), query, deployment, today);
    return offer.id === segment ? { kind: 'page' } : { kind: 'alias', location: deployment.baseUrl + buyPath(offer.id) };
  }
  const { continueTo: destination, passedOn } = readPermalinkQuery(query);
  const target = destination === undefined ? undefined : continueTo(destination, deployment.baseUrl);
  if (target !== undefined) return { kind: 'redirect', location: withPassedOn(target, passedOn), bought: [] };
  const quantities = new Map<Offer, number>();
  for (const { id, quantity } of items) {
    const offer = offerOf(id);
    if (offer === undefined) return quoteOnlyTarget(id, 'go', deployment);
    quantities.set(offer, (quantities.get(offer) ?? 0) + quantity);
  }
  return checkoutOf(quantities, query, deployment, today);
}

/** Where the name of an offer without a price leads: to its page, because it has no checkout. */
function quoteOnlyTarget(
  segment: string,
  query: string,
  { baseUrl, quoteOnlyOffers = [], discontinuedOffers = [] }: Deployment,
): BuyTarget {
  const offer = [...quoteOnlyOffers, ...discontinuedOffers].find((candidate) => hasId(candidate, segment));
  if (offer === undefined) return { kind: 'page' };
  const location = baseUrl + buyPath(offer.id);
  if (new URLSearchParams(query).has('go'))
    return { kind: 'redirect', location: withPassedOn(location, readPermalinkQuery(query).passedOn), bought: [] };
  return offer.id === segment ? { kind: 'page' } : { kind: 'alias', location };
}

/** The checkout of a cart: the hosted link for one unit of one offer, the cart page for anything else. */
function checkoutOf(quantities: ReadonlyMap<Offer, number>, query: string, { baseUrl, commerce }: Deployment, today: string): BuyTarget {
  const { passedOn, currency = 'USD' } = readPermalinkQuery(query);
  const [unsold] = [...quantities.keys()].flatMap((offer) => refuseUnsold(offer, today) ?? []);
  if (unsold !== undefined) return { kind: 'refused', refusal: unsold };
  const bought = [...quantities.keys()].map(({ id }) => id);
  const [[offer, quantity] = []] = quantities;
  if (offer !== undefined && quantity === 1 && quantities.size === 1) {
    const price = payablePriceIn(offer, currency, commerce);
    // A link that promises another currency than the checkout charges leads to the page that names the prices.
    if (price === undefined) return { kind: 'redirect', location: withPassedOn(baseUrl + buyPath(offer.id), passedOn), bought: [] };
    if (price.checkoutUrl !== undefined) return { kind: 'redirect', location: linkWith(price.checkoutUrl, passedOn), bought };
  }
  const items = [...quantities].map(([{ id }, number]) => ({ id, quantity: number, pointer: 'offer' }));
  const priced = priceCart(items, [...quantities.keys()], today, payableIn(currency, commerce));
  if (!priced.ok) return { kind: 'refused', refusal: priced.refusal };
  const page = baseUrl + cartPath(priced.value, currency);
  return { kind: 'redirect', location: withPassedOn(page, passedOn), bought };
}

/** A hosted link that pays a session. The session id must never come from a request. */
export function hostedLinkFor(sessionId: string, checkoutUrl: string): string {
  return linkWith(checkoutUrl, new Map([['client_reference_id', sessionId]]));
}

function linkWith(checkoutUrl: string, parameters: ReadonlyMap<string, string>): string {
  const url = new URL(checkoutUrl);
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  return url.href;
}
