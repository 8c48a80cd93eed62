/** An amount in integer minor units of an ISO 4217 currency, in upper or lower case. */
export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

/**
 * Number of decimals of a currency: 2 for US dollars, 0 for yen.
 *
 * @throws {RangeError} If the currency is not three letters.
 */
export function minorDigits(currency: string): number {
  // Shortcut: a formatter is slow to create.
  if (currency === 'USD') return 2;
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** The amount in major units, for documents. */
export function majorUnits({ amountMinor, currency }: Money): number {
  return amountMinor / 10 ** minorDigits(currency);
}

/** The amount for people: `$450`, `$19.50`, `€19.50`, `¥1,200`; in the locale `de` `450 $` and `19,50 €`. */
export function formatMoney(money: Money, locale = 'en-US'): string {
  const major = majorUnits(money);
  const whole = Number.isInteger(major) ? { minimumFractionDigits: 0 } : {};
  return major.toLocaleString(locale, { style: 'currency', currency: money.currency, ...whole });
}
