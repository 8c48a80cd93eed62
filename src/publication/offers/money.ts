import { minorDigits } from '../../schemas/commerce/currencies.ts';

/** An amount in integer minor units of an ISO 4217 currency, in upper or lower case. */
export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

/** An amount in major units as an integer number of minor units. */
export function minorUnits(major: number, currency: string): number {
  return Math.round(major * 10 ** minorDigits(currency));
}

/** The amount in major units, for documents. */
export function majorUnits({ amountMinor, currency }: Money): number {
  return amountMinor / 10 ** minorDigits(currency);
}

/** The amount for people: `$450`, `$19.50`, `€19.50`, `¥1,200`; in the locale `de` `450 $` and `19,50 €`. */
export function formatMoney(money: Money, locale = 'en-US'): string {
  const major = majorUnits(money);
  const maximumFractionDigits = minorDigits(money.currency);
  const minimumFractionDigits = Number.isInteger(major) ? 0 : maximumFractionDigits;
  return major.toLocaleString(locale, { style: 'currency', currency: money.currency, minimumFractionDigits, maximumFractionDigits });
}
