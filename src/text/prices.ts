import { minorDigits } from '../schemas/commerce/currency-and-availability.ts';
import type { CurrencyOption, Offer } from '../schemas/commerce/offers.ts';
import english from './strings/en-documents.json' with { type: 'json' };
import { formatMessage, numberLocale } from './strings/message-format.ts';

/** Every price that an offer states: that which its checkout charges first, then that in the preferred currency. */
export function statedPrices(offer: Offer, preferredCurrency: string): readonly CurrencyOption[] {
  const charged = chargedPrice(offer, preferredCurrency).currency;
  const rankOf = ({ currency }: CurrencyOption): number => (currency === charged ? 0 : currency === preferredCurrency ? 1 : 2);
  return pricesOf(offer).toSorted((a, b) => rankOf(a) - rankOf(b));
}

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

/** The prices other than the charged one: those with a checkout of their own, and those that are only stated. */
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

/** Words for the terms of an offer. Documents and protocols are in English, texts of the site in the language of the interface. */
interface TermWords {
  readonly language: string;
  readonly sentences: Readonly<Record<Exclude<keyof typeof english.offers, `@${string}`>, string>>;
}

const ENGLISH: TermWords = { language: 'en', sentences: english.offers };

/** An offer without an amount is quoted on request. */
export type OfferTerms = Partial<Pick<Offer, 'amountMinor' | 'currency' | 'currencyOptions' | 'cadence'>> &
  Pick<Offer, 'name' | 'demo'> & { readonly [Name in 'delivery' | 'validUntil' | 'discontinued']?: string | undefined };

/** Price and cadence: `$120 once`, `$19, €17 a month`, `free of charge`, `quoted on request`. */
export function priceInWords(offer: OfferTerms, { sentences, language }: TermWords = ENGLISH): string {
  const { amountMinor, currency = 'USD', currencyOptions = [], cadence } = offer;
  if (amountMinor === undefined) return sentences.priceQuoted;
  if (amountMinor === 0 || cadence === 'free') return sentences.priceFree;
  const prices = [{ amountMinor, currency }, ...currencyOptions].map((price) => formatMoney(price, numberLocale(language)));
  return `${prices.join(', ')}${cadence === undefined ? '' : ` ${sentences[`cadence_${cadence}`]}`}`;
}

/** The terms of an offer as sentences, on every surface that shows it: price, delivery, and last day of sale or that it is a demonstration. */
export function termSentences(offer: OfferTerms, words: TermWords = ENGLISH): string[] {
  const { name, delivery, validUntil, discontinued, demo } = offer;
  const { sentences, language } = words;
  if (discontinued !== undefined) return [formatMessage(sentences.noLongerSoldSince, { date: discontinued }, language)];
  return [
    formatMessage(sentences.priceOf, { name, price: priceInWords(offer, words) }, language),
    ...(delivery === undefined ? [] : [`${sentences.delivery}: ${delivery}${/[.!?…]$/.test(delivery) ? '' : '.'}`]),
    ...(demo ? [sentences.demoOffer] : validUntil === undefined ? [] : [`${sentences.validUntil} ${validUntil}.`]),
  ];
}

/** The summary of an offer for whoever sees no other member of it: of a demonstration, first that it is one. */
export function statedOffer({ summary, demo }: Pick<Offer, 'summary' | 'demo'>): string {
  return demo ? `${english.offers.demoOffer} ${summary}` : summary;
}

/** An amount in minor units of an ISO 4217 currency, in upper or lower case; a price of a text can have a part of one. */
export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

export function minorUnits(major: number, currency: string): number {
  return Math.round(major * 10 ** minorDigits(currency));
}

export function majorUnits({ amountMinor, currency }: Money): number {
  return amountMinor / 10 ** minorDigits(currency);
}

/** The amount for people: `$450`, `$19.50`, `€19.50`, `¥1,200`; in the locale `de` `450 $` and `19,50 €`. */
export function formatMoney(money: Money, locale = 'en-US'): string {
  const major = majorUnits(money);
  const digits = minorDigits(money.currency);
  const minimumFractionDigits = Number.isInteger(major) ? 0 : digits;
  // Texts can cost less than a cent.
  const maximumFractionDigits = Number.isInteger(money.amountMinor) ? digits : 6;
  return major.toLocaleString(locale, { style: 'currency', currency: money.currency, minimumFractionDigits, maximumFractionDigits });
}
