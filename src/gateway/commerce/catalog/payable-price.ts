import type { Offer } from '../../../schemas/commerce/offers.ts';
import type { Deployment } from '../../../schemas/deployment.ts';

/** A price of an offer that a checkout can charge. */
export interface PayablePrice {
  /** Price of one unit, or of one period, in minor units. */
  readonly amountMinor: number;
  readonly currency: string;
  /** Hosted link that charges one unit; `undefined` where only a checkout that the payment processor creates can. */
  readonly checkoutUrl: string | undefined;
}

type Commerce = Pick<Deployment['commerce'], 'processor'>;

/**
 * Prices of an offer that can be paid, in US dollars first: those with a hosted link, and all others where the payment processor creates
 * checkouts. A price that is only shown to people is not among them.
 */
export function payablePrices(
  { amountMinor, currency, checkoutUrl, currencyOptions = [] }: Offer,
  { processor }: Commerce,
): PayablePrice[] {
  return [
    { amountMinor, currency, checkoutUrl },
    ...currencyOptions
      .filter((option) => option.checkoutUrl !== undefined || processor === 'stripe')
      .map((option) => ({ ...option, checkoutUrl: option.checkoutUrl })),
  ];
}

/** The price of an offer that can be paid in a currency; a free offer is free in all. */
export function payablePriceIn(offer: Offer, currency: string, commerce: Commerce): PayablePrice | undefined {
  if (offer.amountMinor === 0) return { amountMinor: 0, currency, checkoutUrl: offer.checkoutUrl };
  return payablePrices(offer, commerce).find((price) => price.currency === currency);
}

/** Currencies in which offers can be paid, US dollars first; none without offers. */
export function payableCurrencies({ offers, commerce }: Pick<Deployment, 'offers' | 'commerce'>): string[] {
  return [...new Set(offers.flatMap((offer) => payablePrices(offer, commerce).map(({ currency }) => currency)))];
}
