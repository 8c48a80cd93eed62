/**
 * Currencies whose number of decimals is not 2 (ISO 4217:2015, list one, "Minor unit"). A table, because `Intl` follows the customs of people
 * (CLDR), which differ: the Pakistani rupee has two decimals by ISO 4217 and none there.
 */
const MINOR_DIGITS: ReadonlyMap<string, number> = new Map([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map(
    (currency) => [currency, 0] as const,
  ),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((currency) => [currency, 3] as const),
  ...['CLF', 'UYW'].map((currency) => [currency, 4] as const),
]);

export function minorDigits(currency: string): number {
  return MINOR_DIGITS.get(currency.toUpperCase()) ?? 2;
}

/** Days as `YYYY-MM-DD`: the last one of a sale, and the one on which it ended early. */
interface SaleTerms {
  readonly validUntil?: string | undefined;
  readonly discontinued?: string | undefined;
}

export function hasPrice<T extends object>(offer: T): offer is Exclude<T, { readonly price: 'on_request' }> {
  return !('price' in offer);
}

export function isSoldOn({ validUntil, discontinued }: SaleTerms, day: string): boolean {
  return discontinued === undefined && (validUntil === undefined || day <= validUntil);
}

/** Members and values of `types/availability.json` of UCP 2026-08-25 and of `Availability` in `schema.feed.json` of ACP 2026-04-17. */
export type Availability = { readonly available: boolean; readonly status: 'in_stock' | 'out_of_stock' };

/** Availability on a day, `YYYY-MM-DD`, or as long as it is sold. A demonstration cannot be bought, but opens sessions, so that agents can try them. */
export function availabilityOf(offer: SaleTerms & { readonly demo: boolean }, day = ''): Availability {
  const available = !offer.demo && isSoldOn(offer, day);
  return { available, status: available ? 'in_stock' : 'out_of_stock' };
}

const WORKING_DAYS =
  /\b(?:working|business)[ -]days?\b|\b(?:arbeits|werk)tag|\bjours? ouvr|\bd[ií]as? (?:h[áa]bil|laborable|[úu]t)|\bgiorn[oi] (?:lavorativ|feriali)|\bwerkdag|\bdni robocz/i;

export function namesWorkingDays(offer: { readonly delivery?: string | undefined; readonly refund?: string | undefined }): boolean {
  return WORKING_DAYS.test(`${offer.delivery ?? ''}\n${offer.refund ?? ''}`);
}

/** Whether the page of an order delivers it. Only a payment that names a session makes an order; a payment by a bare hosted link makes none. */
export function isDeliveredAtOnce({ delivers, demo }: { readonly delivers: readonly unknown[]; readonly demo: boolean }): boolean {
  return delivers.length > 0 && !demo;
}
