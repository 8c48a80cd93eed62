import { isDeliveredAtOnce } from '../../../schemas/commerce/currency-and-availability.ts';
import type { Offer } from '../../../schemas/commerce/offers.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { checkoutItemsPath } from '../../../schemas/paths.ts';
import { formatMoney } from '../../../text/prices.ts';
import { type FieldError, ok, type Result, refuse } from '../../result.ts';
import { findOffer, payablePriceIn } from '../catalog/find-offer.ts';
import type { Line, Session } from './checkout-ports.ts';

export interface CartItem {
  readonly id: string;
  readonly quantity: number;
  readonly pointer: string;
}

interface CartPrices {
  readonly currency: string;
  /** Price of one unit in minor units; `undefined` if the offer has none in the currency. */
  readonly amountOf: (offer: Offer) => number | undefined;
}

export function payableIn(currency: string, commerce: Pick<Deployment['commerce'], 'processor'>): CartPrices {
  return { currency, amountOf: (offer) => payablePriceIn(offer, currency, commerce)?.amountMinor };
}

/**
 * Lines of a cart at the prices of the catalog. Repeated offers become one line.
 *
 * @param items Checked by `refuseUnsoldItems`: one that is not sold `today` is our mistake.
 */
export function priceCart(
  items: readonly CartItem[],
  offers: readonly Offer[],
  today: string,
  { currency, amountOf }: CartPrices,
): Result<readonly Line[]> {
  const named = Map.groupBy(items, ({ id }) => findOffer(offers, id, today));
  const lines: Line[] = [];
  const unpriced: FieldError[] = [];
  for (const [offer, ofOffer] of named) {
    if (offer === undefined) throw new TypeError(`refuseUnsoldItems has not checked ${ofOffer.map((item) => item.id).join(', ')}.`);
    const { id, name, cadence, demo } = offer;
    const quantity = ofOffer.reduce((sum, item) => sum + item.quantity, 0);
    const detail = `At most ${LIMITS.quantityMax} of one offer can be bought at once; the cart has ${quantity} of "${name}".`;
    if (quantity > LIMITS.quantityMax) return refused(detail, ofOffer.slice(0, 1));
    const unitMinor = amountOf(offer);
    const isDigital = isDeliveredAtOnce(offer) ? ({ isDigital: true } as const) : {};
    if (unitMinor !== undefined)
      lines.push({ id: `li_${lines.length + 1}`, offerId: id, name, cadence, unitMinor, quantity, demo, ...isDigital });
    else unpriced.push(...ofOffer.map(({ pointer }) => ({ pointer, message: `has no price in ${currency}` })));
  }
  if (unpriced.length > 0)
    return refuse('invalid_request', `An item has no price in ${currency}. Prices of one cart are in one currency; USD has all.`, {
      errors: unpriced,
    });
  if (totalOf(lines) <= LIMITS.sessionTotalMaxMinor) return ok(lines);
  const most = formatMoney({ amountMinor: LIMITS.sessionTotalMaxMinor, currency });
  return refused(`The total exceeds the maximum of one payment, ${most}.`, items);
}

/** Whether one checkout can charge a cart: its subscriptions share a billing interval. */
export function hasSingleBillingInterval(lines: readonly Line[]): boolean {
  return new Set(lines.map(({ cadence }) => cadence).filter((cadence) => cadence === 'monthly' || cadence === 'annual')).size <= 1;
}

/**
 * Lines that can be paid in one session, or a refusal with the URL of the cart page.
 *
 * @param isTest Whether it ends with the test checkout, which charges nothing and so takes any cart of demonstrations.
 */
export function payableCart(
  items: readonly CartItem[],
  { offers, baseUrl, commerce }: Pick<Deployment, 'offers' | 'baseUrl' | 'commerce'>,
  today: string,
  currency: string,
  isTest = false,
): Result<readonly Line[]> {
  const priced = priceCart(items, offers, today, payableIn(currency, commerce));
  if (!priced.ok || fitsHostedLink(priced.value) || (isTest && priced.value.every(({ demo }) => demo))) return priced;
  const page = baseUrl + cartPath(priced.value, currency);
  if (commerce.processor === 'links') {
    const detail = `The hosted checkout sells one unit of one offer, so this cart cannot be paid in one session. See other ways to buy: ${page}`;
    return refused(detail, items, page);
  }
  if (!hasSingleBillingInterval(priced.value))
    return refused(`Monthly and annual offers cannot be paid in one session. See other ways to buy: ${page}`, items, page);
  return priced;
}

function refused(detail: string, items: readonly CartItem[], page?: string): Result<never> {
  const message = 'cannot be bought in this quantity or together with the other items';
  const errors = items.map(({ pointer }) => ({ pointer, message }));
  return refuse('cart_refused', detail, { errors, ...(page === undefined ? {} : { continueUrl: page }) });
}

export function totalOf(lines: readonly Pick<Line, 'unitMinor' | 'quantity'>[]): number {
  return lines.reduce((total, { unitMinor, quantity }) => total + unitMinor * quantity, 0);
}

/** What the end of a demonstration takes off the price of its lines, in minor units; 0 for every other session or order. */
export function demoDiscount({ lines, totalMinor }: Pick<Session, 'lines' | 'totalMinor'>): number {
  return totalOf(lines) - totalMinor;
}

/** Whether the hosted link of an offer, which sells one unit, charges exactly the cart. */
export function fitsHostedLink(lines: readonly Line[]): boolean {
  return lines.length === 1 && lines[0]?.quantity === 1;
}

export function cartPath(lines: readonly Pick<Line, 'offerId' | 'quantity'>[], currency: string): string {
  const path = checkoutItemsPath(lines.map(({ offerId, quantity }) => ({ id: offerId, quantity })));
  return currency === 'USD' ? path : `${path}&currency=${currency}`;
}
