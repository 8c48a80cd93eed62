import { expect, test } from 'vitest';
import type { PaymentEventRecord } from '../../../../src/gateway/commerce/cart/checkout-ports.ts';
import { createSession } from '../../../../src/gateway/commerce/cart/checkout-sessions.ts';
import { handlePaymentEvent } from '../../../../src/gateway/commerce/orders/handle-payment-event.ts';
import { markEventReviewed } from '../../../../src/platform/d1/order-administration.ts';
import { AGENT, checkoutDependenciesFor, paidEvent, refundedEvent, requestOf, writeFacts } from '../../../support/orders.ts';
import { useDatabase } from '../../../support/simulated/use-database.ts';

const NOW = Date.UTC(2027, 0, 1);
const database = useDatabase(NOW);

const setUp = async (key = 'key') => {
  const deps = checkoutDependenciesFor(database.binding(), { nowMs: NOW });
  const items = [{ id: 'review', quantity: 1, pointer: '' }];
  const made = await createSession(requestOf('create', key), { items }, AGENT, writeFacts, deps);
  if (!made.ok) throw new Error(made.refusal.detail);
  return { deps, id: (JSON.parse(made.value.body) as { id: string }).id };
};
const refundEvent = (reference: string, outcome: string): PaymentEventRecord => ({
  id: `evt_${outcome}`,
  kind: 'charge.refunded',
  receivedAtMs: NOW,
  sessionId: undefined,
  paymentReference: reference,
  amountMinor: 4_000,
  currency: 'USD',
  isRefund: true,
  outcome,
});

test('stores a waiting refund only while its order is absent', async () => {
  const { deps, id } = await setUp();
  await handlePaymentEvent(paidEvent(id, 24_000, { reference: 'pi_1' }), deps);
  expect(await deps.store.saveEvent(refundEvent('pi_1', 'waiting'))).toBe(false);
  expect(await deps.store.saveEvent(refundEvent('pi_2', 'waiting'))).toBe(true);
  expect(await deps.store.saveEvent(refundEvent('pi_1', 'ignored'))).toBe(true);
  expect(database.look("SELECT payment_reference FROM processor_events WHERE outcome = 'waiting'")).toEqual([
    { payment_reference: 'pi_2' },
  ]);
});

test('does not store a step with an event that was handled before', async () => {
  const { deps, id } = await setUp();
  const { session } = await deps.store.load(undefined, id, NOW);
  if (session === undefined) throw new Error('no session');
  const step = (revision: number) =>
    deps.store.apply({
      session: { ...session, revision },
      isNew: false,
      paymentEvent: { ...refundEvent('pi_1', 'applied'), sessionId: id },
      log: [{ kind: 'order_refunded', atMs: NOW, detail: {} }],
      counts: [{ event: 'refund', offerId: 'review' }],
      notify: undefined,
      nowMs: NOW,
    });
  expect([await step(2), await step(2), await step(3)]).toMatchObject([{ applied: true }, { applied: false }, { applied: false }]);
  expect(database.look("SELECT kind FROM order_log WHERE kind = 'order_refunded'")).toHaveLength(1);
  expect(database.look('SELECT count FROM commerce_counts')).toEqual([{ count: 1 }]);
});

test('applies the largest of the refunds that came before their order, and counts it once', async () => {
  const { deps, id } = await setUp();
  for (const amount of [4_000, 24_000, 9_000])
    expect(await handlePaymentEvent(refundedEvent('pi_1', amount, `evt_${amount}`), deps)).toMatchObject({ value: 'waiting' });
  await handlePaymentEvent(paidEvent(id, 24_000, { reference: 'pi_1' }), deps);
  expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 24_000 }]);
  expect(database.look("SELECT id FROM processor_events WHERE outcome <> 'applied'")).toEqual([]);
  expect(database.look("SELECT count FROM commerce_counts WHERE event = 'refund'")).toEqual([{ count: 1 }]);
  expect(database.look("SELECT kind FROM order_log WHERE kind = 'order_refunded'")).toHaveLength(1);
});

