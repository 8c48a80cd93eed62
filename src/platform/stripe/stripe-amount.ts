import { minorDigits } from '../../schemas/commerce/currencies.ts';

/**
 * Decimals of currencies in which Stripe counts otherwise than ISO 4217: the króna and the Ugandan shilling have two there, and the ariary
 * none.
 *
 * @see https://docs.stripe.com/currencies#special-cases
 */
const STRIPE_DIGITS: ReadonlyMap<string, number> = new Map([
  ['ISK', 2],
  ['UGX', 2],
  ['MGA', 0],
]);

/** How many times as large an amount is at Stripe as in minor units of ISO 4217. */
function scaleOf(currency: string): number {
  const code = currency.toUpperCase();
  return 10 ** ((STRIPE_DIGITS.get(code) ?? minorDigits(code)) - minorDigits(code));
}

/** An amount in minor units of ISO 4217 as Stripe counts it. */
export function toStripeAmount(amountMinor: number, currency: string): number {
  return Math.round(amountMinor * scaleOf(currency));
}

/** An amount of Stripe in minor units of ISO 4217. */
export function fromStripeAmount(amount: number, currency: string): number {
  return Math.round(amount / scaleOf(currency));
}
