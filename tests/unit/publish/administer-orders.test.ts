import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSession } from '../../../src/gateway/orders/checkout-sessions.ts';
import { takeProcessorEvent } from '../../../src/gateway/orders/take-processor-event.ts';
import type { Database } from '../../../src/platform/d1/database.ts';
import { d1InvoiceRequests } from '../../../src/platform/d1/invoice-requests.ts';
import { d1Orders } from '../../../src/platform/d1/orders.ts';
import { administerOrders, type OrderTask, readOrderTask } from '../../../src/publish/administer-orders.ts';
import { AGENT, checkoutDependenciesFor, paidMessage, refundedMessage, requestOf, writeFacts } from '../../support/orders.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../../support/simulated/database.ts';
import { SimulatedTime } from '../../support/simulated/time.ts';

const NOW = Date.UTC(2027, 0, 1, 10, 20);
const MINUTE = 60_000;
const INVOICE = `inv_${'ab'.repeat(16)}`;
/** What a terminal would obey. */
const HOSTILE = 'Eve\u001b[2J\u202e"x"';

let database: SimulatedDatabase;
beforeEach(() => {
  database = simulatedDatabase(new SimulatedTime(NOW));
});
afterEach(() => database.close());

function setUp() {
  const given = checkoutDependenciesFor(undefined as never, { nowMs: NOW });
  return { ...given, store: d1Orders(database.binding(), given.randomness) };
}

/** A session over two reviews, opened by somebody with a hostile name. */
async function session(deps: ReturnType<typeof setUp>): Promise<string> {
  const content = { items: [{ id: 'review', quantity: 1, pointer: '' }], buyer: { name: HOSTILE, email: 'eve@buyer.example' } };
  const answer = await createSession(requestOf('create', undefined), content, AGENT, writeFacts, deps);
  if (!answer.ok) throw new Error(answer.refusal.detail);
  return (JSON.parse(answer.value.body) as { id: string }).id;
}

async function order(deps: ReturnType<typeof setUp>): Promise<{ id: string; sessionId: string; receipt: string }> {
  const sessionId = await session(deps);
  await takeProcessorEvent(paidMessage(sessionId, 24_000), deps);
  const [row] = database.look('SELECT id, receipt FROM orders WHERE session_id = ?', sessionId);
  return { id: String(row?.['id']), receipt: String(row?.['receipt']), sessionId };
}

async function run(task: OrderTask, nowMs = NOW): Promise<string> {
  const lines = await administerOrders(task, database.binding() as Database, nowMs, async () => ['retried']);
  return lines.join('\n');
}

describe('readOrderTask', () => {
  it.each([
    [['list'], { name: 'list', limit: 50 }],
    [['show', 'ord_1'], { name: 'show', id: 'ord_1' }],
    [['refund', 'ord_1'], { name: 'refund', id: 'ord_1', amountMinor: undefined }],
    [['refund', 'ord_1', '19.50'], { name: 'refund', id: 'ord_1', amountMinor: 1_950 }],
    [['refund', 'ord_1', '$120'], { name: 'refund', id: 'ord_1', amountMinor: 12_000 }],
    [['retry'], { name: 'retry' }],
    [['notices'], { name: 'notices', limit: 50 }],
    [['invoices'], { name: 'invoices', limit: 50 }],
    [['invoice', INVOICE, 'answered'], { name: 'invoice', receipt: INVOICE, state: 'answered' }],
    [['counts'], { name: 'counts', limit: 50 }],
  ])('reads %j', (words, task) => {
    expect(readOrderTask(words, undefined)).toEqual(task);
  });

  it.each([
    [],
    ['show'],
    ['lists'],
    ['list', 'x'],
    ['retry', 'x'],
    ['show', 'a', 'b'],
    ['refund', 'a', '1', '2'],
    ['refund', 'a', '0'],
    ['refund', 'a', '-1'],
    ['refund', 'a', '1.5'],
    ['refund', 'a', '1e3'],
    ['invoice', INVOICE],
    ['invoice', INVOICE, 'new'],
    ['invoice', 'inv_1', 'closed'],
  ])('refuses %j %j %j %j', (...words) => {
    expect(() => readOrderTask(words, undefined)).toThrow(/./);
  });

  it.each(['0', 'x', '1.5', '10001', ''])('refuses --limit %s', (limit) => {
    expect(() => readOrderTask(['list'], limit)).toThrow('--limit');
  });
});

