import * as z from 'zod';
import { Currency, CurrencyCode } from '../primitives.ts';
import { minorDigits } from './currency-and-availability.ts';

const MICRO_DOLLARS = 1_000_000;

/** In US dollars. A price that a way to pay cannot carry is not offered that way. */
const PRICE_USD_MAX = 10_000;

export const CapsulePriceUsd = z
  .number()
  .gt(0, 'must be above 0')
  .max(PRICE_USD_MAX, `must be at most ${PRICE_USD_MAX.toLocaleString('en-US')}`)
  .refine((usd) => Number(usd.toFixed(6)) === usd, 'must have at most 6 decimals');

export const CapsulePrice = z.object({
  amount: z
    .string()
    .regex(/^\d+(\.\d{2,6})?$/)
    .describe('Decimal number: dollars with 2 to 6 decimals, others with those of the currency.'),
  currency: CurrencyCode.describe('ISO 4217.'),
});
export type CapsulePrice = z.infer<typeof CapsulePrice>;

/** The prices of a text: `price` in dollars where it has one, and further ones. */
export interface TextPrices {
  readonly price?: CapsulePrice | undefined;
  readonly prices?: CapsulePrice[] | undefined;
}

export function pricesOf({ price, prices = [] }: TextPrices): readonly CapsulePrice[] {
  return price === undefined ? [] : [price, ...prices];
}

/** Such as `1.00 USD or 0.95 EUR`. */
export function priceText(text: TextPrices): string {
  return pricesOf(text)
    .map(({ amount, currency }) => `${amount} ${currency}`)
    .join(' or ');
}

/** The prices as offers of schema.org: one, or a list. @param members Of each. */
export function pricedOffers(text: TextPrices, members: object): object | undefined {
  const offers = pricesOf(text).map(({ amount, currency }) => ({ '@type': 'Offer', ...members, price: amount, priceCurrency: currency }));
  return offers.length > 1 ? offers : offers[0];
}

export function textPrices(usd: number | undefined, others: Readonly<Record<string, number>>): TextPrices {
  const further = Object.entries(others).map(([currency, price]) => ({ amount: price.toFixed(minorDigits(currency)), currency }));
  const [price, ...prices] = [...(usd === undefined ? [] : [capsulePrice(usd)]), ...further];
  return { price, ...(prices.length === 0 ? {} : { prices }) };
}

/** A price in dollars as published, such as "0.05" for 0.05. */
export function capsulePrice(usd: number): CapsulePrice {
  const micro = Math.round(usd * MICRO_DOLLARS);
  const decimals = String(micro % MICRO_DOLLARS)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return { amount: `${Math.floor(micro / MICRO_DOLLARS)}.${decimals}`, currency: 'USD' };
}

/** A price in micro-dollars: 50,000 for "0.05"; 0 for one in another currency, which no token pays. */
export function microDollars({ amount, currency }: CapsulePrice): number {
  return currency === 'USD' ? Math.round(Number(amount) * MICRO_DOLLARS) : 0;
}

export const CARD = { network: 'stripe' } as const;

/**
 * Smallest payments by card, in minor units; 50 in currencies without an entry (docs.stripe.com/currencies, "Minimum charge amounts"). The last
 * three Stripe counts in other units than ISO 4217, and a token is made in those.
 */
const CARD_MIN: Readonly<Record<string, number>> = {
  ...{ GBP: 30, BGN: 100, AED: 200, MYR: 200, PLN: 200, RON: 200, DKK: 250, NOK: 300, SEK: 300, HKD: 400, MXN: 1_000, THB: 1_000 },
  ...{ CZK: 1_500, HUF: 17_500, ISK: Infinity, MGA: Infinity, UGX: Infinity },
};

export interface CardAmount {
  readonly amountMinor: number;
  readonly currency: string;
}

/** What cards can be charged: the prices in other currencies first, then dollars; none that is too small, or has a part of a cent. */
export function cardAmounts(text: TextPrices): CardAmount[] {
  return [...pricesOf(text)]
    .sort((a, b) => Number(a.currency === 'USD') - Number(b.currency === 'USD'))
    .map(({ amount, currency }) => ({ amountMinor: Number((Number(amount) * 10 ** minorDigits(currency)).toFixed(4)), currency }))
    .filter(({ amountMinor, currency }) => Number.isInteger(amountMinor) && amountMinor >= (CARD_MIN[currency] ?? 50));
}

/** A price in cents, if credit can pay it; `undefined` if it has a part of a cent, or is not in dollars. */
export function creditAmount(price: CapsulePrice | undefined): number | undefined {
  const cents = price && microDollars(price) / MICROS_OF_CENT;
  return Number.isInteger(cents) && cents !== 0 ? cents : undefined;
}

const MICROS_OF_CENT = 10_000;

/** Largest price, exclusive, in units of any currency. */
const PRICE_LIMIT = 1_000_000_000;

export const Prices = z.record(Currency, z.number('must be a number such as 450 or 19.50')).superRefine((prices, context) => {
  for (const [currency, price] of Object.entries(prices)) {
    const digits = minorDigits(currency);
    const report = (message: string): void => context.addIssue({ code: 'custom', path: [currency], message });
    if (currency === 'USD') report('belongs into price_usd');
    else if (price <= 0) report('must be above 0; leave prices out for a free offer');
    else if (price >= PRICE_LIMIT) report(`must be below ${PRICE_LIMIT.toLocaleString('en-US')}`);
    else if (Number(price.toFixed(digits)) !== price)
      report(digits === 0 ? `must be a whole number: ${currency} has no decimals` : `must have at most ${digits} decimals`);
  }
});

/** An amount of credit in words, such as 0.05 USD, in the form of the prices of capsules. @param cents Of US dollars. */
export function creditText(cents: number): string {
  return `${(cents / 100).toFixed(2)} USD`;
}

export function creditTitle(cents: number): string {
  return `Credit of ${creditText(cents)} for paid capsules`;
}

export function openedTitle(tag: string | undefined): string {
  return tag === undefined ? 'All paid capsules' : `All paid capsules with the tag ${tag}`;
}
