import { beforeEach, expect, test } from 'vitest';
import { cancelSession, createSession, readSession, updateSession } from '../../../../../src/gateway/commerce/cart/checkout-sessions.ts';
import { handlePaymentEvent } from '../../../../../src/gateway/commerce/orders/handle-payment-event.ts';
import { AGENT, checkoutDependenciesFor, paidEvent, refundedEvent, requestOf, writeFacts } from '../../../../support/orders.ts';
import { useDatabase } from '../../../../support/simulated/use-database.ts';

const NOW = Date.UTC(2027, 0, 1);
const HOUR = 3_600_000;
const database = useDatabase(NOW);
let clock: { nowMs: number };
beforeEach(() => {
  clock = { nowMs: NOW };
});

const setUp = () => checkoutDependenciesFor(database.binding(), clock);
const review = [{ id: 'check', quantity: 1, pointer: '/line_items/0' }];
const create = async (deps = setUp(), key: string | undefined = 'key-1', body: unknown = { a: 1 }) =>
  createSession(requestOf('create', key, body), { items: review }, AGENT, writeFacts, deps);
const opened = (answer: Awaited<ReturnType<typeof create>>): { id: string; state: string; total: number; order?: string } => {
  if (!answer.ok) throw new Error(answer.refusal.detail);
  return JSON.parse(answer.value.body);
};

test('a session has the price of the catalog, whatever the request says', async () => {
  const deps = setUp();
  const { id, total } = opened(await create(deps));
  expect(total).toBe(24_000);
  const read = await readSession(id, AGENT.owner, deps);
  expect(read).toMatchObject({
    ok: true,
    value: { session: { state: 'open', lines: [{ offerId: 'review', unitMinor: 24_000, quantity: 1 }] } },
  });
  expect(await readSession(id, 'agt_of_another', deps)).toMatchObject({ ok: false, refusal: { code: 'session_not_found' } });
});

test('a payment completes a session once, however often its message comes, and a refund that came first is taken into account', async () => {
  const deps = setUp();
  const { id } = opened(await create(deps));
  expect(await handlePaymentEvent(refundedEvent(`pi_${id}`, 4_000, 'evt_early'), deps)).toMatchObject({ value: 'waiting' });
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => handlePaymentEvent(paidEvent(id, 24_000), deps)));
  expect(outcomes.filter(({ ok: isOk, ...rest }) => isOk && 'value' in rest && rest.value === 'applied')).toHaveLength(1);
  expect(database.look('SELECT refunded_minor, total_minor FROM orders')).toEqual([{ refunded_minor: 4_000, total_minor: 24_000 }]);
  expect(await handlePaymentEvent(paidEvent(id, 24_000, { id: 'evt_second' }), deps)).toMatchObject({ value: 'duplicate' });
  expect(await handlePaymentEvent(paidEvent(id, 24_000, { id: 'evt_other', reference: 'pi_other' }), deps)).toMatchObject({
    value: 'already_paid',
  });
  expect(await handlePaymentEvent(refundedEvent(`pi_${id}`, 24_000, 'evt_late'), deps)).toMatchObject({ value: 'applied' });
  expect(await handlePaymentEvent(refundedEvent(`pi_${id}`, 9_000, 'evt_between'), deps)).toMatchObject({ value: 'ignored' });
  expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 24_000 }]);
  expect(database.look('SELECT event, count FROM commerce_counts ORDER BY event')).toEqual([
    { event: 'order', count: 1 },
    { event: 'refund', count: 1 },
  ]);
});

test.each([
  ['another amount', { amount: 23_999, currency: 'USD' }, 'amount_differs'],
  ['another currency', { amount: 24_000, currency: 'EUR' }, 'amount_differs'],
])('%s completes nothing and is kept for the publisher', async (_case, { amount, currency }, outcome) => {
  const deps = setUp();
  const { id } = opened(await create(deps));
  expect(await handlePaymentEvent(paidEvent(id, amount, { currency }), deps)).toMatchObject({ value: outcome });
  expect(database.look('SELECT count(*) AS n FROM orders')).toEqual([{ n: 0 }]);
  expect(database.look('SELECT outcome, amount_minor FROM processor_events')).toEqual([{ outcome, amount_minor: amount }]);
});

test('a session that is canceled stays so, one whose time is over can still be paid', async () => {
  const deps = setUp();
  const first = opened(await create(deps));
  expect(await cancelSession(requestOf('cancel', 'c'), first.id, AGENT.owner, writeFacts, deps)).toMatchObject({ ok: true });
  expect(await handlePaymentEvent(paidEvent(first.id, 24_000), deps)).toMatchObject({ value: 'session_canceled' });
  const second = opened(await create(deps, 'key-2'));
  clock.nowMs = NOW + 25 * HOUR;
  expect(await updateSession(requestOf('update', 'u'), second.id, { items: review }, AGENT.owner, writeFacts, deps)).toMatchObject({
    refusal: { code: 'session_closed' },
  });
  expect(await handlePaymentEvent(paidEvent(second.id, 24_000), deps)).toMatchObject({ value: 'applied' });
});

test('the log of orders is only added to', async () => {
  const deps = setUp();
  const { id } = opened(await create(deps));
  const items = [{ id: 'digest', quantity: 1, pointer: '' }];
  expect(await updateSession(requestOf('update', 'u'), id, { items }, AGENT.owner, writeFacts, deps)).toMatchObject({ ok: true });
  expect(database.look("SELECT kind, detail ->> 'total_minor' AS total FROM order_log ORDER BY rowid")).toEqual([
    { kind: 'session_created', total: 24_000 },
    { kind: 'session_updated', total: 900 },
  ]);
  expect(() => database.look("UPDATE order_log SET kind = 'x'")).toThrow('only added to');
});
