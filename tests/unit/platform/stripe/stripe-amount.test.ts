import { expect, test } from 'vitest';
import { fromStripeAmount, toStripeAmount } from '../../../../src/platform/stripe/stripe-events.ts';

test.each([
  ['USD', 12_345, 12_345],
  ['JPY', 1_200, 1_200],
  ['KWD', 30_120, 30_120],
  // Stripe counts these otherwise than ISO 4217.
  ['ISK', 500, 50_000],
  ['ugx', 500, 50_000],
  ['MGA', 500_000, 5_000],
])('an amount in %s is counted as Stripe counts it', (currency, amountMinor, amount) => {
  expect(toStripeAmount(amountMinor, currency)).toBe(amount);
  expect(fromStripeAmount(amount, currency)).toBe(amountMinor);
});
