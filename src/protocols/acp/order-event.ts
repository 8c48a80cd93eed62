import type { Line, Order } from '../../gateway/commerce/cart/checkout-ports.ts';
import { demoDiscount, totalOf } from '../../gateway/commerce/cart/price-cart.ts';
import type { DueWebhook, WriteOrderEvent } from '../../gateway/commerce/orders/order-ports.ts';
import { refundStateOf } from '../../gateway/commerce/orders/order-transitions.ts';
import { keyedDigest, shortDigest } from '../../gateway/digests-and-base62.ts';
import type { SigningSecret } from '../../gateway/platform-ports.ts';
import { toBase64Url, toBytes, toHex } from '../../provenance/bytes-and-sha256.ts';
import { orderPath, PATHS } from '../../schemas/paths.ts';
import english from '../../text/strings/en-documents.json' with { type: 'json' };
import type { AcpOrder, AcpTotal } from './acp-schemas.ts';

export const ORDER_EVENT_HEADERS = ['Content-Type', 'Merchant-Signature', 'Request-Id', 'Timestamp'] as const;

export const writeAcpOrderEvent: WriteOrderEvent = async (kind, order, { baseUrl, secret, nowMs }) => {
  const body = orderEvent(kind, order, baseUrl);
  return { body, headers: await signedEventHeaders(body, await orderWebhookSecret(order.owner, secret), nowMs) };
};

/** JSON text of `WebhookEvent` (Agentic Commerce Protocol 2026-04-17, openapi.agentic_checkout_webhook.yaml). */
export function orderEvent(kind: DueWebhook['kind'], order: Order, baseUrl: string): string {
  return JSON.stringify({ type: kind, data: acpOrder(order, baseUrl) });
}

/**
 * `Merchant-Signature` is `t=<seconds>,v1=<HMAC-SHA256 in hexadecimal over "<seconds>.<body>">`. `Request-Id` is derived from the body, so
 * every delivery of an event has the same one. The bytes of the key are all characters of the secret, `whsec_` included.
 */
export async function signedEventHeaders(
  body: string,
  secretText: string,
  nowMs: number,
): Promise<Record<(typeof ORDER_EVENT_HEADERS)[number], string>> {
  const seconds = Math.floor(nowMs / 1_000);
  const key = await crypto.subtle.importKey('raw', toBytes(secretText), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, toBytes(`${seconds}.${body}`)));
  return {
    'Content-Type': 'application/json',
    'Merchant-Signature': `t=${seconds},v1=${toHex(signature)}`,
    'Request-Id': `evt_${await shortDigest(body, 16)}`,
    Timestamp: new Date(nowMs).toISOString(),
  };
}

/** Derived from the signing secret, so that it is not stored, and no agent can sign events of another. @param owner Agent of the order. */
export async function orderWebhookSecret(owner: string, secret: SigningSecret): Promise<string> {
  return `whsec_${toBase64Url(await keyedDigest(secret, 'order webhook', toBytes(owner)))}`;
}

// Types alone: the companion Worker bundles this file without zod.

/** Catalog prices are final: neither tax nor delivery is added. */
export function acpTotals(amount: number, discount = 0): AcpTotal[] {
  return [
    { type: 'items_base_amount', display_text: 'Price', amount },
    { type: 'subtotal', display_text: 'Subtotal', amount },
    ...(discount > 0 ? [{ type: 'discount', display_text: english.offers.demoDiscount, amount: discount } as const] : []),
    { type: 'total', display_text: 'Total', amount: amount - discount },
  ];
}

const REFUNDED = { type: 'amount_refunded', display_text: 'Refunded' } as const;

export function acpTitle({ name, demo }: Pick<Line, 'name' | 'demo'>): string {
  return demo ? `${name} (demonstration)` : name;
}

/**
 * `Order` (schema.agentic_checkout.json), in checkout sessions and in events. Of its states this service uses `confirmed` (paid, or free),
 * `completed` (its page delivers all of it) and `canceled` (fully refunded; no unit is current, because nothing is delivered). Refunds are one
 * adjustment, because the processor reports sums.
 */
export function acpOrder(order: Order, baseUrl: string): AcpOrder {
  const permalink = baseUrl + orderPath(order.receipt);
  const isRefunded = refundStateOf(order) === 'all';
  const refunded = order.refundedMinor;
  return {
    type: 'order',
    id: order.id,
    checkout_session_id: order.sessionId,
    permalink_url: permalink,
    status: isRefunded ? 'canceled' : order.lines.every(({ isDigital }) => isDigital) ? 'completed' : 'confirmed',
    confirmation: { confirmation_number: order.id, receipt_url: permalink },
    support: { help_center_url: baseUrl + PATHS.contact },
    line_items: order.lines.map((line) => ({
      id: line.id,
      title: acpTitle(line),
      product_id: line.offerId,
      quantity: { ordered: line.quantity, current: isRefunded ? 0 : line.quantity },
      unit_price: line.unitMinor,
      subtotal: line.unitMinor * line.quantity,
    })),
    adjustments: refundsOf(order),
    totals: [...acpTotals(totalOf(order.lines), demoDiscount(order)), ...(refunded > 0 ? [{ ...REFUNDED, amount: refunded }] : [])],
  };
}

function refundsOf({ id, currency, refundedMinor: amount, updatedAtMs }: Order): AcpOrder['adjustments'] {
  if (amount <= 0) return [];
  const refund = { id: `adj_${id}`, type: 'refund', status: 'completed' } as const;
  return [{ ...refund, occurred_at: new Date(updatedAtMs).toISOString(), amount, currency: currency.toLowerCase() }];
}
