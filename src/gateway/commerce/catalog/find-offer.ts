import { hasPrice, isSoldOn } from '../../../schemas/commerce/currency-and-availability.ts';
import type { Offer, QuoteOnlyOffer } from '../../../schemas/commerce/offers.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { buyPath, invoiceItemsPath } from '../../../schemas/paths.ts';
import { suggestName } from '../../../search/did-you-mean.ts';
import { get, OFFERS } from '../../error-next-actions.ts';
import { type FieldError, type Refusal, type Refused, refuse, repeatable, suggestionOf } from '../../result.ts';

/** Offers with a price that orders may name: those that are sold, and those that no longer are. */
export function offersOfOrders({ offers, discontinuedOffers = [] }: Pick<Deployment, 'offers' | 'discontinuedOffers'>): readonly Offer[] {
  return discontinuedOffers.length === 0 ? offers : [...offers, ...discontinuedOffers.filter(hasPrice)];
}

/**
 * Why an offer cannot be bought on a day, `YYYY-MM-DD`, as the end of a sentence. Every way to buy refuses it with these words.
 *
 * @param mayBeQuoted Whether an offer without a price may be asked for, as in a request for an invoice.
 */
function whyUnsold(offer: Offer | QuoteOnlyOffer, today: string, mayBeQuoted: boolean): string | undefined {
  if (offer.discontinued !== undefined) return `was discontinued on ${offer.discontinued}`;
  if (!isSoldOn(offer, today)) return `was sold until ${offer.validUntil}`;
  return hasPrice(offer) || mayBeQuoted ? undefined : 'has no fixed price: the publisher quotes it on request';
}

export function refuseUnsold(offer: Offer | QuoteOnlyOffer, today: string, mayBeQuoted = false): Refusal | undefined {
  const { id, name } = offer;
  const reason = whyUnsold(offer, today, mayBeQuoted);
  if (reason === undefined) return undefined;
  const quote = whyUnsold(offer, today, true) === undefined ? [get('Ask for a quote.', invoiceItemsPath([{ id, quantity: 1 }]))] : [];
  const nextActions = [get('Read the page of the offer.', buyPath(id)), ...quote, OFFERS];
  return refuse('offer_not_found', `"${name}" ${reason}.`, { nextActions }).refusal;
}

/** Refuses items that name an unknown offer or one that cannot be bought on a day; {@link refuseUnsold} says why. */
export function refuseUnsoldItems(
  items: readonly { readonly id: string; readonly pointer: string }[],
  deployment: NamedOffers,
  today: string,
  mayBeQuoted = false,
): Refused | undefined {
  const named = items.map((item) => ({ ...item, offer: namedOffer(item.id, deployment) }));
  const refusals = named.map(({ offer }) => offer && refuseUnsold(offer, today, mayBeQuoted));
  const errors = named.flatMap(({ id, pointer, offer }): FieldError[] => {
    if (offer === undefined) return [unknownOffer(id, pointer, deployment.offers)];
    const message = whyUnsold(offer, today, mayBeQuoted);
    return message === undefined ? [] : [{ pointer, message }];
  });
  const [first] = errors;
  if (first === undefined) return undefined;
  const unsold = refusals.find((refusal) => refusal !== undefined);
  if (unsold !== undefined) return { ok: false, refusal: { ...unsold, errors } };
  const names = new Set(named.flatMap(({ id, offer }) => (offer === undefined ? `"${repeatable(id)}"` : [])));
  const { didYouMean } = first;
  const near = typeof didYouMean === 'string' ? [get('Read the page of that offer.', buyPath(didYouMean))] : [];
  const detail = `No offer is called ${[...names].join(' or ')}. ${suggestionOf(first)}`.trim();
  return refuse('offer_not_found', detail, { errors, nextActions: [...near, OFFERS] });
}

type NamedOffers = Pick<Deployment, 'offers' | 'quoteOnlyOffers' | 'discontinuedOffers'>;

export function namedOffer(name: string, deployment: NamedOffers): Offer | QuoteOnlyOffer | undefined {
  return allOffers(deployment).find((offer) => hasId(offer, name));
}

/** Every offer that has a page: sold, quoted on request, or discontinued. */
export function allOffers({ offers, quoteOnlyOffers = [], discontinuedOffers = [] }: NamedOffers): readonly (Offer | QuoteOnlyOffer)[] {
  return [...offers, ...quoteOnlyOffers, ...discontinuedOffers];
}

/** Whether an offer has an id, or had it before it was renamed: former ids are aliases. */
export function hasId({ id, aliases }: Pick<Offer, 'id' | 'aliases'>, idOrAlias: string): boolean {
  return id === idOrAlias || aliases.includes(idOrAlias);
}

export function findOffer<T extends Pick<Offer, 'id' | 'aliases' | 'validUntil'>>(
  offers: readonly T[],
  idOrAlias: string,
  today: string,
): T | undefined {
  return offers.find((offer) => hasId(offer, idOrAlias) && isSoldOn(offer, today));
}

export function unknownOffer(id: string, pointer: string, offers: readonly Pick<Offer, 'id' | 'aliases'>[]): FieldError {
  const names = offers.flatMap((offer) => [offer.id, ...offer.aliases]);
  const didYouMean = suggestName(id, names);
  const message = `names "${repeatable(id)}", which is not an offer of this catalog`;
  return { pointer, message, ...(didYouMean === undefined ? {} : { didYouMean }) };
}

export interface PayablePrice {
  /** Price of one unit, or of one period, in minor units. */
  readonly amountMinor: number;
  readonly currency: string;
  /** Hosted link that charges one unit; `undefined` where only a checkout that the payment processor creates can. */
  readonly checkoutUrl?: string | undefined;
}

type Commerce = Pick<Deployment['commerce'], 'processor'>;

/** Prices that can be paid, US dollars first: those with a hosted link, and all where the payment processor creates checkouts. */
export function payablePrices(offer: Offer, { processor }: Commerce): PayablePrice[] {
  const { amountMinor, currency, checkoutUrl, currencyOptions = [] } = offer;
  const payable = currencyOptions.filter((option) => option.checkoutUrl !== undefined || processor === 'stripe');
  return [{ amountMinor, currency, checkoutUrl }, ...payable];
}

export function payablePriceIn(offer: Offer, currency: string, commerce: Commerce): PayablePrice | undefined {
  if (offer.amountMinor === 0) return { amountMinor: 0, currency, checkoutUrl: offer.checkoutUrl };
  return payablePrices(offer, commerce).find((price) => price.currency === currency);
}

/** Currencies in which offers can be paid, US dollars first; none without offers. */
export function payableCurrencies({ offers, commerce }: Pick<Deployment, 'offers' | 'commerce'>): string[] {
  return [...new Set(offers.flatMap((offer) => payablePrices(offer, commerce).map(({ currency }) => currency)))];
}
