import type { CurrencyOption, Offer } from '../../schemas/commerce/offers.ts';

/** Every price that an offer states, that in the preferred currency first, then that in US dollars. */
export function statedPrices(offer: Offer, preferredCurrency: string): readonly CurrencyOption[] {
  const { amountMinor, currency, checkoutUrl, currencyOptions = [] } = offer;
  const prices: CurrencyOption[] = [{ amountMinor, currency, checkoutUrl }, ...currencyOptions];
  const isPreferred = (price: CurrencyOption): boolean => price.currency === preferredCurrency;
  return [...prices.filter(isPreferred), ...prices.filter((price) => !isPreferred(price))];
}

/** The price that an offer states in a currency; a free offer is free in all. */
export function statedPriceIn(offer: Offer, currency: string): Pick<CurrencyOption, 'amountMinor' | 'currency'> | undefined {
  if (offer.amountMinor === 0) return { amountMinor: 0, currency };
  return statedPrices(offer, currency).find((price) => price.currency === currency);
}

/** The price that a hosted checkout charges a person: in the preferred currency where the offer has a checkout for it, else in US dollars. */
export function chargedPrice(offer: Offer, preferredCurrency: string): CurrencyOption & { readonly checkoutUrl: string } {
  const { amountMinor, currency, checkoutUrl } = offer;
  const preferred = statedPrices(offer, preferredCurrency)[0];
  return preferred?.checkoutUrl === undefined
    ? { amountMinor, currency, checkoutUrl }
    : { ...preferred, checkoutUrl: preferred.checkoutUrl };
}
