import * as z from 'zod';
import { IsoDateTime, Uri } from '../../../schemas/primitives.ts';

/** An amount, in integer minor units. */
export const AcpTotal = z.strictObject({
  type: z.enum(['items_base_amount', 'subtotal', 'total', 'amount_refunded']).describe('What the amount is.'),
  display_text: z.string().describe('Name of the amount for a person.'),
  amount: z.int().min(0).describe('Minor units of the currency.'),
});
export type AcpTotal = z.infer<typeof AcpTotal>;

const OrderLineItem = z.strictObject({
  id: z.string().describe('Id of the line in its session.'),
  title: z.string().describe('Name of the offer; says so where it is a demonstration.'),
  product_id: z.string().describe('Id of the offer.'),
  quantity: z
    .strictObject({
      ordered: z.int().min(1).describe('Pieces.'),
      current: z.int().min(0).describe('The same; 0 once all of it is refunded.'),
    })
    .describe('Pieces.'),
  unit_price: z.int().min(0).describe('Price of one piece, in minor units.'),
  subtotal: z.int().min(0).describe('Price of the line, in minor units.'),
});

const Adjustment = z.strictObject({
  id: z.string().describe('Id of the adjustment.'),
  type: z.literal('refund').describe('Money was refunded.'),
  occurred_at: IsoDateTime.describe('When it was recorded.'),
  status: z.literal('completed').describe('It is done.'),
  amount: z.int().min(1).describe('Total refunded so far, in minor units.'),
  currency: z.literal('usd').describe('Currency.'),
});

/** `Order` of the Agentic Commerce Protocol 2026-04-17, as `src/protocols/acp/order.ts` writes it. */
export const AcpOrder = z.strictObject({
  type: z.literal('order').describe('Kind of the object.'),
  id: z.string().describe('Id of the order.'),
  checkout_session_id: z.string().describe('Session that it came from.'),
  permalink_url: Uri.describe('Page of the order; whoever has this address can open it.'),
  status: z.enum(['confirmed', 'canceled']).describe('confirmed: it is paid, or free. canceled: all of it was refunded.'),
  confirmation: z
    .strictObject({ confirmation_number: z.string().describe('Id of the order.'), receipt_url: Uri.describe('Page of the order.') })
    .describe('What a buyer keeps.'),
  support: z.strictObject({ help_center_url: Uri.describe('Contact page of the publisher.') }).describe('Support.'),
  line_items: z.array(OrderLineItem).describe('What was bought.'),
  adjustments: z.array(Adjustment).describe('Refunds: one entry, or none.'),
  totals: z.array(AcpTotal).describe('Amounts paid and refunded.'),
});
export type AcpOrder = z.infer<typeof AcpOrder>;
