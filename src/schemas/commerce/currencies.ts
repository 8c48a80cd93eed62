/**
 * Currencies of ISO 4217 whose number of decimals is not 2. A table, because `Intl` follows the customs of people (CLDR), which differ: the
 * Pakistani rupee has two decimals by ISO 4217 and none there.
 *
 * @see ISO 4217:2015, list one, "Minor unit" (six-group.com/en/products-services/financial-information/data-standards).
 */
const MINOR_DIGITS: ReadonlyMap<string, number> = new Map([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map(
    (currency) => [currency, 0] as const,
  ),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((currency) => [currency, 3] as const),
  ...['CLF', 'UYW'].map((currency) => [currency, 4] as const),
]);

/** Number of decimals of a currency, in upper or lower case: 2 for US dollars, 0 for yen, 3 for Kuwaiti dinars. */
export function minorDigits(currency: string): number {
  return MINOR_DIGITS.get(currency.toUpperCase()) ?? 2;
}
