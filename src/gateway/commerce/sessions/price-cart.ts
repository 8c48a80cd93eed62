import type { Deployment } from '../../../schemas/deployment.ts';
import type { Offer } from '../../../schemas/commerce/offers.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { checkoutItemsPath } from '../../../schemas/paths.ts';
import { type Fault, ok, refuse, type Result } from '../../result.ts';
import { type Line, totalOf } from './session.ts';

/** What somebody asks for: an offer by its id or an alias, and how many pieces. */
export interface CartItem {
  readonly id: string;
  readonly quantity: number;
  /** Where it stands in the request: a JSON pointer. */
  readonly pointer: string;
}

/** Offers that are sold on a day. */
export function findOffer(offers: readonly Offer[], idOrAlias: string, today: string): Offer | undefined {
  return offers.find(({ id, aliases, validUntil }) => (id === idOrAlias || aliases.includes(idOrAlias)) && today <= validUntil);
}

/**
 * Lines of a cart at the prices of the catalog, the only place that a price comes from. What is named twice becomes one line.
 *
 * @param today `YYYY-MM-DD`; an offer whose time is over is not found.
 */
export function priceCart(wanted: readonly CartItem[], offers: readonly Offer[], today: string): Result<readonly Line[]> {
  const quantities = new Map<Offer, number>();
  const unknown: Fault[] = [];
  for (const { id, quantity, pointer } of wanted) {
    const offer = findOffer(offers, id, today);
    if (offer === undefined) unknown.push({ pointer, message: 'is no offer that is sold here' });
    else quantities.set(offer, (quantities.get(offer) ?? 0) + quantity);
  }
  if (unknown.length > 0) return refuse('offer_not_found', 'An item is no offer that is sold here.', { errors: unknown });
  const tooMany = wanted.find(({ id }) => {
    const offer = findOffer(offers, id, today);
    return offer !== undefined && (quantities.get(offer) ?? 0) > LIMITS.quantityMax;
  });
  if (tooMany) return refused(wanted, `At most ${LIMITS.quantityMax} pieces of an offer can be bought at once.`, [tooMany.pointer]);
  const lines = [...quantities].map(
    ([offer, quantity], index): Line => ({
      id: `li_${index + 1}`,
      offerId: offer.id,
      name: offer.name,
      cadence: offer.cadence,
      unitMinor: offer.amountMinor,
      quantity,
      demo: offer.demo,
    }),
  );
  if (totalOf(lines) > LIMITS.sessionTotalMaxMinor)
    return refused(
      wanted,
      'The total is more than one payment can be.',
      wanted.map(({ pointer }) => pointer),
    );
  return ok(lines);
}

/** Whether the hosted link of an offer charges exactly what a cart costs: it sells one piece. */
export function fitsHostedLink(lines: readonly Line[]): boolean {
  return lines.length === 1 && lines[0]?.quantity === 1;
}

/** Whether a processor can charge a cart in one checkout: everything that is paid again is paid in one rhythm. */
export function hasSingleBillingInterval(lines: readonly Line[]): boolean {
  return new Set(lines.map(({ cadence }) => cadence).filter((cadence) => cadence === 'monthly' || cadence === 'annual')).size <= 1;
}

/**
 * Lines that can be paid in one session, or the refusal that names the page with the ways that are left.
 *
 * @param processor How this deployment takes payments.
 */
export function payableCart(
  wanted: readonly CartItem[],
  { offers, baseUrl, commerce }: Pick<Deployment, 'offers' | 'baseUrl' | 'commerce'>,
  today: string,
): Result<readonly Line[]> {
  const priced = priceCart(wanted, offers, today);
  if (!priced.ok || fitsHostedLink(priced.value)) return priced;
  const page = baseUrl + checkoutItemsPath(priced.value.map(({ offerId, quantity }) => ({ id: offerId, quantity })));
  if (commerce.processor === 'links')
    return refused(
      wanted,
      `The hosted checkout sells one piece of one offer, so this cart cannot be paid in one session. The ways that are left: ${page}`,
      wanted.filter(({ quantity }) => quantity > 1 || wanted.length > 1).map(({ pointer }) => pointer),
      page,
    );
  if (!hasSingleBillingInterval(priced.value))
    return refused(
      wanted,
      `Offers that are paid by the month and by the year cannot be paid in one session. The ways that are left: ${page}`,
      wanted.map(({ pointer }) => pointer),
      page,
    );
  return priced;
}

function refused(wanted: readonly CartItem[], detail: string, pointers: readonly string[], page?: string): Result<never> {
  const errors = pointers.map((pointer) => ({ pointer, message: 'cannot be bought in this quantity or together with the rest' }));
  return refuse('cart_refused', detail, {
    errors: errors.length > 0 ? errors : wanted.slice(0, 1).map(({ pointer }) => ({ pointer, message: 'cannot be bought so' })),
    ...(page === undefined ? {} : { members: { continue_url: page } }),
  });
}
