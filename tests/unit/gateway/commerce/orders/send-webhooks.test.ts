import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { retryWebhooks } from '../../../../../src/cli/commands/orders.ts';
import { createSession } from '../../../../../src/gateway/commerce/cart/checkout-sessions.ts';
import { handlePaymentEvent } from '../../../../../src/gateway/commerce/orders/handle-payment-event.ts';
import { sendWebhooks, WAITS_MS, type WebhookDependencies } from '../../../../../src/gateway/commerce/orders/send-webhooks.ts';
import { d1WebhookDeliveries } from '../../../../../src/platform/d1/order-store.ts';
import { readSigningSecrets } from '../../../../../src/platform/environment.ts';
import { orderWebhookSecret, writeAcpOrderEvent } from '../../../../../src/protocols/acp/order-event.ts';
import { LIMITS } from '../../../../../src/schemas/limits.ts';
import { TEST_SIGNING_SECRETS } from '../../../../support/edge-gateway.ts';
import { AGENT, checkoutDependenciesFor, paidEvent, refundedEvent, requestOf, writeFacts } from '../../../../support/orders.ts';
import type { Fault } from '../../../../support/simulated/faults.ts';
import { useDatabase } from '../../../../support/simulated/use-database.ts';

const NOW = Date.UTC(2027, 0, 1);
const DAY = 86_400_000;
const URL = 'https://agent.example/orders';
const signing = await readSigningSecrets(TEST_SIGNING_SECRETS);
if ('missing' in signing) throw new Error(signing.missing);
const secrets = signing;
const database = useDatabase(NOW);
let weather: (sql: readonly string[]) => Fault;
let outcome: string | undefined;
let sent: { url: string; body: string; headers: Readonly<Record<string, string>> }[];
beforeEach(() => {
  weather = () => 'none';
  outcome = undefined;
  sent = [];
});

function setUp() {
  const binding = database.binding({ fault: ({ what }) => weather(what) });
  const deps = checkoutDependenciesFor(binding, { nowMs: NOW });
  const sending: WebhookDependencies = {
    deliveries: d1WebhookDeliveries(binding),
    orders: deps.store,
    secrets,
    baseUrl: 'https://signpost.example',
    writeOrderEvent: writeAcpOrderEvent,
    sendWebhook: async (request) => {
      sent.push(request);
      return outcome;
    },
  };
  return {
    ...sending,
    order: async (key: string): Promise<string> => {
      const items = [{ id: 'review', quantity: 1, pointer: '' }];
      const made = await createSession(requestOf('create', key, key), { items, notifyUrl: URL }, AGENT, writeFacts, deps);
      if (!made.ok) throw new Error(made.refusal.detail);
      const { id } = JSON.parse(made.value.body) as { id: string };
      await handlePaymentEvent(paidEvent(id, 24_000), deps);
      return id;
    },
    take: (message: Parameters<typeof handlePaymentEvent>[0]) => handlePaymentEvent(message, deps),
  };
}
const states = () => database.look('SELECT kind, state, attempts, fault FROM order_notices ORDER BY number');

test('a paid order is told of once, signed for its agent, as it is now', async () => {
  const deps = setUp();
  const session = await deps.order('a');
  expect(await sendWebhooks(deps, NOW, 5)).toEqual({ sent: 1, putOff: 0, givenUp: 0 });
  expect(await sendWebhooks(deps, NOW + DAY, 5)).toEqual({ sent: 0, putOff: 0, givenUp: 0 });
  const [notice] = sent;
  expect(notice?.url).toBe(URL);
  expect(JSON.parse(notice?.body ?? '')).toMatchObject({ type: 'order_create', data: { type: 'order', checkout_session_id: session } });
  const secret = await orderWebhookSecret(AGENT.owner, secrets[0]);
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(notice?.headers['Merchant-Signature'] ?? '') ?? [];
  expect(signature).toBe(createHmac('sha256', secret).update(`${time}.${notice?.body}`).digest('hex'));
  expect(Number(time)).toBe(NOW / 1_000);
});

