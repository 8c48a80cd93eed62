import type { Offer } from '../../../schemas/commerce/offers.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { buyPath, checkoutItemsPath } from '../../../schemas/paths.ts';
import type { Refusal } from '../../result.ts';
import { priceCart } from '../sessions/price-cart.ts';
import { continueTo, permalinkItems, readPermalinkQuery, withPassedOn } from './permalink.ts';

/** What an address under `/buy/` leads to. */
export type BuyTarget =
  | { readonly kind: 'page' }
  | { readonly kind: 'alias'; readonly location: string }
  /** Somewhere that whoever follows the link is sent to, and the offers whose checkout that is. */
  | { readonly kind: 'way'; readonly location: string; readonly bought: readonly string[] }
  /** A cart that nobody can buy, in whichever way. */
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** An address under `/buy/`. */
export interface BuyAddress {
  /** What stands behind `/buy/`, decoded and as it was sent. */
  readonly segment: string;
  readonly sentSegment: string;
  /** Query string as it was sent. */
  readonly query: string;
}

/**
 * Where `/buy/<segment>` leads: an alias to its offer's page, `?go` to the hosted checkout, a permalink `<id>:<quantity>[,…]` to the
 * checkout that charges exactly what it names, everything else to the page of that name, if there is one. Only links of the catalog and
 * pages of this site are ever followed.
 *
 * A permalink that asks to go on elsewhere on this site, leads there: nothing is kept of it, because this site has no carts. One that
 * no hosted link can charge, leads to the page of the cart; one over something that is not sold any more, to its page. One over more than
 * can be bought at once is refused, as the page of its cart would be.
 *
 * @param today `YYYY-MM-DD`.
 */
export function findBuyTarget({ segment, sentSegment, query }: BuyAddress, deployment: Deployment, today: string): BuyTarget {
  const offerOf = (name: string): Offer | undefined => deployment.offers.find(({ id, aliases }) => id === name || aliases.includes(name));
  const wanted = permalinkItems(sentSegment);
  if (wanted === undefined) {
    const offer = offerOf(segment);
    if (offer === undefined) return { kind: 'page' };
    if (new URLSearchParams(query).has('go')) return checkoutOf(new Map([[offer, 1]]), query, deployment, today);
    return offer.id === segment ? { kind: 'page' } : { kind: 'alias', location: deployment.baseUrl + buyPath(offer.id) };
  }
  const { continueTo: asked, passedOn } = readPermalinkQuery(query);
  const elsewhere = asked === undefined ? undefined : continueTo(asked, deployment.baseUrl);
  if (elsewhere !== undefined) return { kind: 'way', location: withPassedOn(elsewhere, passedOn), bought: [] };
  const pieces = new Map<Offer, number>();
  for (const { id, quantity } of wanted) {
    const offer = offerOf(id);
    if (offer === undefined) return { kind: 'page' };
    pieces.set(offer, (pieces.get(offer) ?? 0) + quantity);
  }
  return checkoutOf(pieces, query, deployment, today);
}

/** The checkout of some pieces of offers: the hosted link for one piece of one, the page of the cart for anything else. */
function checkoutOf(pieces: ReadonlyMap<Offer, number>, query: string, { baseUrl }: Deployment, today: string): BuyTarget {
  const { passedOn } = readPermalinkQuery(query);
  const over = [...pieces.keys()].find(({ validUntil }) => today > validUntil);
  if (over !== undefined) return { kind: 'way', location: withPassedOn(baseUrl + buyPath(over.id), passedOn), bought: [] };
  const bought = [...pieces.keys()].map(({ id }) => id);
  const [[offer, quantity] = []] = pieces;
  if (offer !== undefined && quantity === 1 && pieces.size === 1) {
    return { kind: 'way', location: linkWith(offer.checkoutUrl, passedOn), bought };
  }
  const wanted = [...pieces].map(([{ id }, number]) => ({ id, quantity: number, pointer: 'offer' }));
  const priced = priceCart(wanted, [...pieces.keys()], today);
  if (!priced.ok) return { kind: 'refused', refusal: priced.refusal };
  const page = baseUrl + checkoutItemsPath([...pieces].map(([{ id }, number]) => ({ id, quantity: number })));
  return { kind: 'way', location: withPassedOn(page, passedOn), bought };
}

/** A hosted link that names a session as what is paid for; nothing that comes with a request may name one. */
export function hostedLinkFor(sessionId: string, checkoutUrl: string): string {
  return linkWith(checkoutUrl, new Map([['client_reference_id', sessionId]]));
}

function linkWith(checkoutUrl: string, parameters: ReadonlyMap<string, string>): string {
  const url = new URL(checkoutUrl);
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  return url.href;
}
