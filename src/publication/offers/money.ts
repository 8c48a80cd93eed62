/** An amount in integer minor units of an ISO 4217 currency, whose code is in upper or lower case. */
export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

/**
 * How many decimals the minor unit of a currency stands for: 2 for US dollars, 0 for yen.
 *
 * @throws {RangeError} If the currency is not three letters.
 */
export function minorDigits(currency: string): number {
  // A formatter takes some time to make, and nearly all amounts are in one currency.
  if (currency === 'USD') return 2;
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** The amount as a number of major units, for documents that ask for one. */
export function majorUnits({ amountMinor, currency }: Money): number {
  return amountMinor / 10 ** minorDigits(currency);
}

/** The amount for people, with the sign of its currency: `$450`, `$19.50`, `€19.50`, `¥1,200`. */
export function formatMoney(money: Money): string {
  const major = majorUnits(money);
  const whole = Number.isInteger(major) ? { minimumFractionDigits: 0 } : {};
  return major.toLocaleString('en-US', { style: 'currency', currency: money.currency, ...whole });
}