describe('npm run orders', () => {
  it('says that there is nothing', async () => {
    expect(await run({ name: 'list', limit: 5 })).toBe('there are no orders');
    expect(await run({ name: 'invoices', limit: 5 })).toBe('nobody has asked for an invoice');
    expect(await run({ name: 'counts', limit: 5 })).toBe('nothing was counted yet');
    expect(await run({ name: 'notices', limit: 5 })).toBe('every notice was taken');
    expect(await run({ name: 'retry' })).toBe('retried');
  });

  it('lists orders and shows one by any of its names, with what buyers wrote made harmless', async () => {
    const deps = setUp();
    const { id, sessionId, receipt } = await order(deps);
    expect(await run({ name: 'list', limit: 5 })).toBe(`${id}  2027-01-01 10:20Z  $240  acp  review  "eve@buyer.example"  demo`);
    const shown = await run({ name: 'show', id });
    expect(shown).toContain('  name      "Eve\\u001b[2J<U+202E>\\"x\\""');
    expect(shown).toContain('order_created');
    expect(shown).not.toMatch(/[\u001b\u202e]/);
    for (const name of [receipt, sessionId, `pi_${sessionId}`]) expect(await run({ name: 'show', id: name })).toBe(shown);
    await expect(run({ name: 'show', id: HOSTILE })).rejects.toThrow('there is no order "Eve<U+001B>[2J<U+202E>"x""');
  });

  it('shows what needs a look: money that fits no session, and payments that never ended', async () => {
    const deps = setUp();
    const { sessionId } = await order(deps);
    await takeProcessorEvent(paidMessage(sessionId, 24_000, { id: 'evt_twice', reference: 'pi_twice' }), deps);
    await takeProcessorEvent(paidMessage('cs_none', 100, { id: 'evt_none' }), deps);
    await takeProcessorEvent(refundedMessage('pi_unknown', 100, 'evt_early'), deps);
    const stuck = await session(deps);
    database.look("UPDATE checkout_sessions SET state = 'charging' WHERE id = ?", stuck);
    expect(await run({ name: 'list', limit: 5 })).not.toContain(stuck);
    const listed = await run({ name: 'list', limit: 5 }, NOW + 2 * MINUTE);
    expect(listed).toContain('needs a look:');
    expect(listed).toMatch(/evt_twice.*paid before: give it back/);
    expect(listed).toMatch(/evt_none.*no session/);
    expect(listed).toMatch(/evt_early.*no order has this payment/);
    expect(listed).toMatch(new RegExp(`${stuck}.*under way`));
    expect(listed).not.toContain(`evt_${sessionId}`);
  });

  it('leaves a refund in peace that came before its order', async () => {
    const deps = setUp();
    const id = await session(deps);
    await takeProcessorEvent(refundedMessage(`pi_${id}`, 4_000, 'evt_early'), deps);
    expect(await run({ name: 'list', limit: 5 })).toContain('evt_early');
    await takeProcessorEvent(paidMessage(id, 24_000), deps);
    expect(await run({ name: 'list', limit: 5 })).not.toContain('evt_early');
  });

  it('notes what was given back, all of it without an amount, never more and never less than before', async () => {
    const deps = setUp();
    const { id } = await order(deps);
    expect(await run({ name: 'refund', id, amountMinor: 4_000 })).toContain(`${id}: $40 of $240 noted as given back\n`);
    expect(await run({ name: 'refund', id, amountMinor: 3_000 })).toContain('$40 of $240 were noted');
    await expect(run({ name: 'refund', id, amountMinor: 24_001 })).rejects.toThrow('cost $240');
    expect(await run({ name: 'refund', id, amountMinor: undefined })).toContain('which is all');
    expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 24_000 }]);
    expect(await run({ name: 'list', limit: 5 })).toContain('  refunded');
    expect(await run({ name: 'counts', limit: 5 })).toMatch(/2027-01-01 {2}order +1 {2}review\n2027-01-01 {2}refund +1 {2}review/);
    await expect(run({ name: 'refund', id: 'ord_none', amountMinor: undefined })).rejects.toThrow('there is no order');
  });

  it('lists, shows and answers requests for invoices', async () => {
    await d1InvoiceRequests(database.binding()).keep({
      receipt: INVOICE,
      items: [{ offerId: 'review', name: 'Offer review', unitMinor: 24_000, quantity: 2 }],
      totalMinor: 48_000,
      name: HOSTILE,
      email: 'eve@buyer.example',
      company: undefined,
      address: 'Street 1\n\u001b[31mTown',
      taxId: undefined,
      note: undefined,
      state: 'new',
      createdAtMs: NOW,
      updatedAtMs: NOW,
    });
    expect(await run({ name: 'invoices', limit: 5 })).toBe(`${INVOICE}  2027-01-01 10:20Z  new       $480  2 review  "eve@buyer.example"`);
    expect(await run({ name: 'list', limit: 5 })).toContain('1 requests for invoices wait');
    const shown = await run({ name: 'show', id: INVOICE });
    expect(shown).toContain('  | Street 1\n  | <U+001B>[31mTown');
    expect(await run({ name: 'invoice', receipt: INVOICE, state: 'answered' }, NOW + MINUTE)).toContain('answered');
    expect(await run({ name: 'list', limit: 5 })).toBe('there are no orders');
    await expect(run({ name: 'invoice', receipt: `inv_${'0'.repeat(32)}`, state: 'closed' })).rejects.toThrow('nobody has asked');
  });

  it('tells of notices that were given up', async () => {
    database.look(
      "INSERT INTO order_notices (order_id, url, kind, state, attempts, due_at_ms, fault, created_at_ms) VALUES ('ord_1', 'https://shop.example/x', 'order_create', 'given_up', 12, 1, 'HTTP 500', 1)",
    );
    expect(await run({ name: 'list', limit: 5 })).toContain('1 notices of orders were given up');
    expect(await run({ name: 'notices', limit: 5 })).toBe(
      'ord_1  order_create  given up after 12 attempts  "https://shop.example/x"  HTTP 500',
    );
  });
});
