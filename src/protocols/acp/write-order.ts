import { type Order, refundStateOf } from '../../gateway/commerce/orders/order.ts';
import { type Line, totalOf } from '../../gateway/commerce/sessions/session.ts';
import { orderPath, PATHS } from '../../schemas/paths.ts';
// Types alone: the companion Worker bundles this file without zod.
import type { AcpOrder, AcpTotal } from './schemas/responses.ts';

/** Totals of a price. Catalog prices are final: neither tax nor delivery is added. */
export function acpTotals(amount: number): AcpTotal[] {
  return [
    { type: 'items_base_amount', display_text: 'Price', amount },
    { type: 'subtotal', display_text: 'Subtotal', amount },
    { type: 'total', display_text: 'Total', amount },
  ];
}

/** Name of a line, marked if it is a demonstration. */
export function acpTitle({ name, demo }: Pick<Line, 'name' | 'demo'>): string {
  return demo ? `${name} (demonstration)` : name;
}

/**
 * Writes an order as `Order` of the Agentic Commerce Protocol 2026-04-17 (schema.agentic_checkout.json), in checkout sessions and in
 * events. Of its states this service uses `confirmed` (paid, or free) and `canceled` (fully refunded; no unit is current, because nothing is
 * delivered). Refunds are one adjustment, because the processor reports sums.
 */
export function acpOrder(order: Order, baseUrl: string): AcpOrder {
  const permalink = baseUrl + orderPath(order.receipt);
  const isRefunded = refundStateOf(order) === 'all';
  return {
    type: 'order',
    id: order.id,
    checkout_session_id: order.sessionId,
    permalink_url: permalink,
    status: isRefunded ? 'canceled' : 'confirmed',
    confirmation: { confirmation_number: order.id, receipt_url: permalink },
    support: { help_center_url: baseUrl + PATHS.contact },
    line_items: order.lines.map((line) => ({
      id: line.id,
      title: acpTitle(line),
      product_id: line.offerId,
      quantity: { ordered: line.quantity, current: isRefunded ? 0 : line.quantity },
      unit_price: line.unitMinor,
      subtotal: totalOf([line]),
    })),
    adjustments: refundsOf(order),
    totals: [...acpTotals(order.totalMinor), ...refundedTotals(order)],
  };
}

function refundsOf({ id, currency, refundedMinor, updatedAtMs }: Order): AcpOrder['adjustments'] {
  if (refundedMinor <= 0) return [];
  const refund = { type: 'refund', status: 'completed' } as const;
  return [
    {
      id: `adj_${id}`,
      ...refund,
      occurred_at: new Date(updatedAtMs).toISOString(),
      amount: refundedMinor,
      currency: currency.toLowerCase(),
    },
  ];
}

function refundedTotals({ refundedMinor }: Order): AcpTotal[] {
  return refundedMinor > 0 ? [{ type: 'amount_refunded', display_text: 'Refunded', amount: refundedMinor }] : [];
}
