import * as z from 'zod';

/** Micro-dollars of a dollar; USDC has 6 decimals too. */
const MICRO_DOLLARS = 1_000_000;

/** Dollars. What one way to pay cannot carry is not offered that way. */
const PRICE_USD_MAX = 10_000;

export const CapsulePriceUsd = z
  .number()
  .gt(0, 'must be above 0')
  .max(PRICE_USD_MAX, `must be at most ${PRICE_USD_MAX.toLocaleString('en-US')}`)
  .refine((usd) => Number(usd.toFixed(6)) === usd, 'must have at most 6 decimals');

export const CapsulePrice = z.object({
  amount: z
    .string()
    .regex(/^\d+\.\d{2,6}$/)
    .describe('Dollars, as a decimal number with 2 to 6 decimals.'),
  currency: z.literal('USD').describe('ISO 4217.'),
});
export type CapsulePrice = z.infer<typeof CapsulePrice>;

/** A price as published, such as "0.05" for 0.05. */
export function capsulePrice(usd: number): CapsulePrice {
  const micro = Math.round(usd * MICRO_DOLLARS);
  const decimals = String(micro % MICRO_DOLLARS)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return { amount: `${Math.floor(micro / MICRO_DOLLARS)}.${decimals}`, currency: 'USD' };
}

/** A price in micro-dollars: 50,000 for "0.05". */
export function microDollars({ amount }: CapsulePrice): number {
  return Math.round(Number(amount) * MICRO_DOLLARS);
}

/** Network of payments by card, and the currency in which they are made. */
export const CARD = { network: 'stripe', currency: 'usd' } as const;

const MICROS_OF_CENT = 10_000;

/** Cents (docs.stripe.com/currencies, "Minimum and maximum charge amounts"). */
const CARD_MIN = 50;

/** A price in cents, if it can be charged by card; `undefined` if it is too small, or has a part of a cent. */
export function cardAmount(priceMicros: number): number | undefined {
  const cents = priceMicros / MICROS_OF_CENT;
  return Number.isInteger(cents) && cents >= CARD_MIN ? cents : undefined;
}

/** A price in cents, if credit can pay it; `undefined` if it has a part of a cent. */
export function creditAmount(price: CapsulePrice | undefined): number | undefined {
  const cents = price && microDollars(price) / MICROS_OF_CENT;
  return Number.isInteger(cents) ? cents : undefined;
}
