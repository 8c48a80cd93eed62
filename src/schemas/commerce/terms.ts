/** Facts about the terms of offers that need no schema. */
import type { Offer, QuoteOnlyOffer } from './offers.ts';

/** Whether an offer has a price, so that it can be in the catalog and in carts. */
export function hasPrice<T extends Offer | QuoteOnlyOffer>(offer: T): offer is Extract<T, Offer> {
  return !('price' in offer);
}

/** Whether an offer is sold on a day, `YYYY-MM-DD`. */
export function isSoldOn({ validUntil, discontinued }: Pick<Offer, 'validUntil' | 'discontinued'>, day: string): boolean {
  return discontinued === undefined && (validUntil === undefined || day <= validUntil);
}

/**
 * Availability, with members and values of `types/availability.json` of UCP 2026-08-25 and of `Availability` in `schema.feed.json` of ACP
 * 2026-04-17.
 */
export type Availability = { readonly available: boolean; readonly status: 'in_stock' | 'out_of_stock' };

/**
 * Availability of an offer on a day, `YYYY-MM-DD`, or as long as it is sold: a demonstration cannot be bought, although its checkout sessions
 * open, so that agents can try them; what is no longer sold cannot either, and sessions refuse it.
 */
export function availabilityOf(offer: Pick<Offer, 'demo' | 'validUntil' | 'discontinued'>, day = ''): Availability {
  const available = !offer.demo && isSoldOn(offer, day);
  return { available, status: available ? 'in_stock' : 'out_of_stock' };
}

/** Working days in the languages of many publications. */
const WORKING_DAYS =
  /\b(?:working|business)[ -]days?\b|\b(?:arbeits|werk)tag|\bjours? ouvr|\bd[ií]as? (?:h[áa]bil|laborable|[úu]t)|\bgiorn[oi] (?:lavorativ|feriali)|\bwerkdag|\bdni robocz/i;

/** Whether the terms of an offer name working days, which a list of offers then explains. */
export function namesWorkingDays({ delivery, refund }: Pick<Offer, 'delivery' | 'refund'>): boolean {
  return WORKING_DAYS.test(`${delivery ?? ''}\n${refund ?? ''}`);
}
