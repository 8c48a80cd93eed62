import { sendWebhooks } from '../../../src/gateway/commerce/orders/send-webhooks.ts';
import { d1Orders, d1WebhookDeliveries } from '../../../src/platform/d1/order-store.ts';
import { webhookSender } from '../../../src/platform/outgoing-requests.ts';
import { PROTOCOL_ADAPTERS } from '../../../src/protocols/protocols.ts';
import type { OrderResponse } from '../../../src/schemas/commerce/orders.ts';
import { deliveryPath, orderPath } from '../../../src/schemas/paths.ts';
import { testSecrets } from '../../support/payments.ts';
import { simulatedRuntime } from '../../support/simulated/time.ts';
import { WEBHOOK_HOST } from '../builds.ts';
import type { KnownOrder } from '../knowledge.ts';
import type { Lifetime } from '../lifetime.ts';
import { hold } from '../violation.ts';
import { noteKey } from './register.ts';

/** Somebody opens the receipt of an order, and takes what it delivers. */
export async function openReceipt(life: Lifetime, order = someOrder(life)): Promise<void> {
  if (order === undefined) return;
  // What was taken once is asked for by its address, whatever the order says now.
  for (const name of order.delivered.keys()) if (life.chance(0.5)) await takeDelivery(life, order, name);
  const before = refundedOf(life, order);
  const heard = await life.ask(life.isolate(), {
    method: 'GET',
    path: orderPath(order.receipt),
    headers: { Accept: 'application/json' },
    address: '203.0.113.92',
  });
  if (heard === undefined || heard.status === 429 || heard.status === 503) return;
  const seen = (): string => `${order.id}: ${heard.status} ${heard.body}`;
  hold('acknowledged', heard.status === 200, seen);
  const answer = JSON.parse(heard.body) as OrderResponse;
  hold('acknowledged', answer.kind === 'order' && answer.id === order.id, seen);
  if (answer.kind !== 'order') return;
  const { refunded_minor, total_minor, state, deliveries } = answer;
  hold('acknowledged', refunded_minor >= before && refunded_minor <= refundedOf(life, order), seen);
  const wanted = refunded_minor === 0 ? 'confirmed' : refunded_minor < total_minor ? 'partly_refunded' : 'refunded';
  hold('acknowledged', state === wanted && (state !== 'refunded' || deliveries.length === 0), seen);
  if (deliveries.length > 0) await takeDelivery(life, order, life.pick(deliveries).name);
}

function someOrder(life: Lifetime): KnownOrder | undefined {
  const { orders } = life.known.shop;
  return orders.length === 0 ? undefined : life.pick(orders.slice(-4));
}

async function takeDelivery(life: Lifetime, order: KnownOrder, name: string): Promise<void> {
  const wasBack = isWhollyBack(life, order);
  const isolate = life.isolate();
  const heard = await life.ask(isolate, { method: 'GET', path: deliveryPath(order.receipt, name), address: '203.0.113.92' });
  if (heard === undefined || heard.status === 429 || heard.status === 503) return;
  const isBack = isWhollyBack(life, order);
  const seen = (): string => `${order.id} ${name}: ${heard.status} ${heard.body.slice(0, 300)}`;
  // A key is handed out only while it is active.
  const key = life.known.key(order.delivered.get(name) ?? '');
  const isWithdrawn = isBack || key?.mayBeRevoked === true || heard.clockAtEndMs >= (key?.expiresAtMs ?? Number.POSITIVE_INFINITY);
  hold('acknowledged', heard.status === 410 ? isWithdrawn : heard.status === 200 && !wasBack, seen);
  if (heard.status !== 200) return;
  const isKey = heard.headers.get('content-type')?.startsWith('application/json') === true;
  const given = isKey ? (JSON.parse(heard.body) as { api_key: string }).api_key : heard.body;
  hold('one-effect', (order.delivered.get(name) ?? given) === given, seen);
  order.delivered.set(name, given);
  if (isKey) await noteKey(life, heard, '203.0.113.92');
}

/** What the database knows to be paid back of an order at this moment. */
function refundedOf(life: Lifetime, { id }: KnownOrder): number {
  const [row] = life.database.look('SELECT refunded_minor FROM orders WHERE id = ?1', id);
  return Number(row?.['refunded_minor'] ?? 0);
}

function isWhollyBack(life: Lifetime, { id }: KnownOrder): boolean {
  const [row] = life.database.look('SELECT id FROM orders WHERE id = ?1 AND total_minor > 0 AND refunded_minor = total_minor', id);
  return row !== undefined;
}

/** The companion sends what is due, by a clock that is wrong like any other. */
export async function sendDueWebhooks(life: Lifetime): Promise<void> {
  const place = life.pick(life.places);
  const report = await drain(life, life.time.nowMs + place.skewMs);
  life.note(`webhooks: ${JSON.stringify(report)}`);
}

/** Sends webhooks that are due, as the companion and the publisher's command do. */
export async function drain(life: Lifetime, nowMs: number) {
  const binding = life.database.binding();
  return sendWebhooks(
    {
      deliveries: d1WebhookDeliveries(binding),
      orders: d1Orders(binding, simulatedRuntime(life.time, life.random).randomness),
      writeOrderEvent: PROTOCOL_ADAPTERS.writeOrderEvent,
      sendWebhook: webhookSender([WEBHOOK_HOST], life.time.timers, (url, init) => life.outside.receiver.answer(url, init)),
      secrets: await testSecrets(),
      baseUrl: life.stage.builds[0]?.generated.deployment.baseUrl ?? '',
    },
    nowMs,
    20,
  );
}
