import { hasPrice, isSoldOn, type Offer, type QuoteOnlyOffer } from '../../../schemas/commerce/offers.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { buyPath, invoiceItemsPath } from '../../../schemas/paths.ts';
import { get, OFFERS } from '../../next-steps.ts';
import { type Refusal, refuse } from '../../result.ts';
import { type CartItem, hasId, unknownOffer } from '../sessions/price-cart.ts';

/** Offers with a price that orders may name: those that are sold, and those that no longer are. */
export function offersOfOrders({ offers, discontinuedOffers = [] }: Pick<Deployment, 'offers' | 'discontinuedOffers'>): readonly Offer[] {
  return discontinuedOffers.length === 0 ? offers : [...offers, ...discontinuedOffers.filter(hasPrice)];
}

/**
 * Why an offer cannot be bought on a day, `YYYY-MM-DD`, as the end of a sentence; `undefined` if it can. Every way to buy refuses it with these
 * words. A demonstration can be tried: it takes no money.
 *
 * @param mayBeQuoted Whether an offer without a price may be asked for, as in a request for an invoice.
 */
function whyUnsold(offer: Offer | QuoteOnlyOffer, today: string, mayBeQuoted: boolean): string | undefined {
  if (offer.discontinued !== undefined) return `was discontinued on ${offer.discontinued}`;
  if (!isSoldOn(offer, today)) return `was sold until ${offer.validUntil}`;
  return hasPrice(offer) || mayBeQuoted ? undefined : 'has no fixed price: the publisher quotes it on request';
}

/** The refusal to sell an offer that cannot be bought on a day; `undefined` if it can. */
export function refuseUnsold(offer: Offer | QuoteOnlyOffer, today: string, mayBeQuoted = false): Refusal | undefined {
  const { id, name } = offer;
  const reason = whyUnsold(offer, today, mayBeQuoted);
  if (reason === undefined) return undefined;
  const quote = whyUnsold(offer, today, true) === undefined ? [get('Ask for a quote.', invoiceItemsPath([{ id, quantity: 1 }]))] : [];
  const nextActions = [get('Read the page of the offer.', buyPath(id)), ...quote, OFFERS];
  return refuse('offer_not_found', `"${name}" ${reason}.`, { nextActions }).refusal;
}

/** The refusal of a cart that names an offer that cannot be bought; `undefined` if it names none. */
export function refuseUnsoldItems(
  items: readonly CartItem[],
  deployment: NamedOffers,
  today: string,
  mayBeQuoted = false,
): { readonly ok: false; readonly refusal: Refusal } | undefined {
  const named = items.map((item) => ({ ...item, offer: namedOffer(item.id, deployment) }));
  const refusals = named.map(({ offer }) => offer && refuseUnsold(offer, today, mayBeQuoted));
  const first = refusals.find((refusal) => refusal !== undefined);
  if (first === undefined) return undefined;
  const errors = named.flatMap(({ id, pointer, offer }) => {
    if (offer === undefined) return unknownOffer(id, pointer, deployment.offers);
    const message = whyUnsold(offer, today, mayBeQuoted);
    return message === undefined ? [] : { pointer, message };
  });
  return { ok: false, refusal: { ...first, errors } };
}

/** Everything that a publication has as an offer. */
type NamedOffers = Pick<Deployment, 'offers' | 'quoteOnlyOffers' | 'discontinuedOffers'>;

/** The offer with an id or alias, sold or not. */
export function namedOffer(
  name: string,
  { offers, quoteOnlyOffers = [], discontinuedOffers = [] }: NamedOffers,
): Offer | QuoteOnlyOffer | undefined {
  return [...offers, ...quoteOnlyOffers, ...discontinuedOffers].find((offer) => hasId(offer, name));
}