test('an agent that does not answer is asked again for about three days, then somebody has to look', async () => {
  const deps = setUp();
  await deps.order('a');
  outcome = 'returned 503';
  let nowMs = NOW;
  for (let attempt = 1; attempt < LIMITS.noticeAttemptsMax; attempt += 1) {
    expect(await sendWebhooks(deps, nowMs, 5)).toEqual({ sent: 0, putOff: 1, givenUp: 0 });
    nowMs += WAITS_MS[attempt - 1] ?? Number.NaN;
    expect(await sendWebhooks(deps, nowMs - 1, 5)).toMatchObject({ putOff: 0 });
  }
  expect(await sendWebhooks(deps, nowMs, 5)).toEqual({ sent: 0, putOff: 0, givenUp: 1 });
  expect((nowMs - NOW) / DAY).toBeGreaterThan(2.5);
  expect((nowMs - NOW) / DAY).toBeLessThan(3.5);
  expect(states()).toEqual([{ kind: 'order_create', state: 'given_up', attempts: LIMITS.noticeAttemptsMax, fault: 'returned 503' }]);
  expect(await sendWebhooks(deps, nowMs + 30 * DAY, 5)).toMatchObject({ sent: 0 });
});

test('the publisher can have what was given up sent after all', async () => {
  const deps = setUp();
  await deps.order('a');
  database.look("UPDATE order_notices SET state = 'given_up', attempts = 12");
  const settings = { baseUrl: deps.baseUrl, hosts: [], secrets: TEST_SIGNING_SECRETS };
  expect((await retryWebhooks(database.binding(), settings, NOW))[0]).toBe('0 of 1 webhook delivered');
  expect(states()).toMatchObject([{ state: 'due', attempts: 1, fault: 'the host is not in commerce.webhook_hosts' }]);
  await expect(retryWebhooks(database.binding(), { ...settings, secrets: undefined }, NOW)).rejects.toThrow('SIGNING_SECRETS');
});

test('two that drain at the same time send a notice once', async () => {
  const deps = setUp();
  for (const key of ['a', 'b', 'c', 'd', 'e']) await deps.order(key);
  const reports = await Promise.all(Array.from({ length: 6 }, () => sendWebhooks(deps, NOW, 2)));
  expect(reports.reduce((sum, report) => sum + report.sent, 0)).toBe(5);
  expect(new Set(sent.map(({ body }) => body)).size).toBe(5);
});

test('news of an order come after each other, also while the first cannot be delivered', async () => {
  const deps = setUp();
  const session = await deps.order('a');
  await deps.take(refundedEvent(`pi_${session}`, 4_000, 'evt_refund'));
  outcome = 'returned 500';
  expect(await sendWebhooks(deps, NOW, 5)).toEqual({ sent: 0, putOff: 1, givenUp: 0 });
  expect(await sendWebhooks(deps, NOW, 5)).toEqual({ sent: 0, putOff: 0, givenUp: 0 });
  outcome = undefined;
  const later = NOW + (WAITS_MS[0] ?? 0);
  expect([await sendWebhooks(deps, later, 5), await sendWebhooks(deps, later, 5)]).toMatchObject([{ sent: 1 }, { sent: 1 }]);
  expect(sent.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(['order_create', 'order_create', 'order_update']);
});

test('nothing is lost when the database breaks off at any call, and a notice that was sent may come twice', async () => {
  const deps = setUp();
  await deps.order('a');
  for (const fault of ['refused', 'reply_lost'] as const)
    for (const part of ['UPDATE order_notices SET attempts', 'FROM orders', "SET state = 'sent'"]) {
      database.look("UPDATE order_notices SET state = 'due', attempts = 0, due_at_ms = 0");
      weather = (sql) => (sql.some((one) => one.includes(part)) ? fault : 'none');
      await sendWebhooks(deps, NOW, 5).catch(() => undefined);
      weather = () => 'none';
      await sendWebhooks(deps, NOW + (WAITS_MS[0] ?? 0), 5);
      expect([fault, part, states()]).toMatchObject([fault, part, [{ state: 'sent' }]]);
    }
});
