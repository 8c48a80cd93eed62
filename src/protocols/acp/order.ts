import * as z from 'zod';
import { type Order, refundStateOf } from '../../gateway/commerce/orders/order.ts';
import { type Line, totalOf } from '../../gateway/commerce/sessions/session.ts';
import { PATHS, orderPath } from '../../schemas/paths.ts';
import { IsoDateTime, Uri } from '../../schemas/primitives.ts';

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

/** What a price adds up to. Prices of the catalog are final: neither tax nor delivery is added. */
export function acpTotals(amount: number): AcpTotal[] {
  return [
    { type: 'items_base_amount', display_text: 'Price', amount },
    { type: 'subtotal', display_text: 'Subtotal', amount },
    { type: 'total', display_text: 'Total', amount },
  ];
}

/** Name of a line; one of a demonstration says so. */
export function acpTitle({ name, demo }: Pick<Line, 'name' | 'demo'>): string {
  return demo ? `${name} (demonstration)` : name;
}

/**
 * Writes an order as `Order` of the Agentic Commerce Protocol 2026-04-17 (schema.agentic_checkout.json), in checkout sessions and in
 * events. Of its states two are known here: `confirmed`, that it is paid, and `canceled`, that all of it was paid back; then nothing of
 * it is delivered any more, so no piece is current. What was paid back is one adjustment, because the processor tells sums.
 */
export function acpOrder(order: Order, baseUrl: string): AcpOrder {
  const permalink = baseUrl + orderPath(order.receipt);
  const isPaidBack = refundStateOf(order) === 'all';
  return {
    type: 'order',
    id: order.id,
    checkout_session_id: order.sessionId,
    permalink_url: permalink,
    status: isPaidBack ? 'canceled' : 'confirmed',
    confirmation: { confirmation_number: order.id, receipt_url: permalink },
    support: { help_center_url: baseUrl + PATHS.contact },
    line_items: order.lines.map((line) => ({
      id: line.id,
      title: acpTitle(line),
      product_id: line.offerId,
      quantity: { ordered: line.quantity, current: isPaidBack ? 0 : line.quantity },
      unit_price: line.unitMinor,
      subtotal: totalOf([line]),
    })),
    adjustments: refundsOf(order),
    totals: [...acpTotals(order.totalMinor), ...refundedTotals(order)],
  };
}

function refundsOf({ id, refundedMinor, updatedAtMs }: Order): AcpOrder['adjustments'] {
  if (refundedMinor <= 0) return [];
  const refund = { type: 'refund', status: 'completed', currency: 'usd' } as const;
  return [{ id: `adj_${id}`, ...refund, occurred_at: new Date(updatedAtMs).toISOString(), amount: refundedMinor }];
}

function refundedTotals({ refundedMinor }: Order): AcpTotal[] {
  return refundedMinor > 0 ? [{ type: 'amount_refunded', display_text: 'Refunded', amount: refundedMinor }] : [];
}