test('keeps payments of another amount or currency for review once their session is paid, and none that it was paid with', async () => {
  const { deps, id } = await setUp();
  const take = (eventId: string, amount: number, currency: string, session = id) =>
    handlePaymentEvent(paidEvent(session, amount, { id: eventId, reference: 'pi_1', currency }), deps);
  await take('evt_amount', 900, 'USD');
  await take('evt_currency', 24_000, 'EUR');
  await take('evt_same', 24_000, 'USD', 'cs_none');
  expect(await take('evt_right', 24_000, 'USD')).toMatchObject({ value: 'applied' });
  const { id: another } = await setUp('another key');
  expect(await take('evt_another', 24_000, 'USD', another)).toMatchObject({ value: 'already_paid' });
  expect(database.look("SELECT id, outcome FROM processor_events WHERE outcome <> 'applied' ORDER BY id")).toEqual([
    { id: 'evt_amount', outcome: 'amount_differs' },
    { id: 'evt_another', outcome: 'already_paid' },
    { id: 'evt_currency', outcome: 'amount_differs' },
  ]);
});

test('does not count refunds in another currency, before or after the order', async () => {
  const { deps, id } = await setUp();
  const take = (amountMinor: number, eventId: string, currency?: string) =>
    handlePaymentEvent(refundedEvent('pi_1', amountMinor, eventId, currency), deps);
  expect(await take(24_000, 'evt_early', 'EUR')).toMatchObject({ value: 'waiting' });
  // Who looked at it when it waited has not seen that its currency is another one.
  expect(await markEventReviewed(database.binding(), 'evt_early', NOW)).toBe(true);
  await handlePaymentEvent(paidEvent(id, 24_000, { reference: 'pi_1' }), deps);
  expect(await take(24_000, 'evt_late', 'EUR')).toMatchObject({ value: 'currency_differs' });
  expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 0 }]);
  expect(database.look("SELECT kind FROM order_log WHERE kind = 'order_refunded'")).toEqual([]);
  expect(await take(4_000, 'evt_own')).toMatchObject({ value: 'applied' });
  expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 4_000 }]);
  expect(
    database.look(
      "SELECT id, currency, session_id FROM processor_events WHERE outcome = 'currency_differs' AND looked_at_ms IS NULL ORDER BY id",
    ),
  ).toEqual([
    { id: 'evt_early', currency: 'EUR', session_id: id },
    { id: 'evt_late', currency: 'EUR', session_id: id },
  ]);
});

test.each([
  [{ first_name: 'Ada' }, { first_name: 'Ada', email: 'payer@buyer.example' }],
  [{}, { email: 'payer@buyer.example' }],
  [undefined, { email: 'payer@buyer.example' }],
  [{ email: 'ada@buyer.example' }, { email: 'ada@buyer.example' }],
])('merges the buyer %j with the email of the payment to %j', async (buyer, kept) => {
  const { deps, id } = await setUp();
  const { session } = await deps.store.load(undefined, id, NOW);
  if (session === undefined) throw new Error('no session');
  const named = { ...session, buyer, revision: session.revision + 1 };
  await deps.store.apply({ session: named, isNew: false, log: [], counts: [], notify: undefined, nowMs: NOW });
  const event = paidEvent(id, 24_000, { reference: 'pi_1' });
  await handlePaymentEvent({ ...event, email: 'payer@buyer.example' } as typeof event, deps);
  expect((await deps.store.load(undefined, id, NOW)).order?.buyer).toEqual(kept);
});

test('reads a buyer that was stored with a single name', async () => {
  const { deps, id } = await setUp();
  database.look('UPDATE checkout_sessions SET content = json_set(content, \'$.buyer\', json(\'{"name":"Ada"}\'))');
  expect((await deps.store.load(undefined, id, NOW)).session?.buyer).toEqual({ full_name: 'Ada' });
});
