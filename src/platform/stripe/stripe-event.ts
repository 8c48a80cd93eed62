import * as z from 'zod';
import { Buyer } from '../../schemas/commerce/orders.ts';

/** Email of a buyer. One that the commerce protocols do not accept is left out: no payment is refused for it. */
const BuyerEmail = Buyer.shape.email.nullish().catch(undefined);

/** Something that Stripe names by its id, or writes out. */
const Reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((value) => value ?? undefined);

const Minor = z.int().min(0);

/** Three letters, in lower case at Stripe; ours are upper case, as in ISO 4217. */
const Currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/, { error: 'must be the three letters of a currency' })
  .transform((currency) => currency.toUpperCase());
const Metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});

/** A hosted checkout, as far as events about it are read (docs.stripe.com/api/checkout/sessions/object). */
export const StripeCheckout = z.object({
  mode: z.enum(['payment', 'setup', 'subscription']),
  payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
  client_reference_id: z.string().nullish(),
  metadata: Metadata,
  amount_total: Minor.nullish(),
  currency: Currency.nullish(),
  payment_intent: Reference,
  subscription: Reference,
  customer_details: z.object({ email: BuyerEmail }).nullish(),
});
export type StripeCheckout = z.infer<typeof StripeCheckout>;

/** A payment intent (docs.stripe.com/api/payment_intents/object). */
export const StripeIntent = z.object({
  id: z.string(),
  amount_received: Minor,
  currency: Currency,
  metadata: Metadata,
  last_payment_error: z.object({ code: z.string().nullish(), decline_code: z.string().nullish() }).nullish(),
});
export type StripeIntent = z.infer<typeof StripeIntent>;

/** A charge of a payment (docs.stripe.com/api/charges/object). */
export const StripeCharge = z.object({ amount_refunded: Minor, currency: Currency, payment_intent: Reference });

/** An event, before its object is parsed (docs.stripe.com/api/events/object). */
export const StripeEvent = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  data: z.object({ object: z.unknown() }),
});
export type StripeEvent = z.infer<typeof StripeEvent>;
