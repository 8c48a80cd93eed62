import type { CurrencyOption, Offer } from '../../schemas/commerce/offers.ts';

/** Every price that an offer states: that which its checkout charges first, then that in the preferred currency. */
export function statedPrices(offer: Offer, preferredCurrency: string): readonly CurrencyOption[] {
  const charged = chargedPrice(offer, preferredCurrency).currency;
  const rankOf = ({ currency }: CurrencyOption): number => (currency === charged ? 0 : currency === preferredCurrency ? 1 : 2);
  return pricesOf(offer).toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Every price of an offer, that in US dollars first. */
function pricesOf({ amountMinor, currency, checkoutUrl, currencyOptions = [] }: Offer): readonly CurrencyOption[] {
  return [{ amountMinor, currency, checkoutUrl }, ...currencyOptions];
}

/** The price that an offer states in a currency; a free offer is free in all. */
export function statedPriceIn(offer: Offer, currency: string): Pick<CurrencyOption, 'amountMinor' | 'currency'> | undefined {
  if (offer.amountMinor === 0) return { amountMinor: 0, currency };
  return pricesOf(offer).find((price) => price.currency === currency);
}

/** The price that a hosted checkout charges a person: in the preferred currency where the offer has a checkout for it, else in US dollars. */
export function chargedPrice(offer: Offer, preferredCurrency: string): CurrencyOption & { readonly checkoutUrl: string } {
  const { amountMinor, currency, checkoutUrl } = offer;
  const preferred = pricesOf(offer).find((price) => price.currency === preferredCurrency);
  return preferred?.checkoutUrl === undefined
    ? { amountMinor, currency, checkoutUrl }
    : { ...preferred, checkoutUrl: preferred.checkoutUrl };
}

/** The prices besides that which the checkout charges: those with a checkout of their own, and those that are only stated. */
export function otherPrices(
  offer: Offer,
  preferredCurrency: string,
): { readonly payable: readonly CurrencyOption[]; readonly stated: readonly CurrencyOption[] } {
  const others = statedPrices(offer, preferredCurrency).slice(1);
  return {
    payable: others.filter(({ checkoutUrl }) => checkoutUrl !== undefined),
    stated: others.filter(({ checkoutUrl }) => checkoutUrl === undefined),
  };
}
