import type { Order } from '../../gateway/commerce/orders/order.ts';
import type { DueWebhook, WriteOrderEvent } from '../../gateway/commerce/orders/send-webhooks.ts';
import { keyedDigest, shortDigest } from '../../gateway/digests.ts';
import type { SigningSecret } from '../../gateway/ports.ts';
import { toBase64Url, toHex } from '../../provenance/bytes.ts';
import { acpOrder } from './write-order.ts';

const UTF8 = new TextEncoder();

const PURPOSE = 'order webhook';

/** Headers of an event, in the order in which {@link signedEventHeaders} returns them. */
export const ORDER_EVENT_HEADERS = ['Content-Type', 'Merchant-Signature', 'Request-Id', 'Timestamp'] as const;

/** The webhook of an order in the form of the protocol, signed for the agent that owns it. */
export const writeAcpOrderEvent: WriteOrderEvent = async (kind, order, { baseUrl, secret, nowMs }) => {
  const body = orderEvent(kind, order, baseUrl);
  return { body, headers: await signedEventHeaders(body, await orderWebhookSecret(order.owner, secret), nowMs) };
};

/**
 * Body of an order event: JSON text with the current order.
 *
 * @see Agentic Commerce Protocol 2026-04-17, openapi.agentic_checkout_webhook.yaml: `WebhookEvent`.
 */
export function orderEvent(kind: DueWebhook['kind'], order: Order, baseUrl: string): string {
  return JSON.stringify({ type: kind, data: acpOrder(order, baseUrl) });
}

/**
 * Headers of an event. `Merchant-Signature` is `t=<seconds>,v1=<HMAC-SHA256 in hexadecimal over "<seconds>.<body>">`. `Request-Id` is
 * derived from the body, so every delivery of an event has the same one.
 *
 * @param secretText As {@link orderWebhookSecret} returns it; the bytes of the key are all of its characters, `whsec_` included.
 */
export async function signedEventHeaders(
  body: string,
  secretText: string,
  nowMs: number,
): Promise<Record<(typeof ORDER_EVENT_HEADERS)[number], string>> {
  const seconds = Math.floor(nowMs / 1_000);
  const key = await crypto.subtle.importKey('raw', UTF8.encode(secretText), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, UTF8.encode(`${seconds}.${body}`)));
  return {
    'Content-Type': 'application/json',
    'Merchant-Signature': `t=${seconds},v1=${toHex(signature)}`,
    'Request-Id': `evt_${await shortDigest(body, 16)}`,
    Timestamp: new Date(nowMs).toISOString(),
  };
}

/**
 * Secret that signs the events of an agent. It is derived from the signing secret, so it is not stored, and no agent can sign events of
 * another.
 *
 * @param owner Owner of the order: the id of an agent, `agt_` and 16 hexadecimal digits.
 */
export async function orderWebhookSecret(owner: string, secret: SigningSecret): Promise<string> {
  return `whsec_${toBase64Url(await keyedDigest(secret, PURPOSE, UTF8.encode(owner)))}`;
}
