import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ordersCommand } from '../../../../src/cli/commands/orders.ts';
import { administerOrders, type OrderTask } from '../../../../src/cli/orders/administer-orders.ts';
import { handlePaymentEvent } from '../../../../src/gateway/commerce/orders/handle-payment-event.ts';
import { agentOfOrder } from '../../../../src/gateway/commerce/orders/order-key.ts';
import type { InvoiceRequestRecord } from '../../../../src/gateway/commerce/orders/request-invoice.ts';
import { createSession } from '../../../../src/gateway/commerce/sessions/checkout-sessions.ts';
import type { Database } from '../../../../src/platform/d1/database.ts';
import { d1InvoiceRequests } from '../../../../src/platform/d1/invoice-requests.ts';
import { d1Orders } from '../../../../src/platform/d1/orders.ts';
import { paymentClaims } from '../../../../src/platform/d1/payment-claims.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { AGENT, checkoutDependenciesFor, paidEvent, refundedEvent, requestOf, writeFacts } from '../../../support/orders.ts';
import { testAuthorization } from '../../../support/payments.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../../../support/simulated/database.ts';
import { SimulatedTime } from '../../../support/simulated/time.ts';

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
  const content = { items: [{ id: 'review', quantity: 1, pointer: '' }], buyer: { full_name: HOSTILE, email: 'eve@buyer.example' } };
  const answer = await createSession(requestOf('create', undefined), content, AGENT, writeFacts, deps);
  if (!answer.ok) throw new Error(answer.refusal.detail);
  return (JSON.parse(answer.value.body) as { id: string }).id;
}

async function order(deps: ReturnType<typeof setUp>): Promise<{ id: string; sessionId: string; receipt: string }> {
  const sessionId = await session(deps);
  await handlePaymentEvent(paidEvent(sessionId, 24_000), deps);
  const [row] = database.look('SELECT id, receipt FROM orders WHERE session_id = ?', sessionId);
  return { id: String(row?.['id']), receipt: String(row?.['receipt']), sessionId };
}

function invoiceRequest(receipt: string): InvoiceRequestRecord {
  return {
    receipt,
    items: [{ offerId: 'review', name: 'Offer review', unitMinor: 24_000, quantity: 2 }],
    currency: 'USD',
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
  };
}

async function run(task: OrderTask, nowMs = NOW): Promise<string> {
  const lines = await administerOrders(task, database.binding() as Database, nowMs, async () => ['retried']);
  return lines.join('\n');
}

/** The task that a command line stands for, and on which database; or why it is refused. */
async function parse(...words: string[]): Promise<unknown> {
  let parsed: unknown;
  const command = ordersCommand(async (task, place) => {
    parsed = [task, place];
  });
  for (const one of [command, ...command.commands]) one.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} });
  try {
    await command.parseAsync(words, { from: 'user' });
  } catch (error) {
    return (error as Error).message;
  }
  return parsed;
}

describe('ordersCommand()', () => {
  it.each([
    [['list'], { name: 'list', limit: 50 }],
    [['show', 'ord_1'], { name: 'show', id: 'ord_1' }],
    [['refund', 'ord_1'], { name: 'refund', id: 'ord_1', amount: undefined }],
    [['refund', 'ord_1', '19.50'], { name: 'refund', id: 'ord_1', amount: '19.50' }],
    [['done', 'evt_1'], { name: 'done', id: 'evt_1' }],
    [['retry'], { name: 'retry' }],
    [['notices'], { name: 'notices', limit: 50 }],
    [['invoices'], { name: 'invoices', limit: 50 }],
    [['invoice', INVOICE, 'answered'], { name: 'invoice', receipt: INVOICE, state: 'answered' }],
    [['counts', '--limit', '3'], { name: 'counts', limit: 3 }],
    [['payment', 'pay_1', 'unpaid'], { name: 'payment', id: 'pay_1', verdict: { state: 'unpaid' } }],
    [
      ['payment', 'pay_1', 'settled', `0x${'AB'.repeat(32)}`],
      { name: 'payment', id: 'pay_1', verdict: { state: 'settled', transaction: `0x${'ab'.repeat(32)}` } },
    ],
  ])('parses %j', async (words, task) => {
    expect(await parse(...words)).toEqual([task, 'local']);
    expect(await parse(...words, '--remote')).toEqual([task, 'remote']);
  });

  it.each<[readonly string[], string]>([
    [['lists'], "unknown command 'lists'"],
    [['show'], "missing required argument 'id'"],
    [['show', 'a', 'b'], 'too many arguments'],
    [['list', 'x'], 'too many arguments'],
    [['refund', 'a', '1', '2'], 'too many arguments'],
    [['invoice', INVOICE, 'new'], 'Allowed choices are answered, closed'],
    [['invoice', 'inv_1', 'closed'], 'The receipt of an invoice request looks like'],
    [['payment', 'pay_1', 'settled'], '"settled" needs a transaction'],
    [['payment', 'pay_1', 'unpaid', `0x${'ab'.repeat(32)}`], '"unpaid" has none'],
    [['payment', 'pay_1', 'settled', '0x1'], 'A transaction looks like'],
    [['list', '--all'], "unknown option '--all'"],
    ...['0', '-5', '-1.5', '1e3', '$40', '1,50', ''].map(
      (amount) => [['refund', 'a', amount], 'An amount is a positive number'] satisfies [string[], string],
    ),
    ...['0', 'x', '1.5', '10001', ''].map(
      (limit) => [['list', `--limit=${limit}`], 'whole number from 1 to 10000'] satisfies [string[], string],
    ),
  ])('refuses %j', async (words, reason) => {
    expect(await parse(...words)).toContain(reason);
  });
});

describe('npm run orders', () => {
  it('says that there is nothing', async () => {
    expect(await run({ name: 'list', limit: 5 })).toBe('there are no orders');
    expect(await run({ name: 'invoices', limit: 5 })).toBe('there are no invoice requests');
    expect(await run({ name: 'counts', limit: 5 })).toBe('nothing has been counted yet');
    expect(await run({ name: 'notices', limit: 5 })).toBe('every webhook was delivered');
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

  it('shows what needs review: money that fits no session, and payments that never ended', async () => {
    const deps = setUp();
    const { sessionId } = await order(deps);
    await handlePaymentEvent(paidEvent(sessionId, 24_000, { id: 'evt_twice', reference: 'pi_twice' }), deps);
    await handlePaymentEvent(paidEvent('cs_none', 100, { id: 'evt_none' }), deps);
    await handlePaymentEvent(refundedEvent('pi_unknown', 100, 'evt_early'), deps);
    const stuck = await session(deps);
    database.look("UPDATE checkout_sessions SET state = 'charging' WHERE id = ?", stuck);
    expect(await run({ name: 'list', limit: 5 })).not.toContain(stuck);
    const listed = await run({ name: 'list', limit: 5 }, NOW + 2 * MINUTE);
    expect(listed).toContain('needs review:');
    expect(listed).toMatch(/evt_twice.*\$240 was paid for a session that is already paid/);
    expect(listed).toMatch(/evt_none.*no session/);
    expect(listed).toMatch(/evt_early.*no order has this payment/);
    expect(listed).toMatch(new RegExp(`${stuck}.*\\$240 was being paid.*find it at Stripe`));
    expect(listed).not.toContain(`evt_${sessionId}`);
  });

  it('says below every list how many it leaves out', async () => {
    const deps = setUp();
    for (let made = 0; made < 3; made += 1) {
      const { sessionId } = await order(deps);
      await handlePaymentEvent(paidEvent(sessionId, 24_000, { id: `evt_${made}`, reference: `pi_${made}` }), deps);
      database.look("UPDATE checkout_sessions SET state = 'charging' WHERE id = ?", await session(deps));
      await d1InvoiceRequests(database.binding()).save(invoiceRequest(`inv_${String(made).repeat(32)}`));
      database.look(
        "INSERT INTO order_notices (order_id, url, kind, state, attempts, due_at_ms, created_at_ms) VALUES ('ord_1', 'https://shop.example/x', 'order_create', 'due', 1, 1, 1)",
      );
      database.look("INSERT INTO commerce_counts (day, event, offer_id, count) VALUES ('2026-12-31', 'order', ?, 1)", `offer-${made}`);
    }
    const more = (left: number, task: string): string => `and ${left} more: npm run orders -- ${task} --limit 1000`;
    const later = NOW + 2 * MINUTE;
    const listed = (await run({ name: 'list', limit: 2 }, later)).split('\n');
    expect(listed.filter((line) => line.includes('more'))).toEqual([more(1, 'list'), `  ${more(1, 'list')}`, `  ${more(1, 'list')}`]);
    expect(listed.indexOf(more(1, 'list'))).toBe(2);
    expect(await run({ name: 'list', limit: 3 }, later)).not.toContain('more');
    for (const name of ['invoices', 'notices'] as const) {
      expect((await run({ name, limit: 1 })).split('\n').slice(1)).toEqual([more(2, name)]);
      expect(await run({ name, limit: 3 })).not.toContain('more');
    }
    expect((await run({ name: 'counts', limit: 1 })).split('\n').slice(1)).toEqual([more(3, 'counts')]);
  });

  it('asks for nothing more where a payment that made no order was refunded', async () => {
    const deps = setUp();
    const { sessionId } = await order(deps);
    const listed = () => run({ name: 'list', limit: 9 });
    const show = (id: string) => run({ name: 'show', id });
    await handlePaymentEvent(paidEvent(sessionId, 24_000, { id: 'evt_2', reference: 'pi_B' }), deps);
    expect(await show('pi_B')).toMatch(/^no order has the payment pi_B; these events name it\nevt_2\n/);
    await handlePaymentEvent(refundedEvent('pi_B', 4_000, 'evt_part'), deps);
    expect(await listed()).toMatch(/evt_part .* \$40 was refunded, of a payment that never became an order \(evt_2\)/);
    expect(await listed()).toMatch(/evt_2 .*already paid; \$40 of it was refunded so far \(evt_part\)/);
    expect(await show('evt_part')).toContain('  to do     no order records it; npm run orders -- show evt_2 says what to do with the rest');
    expect(await show('evt_2')).toContain('  to do     refund it at Stripe\n');
    await handlePaymentEvent(refundedEvent('pi_B', 24_000, 'evt_all'), deps);
    expect(await listed()).not.toContain('needs review');
    expect(await show('evt_2')).toContain(
      '  back      $240 of it was refunded so far (evt_all, evt_part)\n  state     all of it was refunded; nothing to do',
    );
    expect(await show('evt_all')).toContain('a payment that never became an order (evt_2); nothing to do');
    await expect(run({ name: 'done', id: 'evt_2' })).rejects.toThrow('evt_2 needs no review: all of it was refunded');
    expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 0 }]);
  });

  it('says of a refund whose payment was reviewed before that no order records it', async () => {
    const deps = setUp();
    await handlePaymentEvent(paidEvent('cs_none', 24_000, { id: 'evt_2', reference: 'pi_B' }), deps);
    await run({ name: 'done', id: 'evt_2' });
    await handlePaymentEvent(refundedEvent('pi_B', 24_000, 'evt_all'), deps);
    const shown = await run({ name: 'show', id: 'evt_all' });
    expect(shown).toContain('  to do     nothing more: all of the payment was refunded, and no order records it');
    expect(shown).toContain('  then      npm run orders -- done evt_all');
    expect(shown).not.toContain('orders -- refund');
    expect(await run({ name: 'show', id: 'evt_2' })).toContain('  back      $240 of it was refunded so far (evt_all)');
    await run({ name: 'done', id: 'evt_all' });
    expect(await run({ name: 'list', limit: 5 })).toBe('there are no orders');
  });

  it('does not advise to give back a payment that made an order by another message', async () => {
    const deps = setUp();
    const id = await session(deps);
    await handlePaymentEvent(paidEvent(id, 900, { id: 'evt_A', reference: 'pi_1' }), deps);
    await handlePaymentEvent(paidEvent(id, 24_000, { id: 'evt_B', reference: 'pi_1' }), deps);
    const [row] = database.look('SELECT id FROM orders');
    const orderId = String(row?.['id']);
    const shown = await run({ name: 'show', id: 'evt_A' });
    expect(shown).toContain(`of the session; the same payment made ${orderId}\n`);
    expect(shown).toContain(`refund only what exceeds the price of ${orderId}\n`);
  });

  it('leaves a refund in peace that came before its order', async () => {
    const deps = setUp();
    const id = await session(deps);
    await handlePaymentEvent(refundedEvent(`pi_${id}`, 4_000, 'evt_early'), deps);
    expect(await run({ name: 'list', limit: 5 })).toContain('evt_early');
    await handlePaymentEvent(paidEvent(id, 24_000), deps);
    expect(await run({ name: 'list', limit: 5 })).not.toContain('evt_early');
  });

  it('shows a message that waits, and takes it from the list once it was reviewed', async () => {
    const deps = setUp();
    const { sessionId } = await order(deps);
    await handlePaymentEvent(paidEvent(sessionId, 24_000, { id: 'evt_twice', reference: 'pi_twice', currency: 'EUR' }), deps);
    await handlePaymentEvent(refundedEvent(`pi_${sessionId}`, 5_000, 'evt_yen', 'JPY'), deps);
    await handlePaymentEvent(refundedEvent('pi_unknown', 100, 'evt_early'), deps);
    expect(await run({ name: 'list', limit: 5 })).toMatch(/evt_yen .* ¥5,000 was refunded in another currency/);
    const shown = await run({ name: 'show', id: 'evt_twice' });
    expect(shown).toContain('  waits     €240 was paid for a session that is already paid\n  to do     refund it at Stripe\n');
    expect(shown).toContain('  then      npm run orders -- done evt_twice');
    for (const [index, id] of ['evt_twice', 'evt_yen', 'evt_early'].entries()) {
      expect(await run({ name: 'done', id })).toBe(`${id} is marked as reviewed and no longer listed`);
      expect(await run({ name: 'done', id }, NOW + MINUTE)).toBe(`${id} was reviewed before, 2027-01-01 10:20Z; nothing was changed`);
      expect(await run({ name: 'list', limit: 5 })).not.toContain(id);
      expect(await run({ name: 'show', id })).toContain('  state     reviewed 2027-01-01 10:20Z');
      expect(database.look("SELECT detail FROM order_log WHERE kind = 'message_looked_at'")).toHaveLength(index + 1);
    }
    expect(await run({ name: 'show', id: sessionId })).toContain('message_looked_at  {"message":"evt_yen","reason":"currency_differs"}');
    expect(await run({ name: 'show', id: 'evt_early' })).toContain('message_looked_at');
    await expect(run({ name: 'done', id: `evt_${sessionId}` })).rejects.toThrow('needs no review: it was applied');
    for (const name of ['show', 'done'] as const)
      await expect(run({ name, id: 'evt_none' })).rejects.toThrow('there is no payment event "evt_none"');
  });

  it('counts a refund that was reviewed before its order came', async () => {
    const deps = setUp();
    const id = await session(deps);
    await handlePaymentEvent(refundedEvent(`pi_${id}`, 24_000, 'evt_early'), deps);
    await run({ name: 'done', id: 'evt_early' });
    await handlePaymentEvent(paidEvent(id, 24_000), deps);
    expect(await run({ name: 'list', limit: 5 })).toContain('  refunded');
    expect(await run({ name: 'counts', limit: 5 })).toContain('refund');
  });

  it('says what to do with a payment that never ended, and opens its session again when somebody has looked', async () => {
    const deps = setUp();
    const id = await session(deps);
    expect(await run({ name: 'show', id })).toMatch(new RegExp(`^${id} {2}open\n`));
    database.look("UPDATE checkout_sessions SET state = 'charging' WHERE id = ?", id);
    await expect(run({ name: 'done', id })).rejects.toThrow('began less than a minute ago');
    const later = NOW + 2 * MINUTE;
    const shown = await run({ name: 'show', id }, later);
    expect(shown).toContain('a payment began 2027-01-01 10:20Z, and its outcome is unknown');
    expect(shown).toContain(`npm run orders -- done ${id}`);
    expect(await run({ name: 'done', id }, later)).toContain('is recorded as not made');
    expect(await run({ name: 'done', id }, later)).toContain('no payment is under way; nothing was changed');
    expect(await run({ name: 'list', limit: 5 }, later)).toBe('there are no orders');
    expect(await run({ name: 'show', id }, later)).toContain('payment_declined  {"reason":"given_up_by_publisher"}');
    await handlePaymentEvent(paidEvent(id, 24_000), deps);
    await expect(run({ name: 'done', id }, later)).rejects.toThrow('it is paid, and its order is ord_');
    await expect(run({ name: 'done', id: 'cs_none' })).rejects.toThrow('there is no payment event and no session "cs_none"');
  });

  it('records the running total of refunds, so that recording it twice counts once', async () => {
    const deps = setUp();
    const { id } = await order(deps);
    const refund = (amount?: string) => run({ name: 'refund', id, amount });
    expect(await refund('40')).toContain(`${id}: $40 of $240 recorded as refunded in total; before it was $0\nWhat it delivers stays`);
    for (const amount of ['40', '30', '30.00'])
      await expect(refund(amount)).rejects.toThrow(`${id}: nothing was changed. $40 of $240 is recorded as refunded already`);
    await expect(refund('30')).rejects.toThrow(`If $30 more was refunded, the total is $70: npm run orders -- refund ${id} 70`);
    await expect(refund('1.500')).rejects.toThrow('"1.500" is no amount in USD, such as 19.50');
    expect(await refund('40.5')).toContain(`${id}: $40.50 of $240 recorded as refunded in total`);
    await expect(refund('240.01')).rejects.toThrow('cost $240');
    expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 4_050 }]);
    const all = await refund();
    expect(all).toContain('$240 of $240 recorded as refunded in total; before it was $40.50\nThat is the whole price: its page delivers');
    expect(all).toContain(`everything else within ${LIMITS.revocationMaxSeconds} seconds`);
    expect(database.look('SELECT agent FROM revocations')).toEqual([{ agent: await agentOfOrder({ id }) }]);
    await expect(refund()).rejects.toThrow('Its whole price, $240, is recorded as refunded already');
    expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 24_000 }]);
    expect(await run({ name: 'list', limit: 5 })).toContain('  refunded');
    expect(await run({ name: 'counts', limit: 5 })).toMatch(/2027-01-01 {2}order +1 {2}review\n2027-01-01 {2}refund +1 {2}review/);
    await expect(run({ name: 'refund', id: 'ord_none', amount: undefined })).rejects.toThrow('there is no order');
  });

  it('shows every amount in the currency that it is in', async () => {
    const deps = setUp();
    const { id } = await order(deps);
    const [row] = database.look('SELECT content FROM orders');
    database.look('UPDATE orders SET content = ?', JSON.stringify({ ...JSON.parse(String(row?.['content'])), currency: 'JPY' }));
    expect(await run({ name: 'list', limit: 5 })).toContain('  ¥24,000  ');
    expect(await run({ name: 'refund', id, amount: '4000' })).toContain('¥4,000 of ¥24,000 recorded');
    await expect(run({ name: 'refund', id, amount: '4000.50' })).rejects.toThrow('is no amount in JPY, such as 1950');
    expect(await run({ name: 'show', id })).toContain('  total     ¥24,000, of which ¥4,000 refunded');
  });

  it('lists, shows and answers requests for invoices', async () => {
    await d1InvoiceRequests(database.binding()).save(invoiceRequest(INVOICE));
    expect(await run({ name: 'invoices', limit: 5 })).toBe(`${INVOICE}  2027-01-01 10:20Z  new       $480  2 review  "eve@buyer.example"`);
    expect(await run({ name: 'list', limit: 5 })).toContain('1 invoice request is waiting');
    const shown = await run({ name: 'show', id: INVOICE });
    expect(shown).toContain('  | Street 1\n  | <U+001B>[31mTown');
    expect(await run({ name: 'invoice', receipt: INVOICE, state: 'answered' }, NOW + MINUTE)).toContain('answered');
    expect(await run({ name: 'list', limit: 5 })).toBe('there are no orders');
    const again = (state: 'answered' | 'closed') => run({ name: 'invoice', receipt: INVOICE, state }, NOW + 2 * MINUTE);
    expect(await again('answered')).toBe(`${INVOICE} was answered before, 2027-01-01 10:21Z; nothing was changed`);
    expect(await again('closed')).toContain('closed');
    expect(await again('closed')).toBe(`${INVOICE} was closed before, 2027-01-01 10:22Z; nothing was changed`);
    await expect(again('answered')).rejects.toThrow(`${INVOICE} was closed before, 2027-01-01 10:22Z; nothing was changed`);
    expect(await run({ name: 'show', id: INVOICE })).toContain(`${INVOICE}  closed`);
    await expect(run({ name: 'invoice', receipt: `inv_${'0'.repeat(32)}`, state: 'closed' })).rejects.toThrow(
      'there is no invoice request',
    );
  });

  it('tells of webhooks that were given up', async () => {
    database.look(
      "INSERT INTO order_notices (order_id, url, kind, state, attempts, due_at_ms, fault, created_at_ms) VALUES ('ord_1', 'https://shop.example/x', 'order_create', 'given_up', 12, 1, 'HTTP 500', 1)",
    );
    expect(await run({ name: 'list', limit: 5 })).toContain('1 webhook was given up');
    expect(await run({ name: 'notices', limit: 5 })).toBe(
      'ord_1  order_create  given up after 12 attempts  "https://shop.example/x"  HTTP 500',
    );
  });

  describe('payments for capsules', () => {
    const TX = `0x${'5e'.repeat(32)}`;
    const PAYMENT = {
      network: 'eip155:84532',
      asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
      payer: '0x1111111111111111111111111111111111111111',
      nonce: `0x${'07'.repeat(32)}`,
      identifier: undefined,
      resource: 'https://sold.example/one',
      capsuleId: 'one-thing',
      version: '1.0.0',
      amount: '50000',
      payTo: '0x000000000000000000000000000000000000dead',
      fingerprint: 'ab'.repeat(32),
      isSecret: false,
      signed: JSON.stringify(testAuthorization(NOW)),
    };
    const ID = `pay_${'ab'.repeat(16)}`;
    const claims = () => paymentClaims(database.binding());
    const begin = async (more: Partial<typeof PAYMENT> = {}) => claims().claim({ ...PAYMENT, ...more }, NOW, NOW + MINUTE);

    it('lists those whose outcome nobody can find out, and those that nobody asked about any more', async () => {
      await begin();
      expect(await run({ name: 'list', limit: 10 }, NOW + 5 * MINUTE)).toBe('there are no orders');
      const line = `  ${ID}  2027-01-01 10:20Z  0.05 USDC for one-thing may have been paid by ${PAYMENT.payer}: look it up on the network`;
      expect(await run({ name: 'list', limit: 10 }, NOW + 7 * MINUTE)).toContain(`says what to do)\n${line}`);
      await claims().unsettled(PAYMENT, 1, { state: 'unresolved' }, NOW);
      expect(await run({ name: 'list', limit: 10 }, NOW)).toContain(line);
      await begin({ nonce: '0x2', fingerprint: 'cd'.repeat(32) });
      expect(await run({ name: 'list', limit: 1 }, NOW + 7 * MINUTE)).toContain('  and 1 more: npm run orders -- list --limit 1000');
    });

    it('shows how to find out what became of one, and the transaction that the facilitator named', async () => {
      await begin();
      await claims().unsettled(PAYMENT, 1, { state: 'unresolved', transaction: TX }, NOW);
      const shown = await run({ name: 'show', id: ID });
      for (const part of [
        `${ID}  unresolved`,
        '0.05 USDC on Base Sepolia',
        PAYMENT.nonce,
        `${TX}, named by the facilitator and not confirmed`,
        `npm run orders -- payment ${ID} settled <transaction>`,
        'although 2027-01-01 10:25Z is past',
        `npm run orders -- payment ${ID} unpaid`,
      ])
        expect(shown).toContain(part);
    });

    it('notes one as settled once, and lets no later word change it', async () => {
      await begin();
      await claims().unsettled(PAYMENT, 1, { state: 'unresolved' }, NOW);
      const settled = { name: 'payment', id: ID, verdict: { state: 'settled', transaction: TX } } as const;
      expect(await run(settled)).toContain('is noted as settled');
      expect(await claims().find(PAYMENT, undefined)).toMatchObject({
        state: 'settled',
        transaction: TX,
        settledAtMs: NOW,
        reviewedAtMs: NOW,
      });
      expect(await run(settled)).toContain('nothing was changed');
      await expect(run({ name: 'payment', id: ID, verdict: { state: 'unpaid' } })).rejects.toThrow(
        `settled by ${TX} before; nothing was changed`,
      );
      expect(await run({ name: 'show', id: ID })).not.toContain('to do');
      expect(await run({ name: 'list', limit: 10 }, NOW + 7 * MINUTE)).toBe('there are no orders');
    });

    it('notes one as unpaid, and leaves one alone that a request is settling', async () => {
      await begin();
      const unpaid = { name: 'payment', id: ID, verdict: { state: 'unpaid' } } as const;
      await expect(run(unpaid)).rejects.toThrow('is being settled by a request at the moment');
      expect(await run(unpaid, NOW + 2 * MINUTE)).toContain('is noted as unpaid');
      expect(await claims().find(PAYMENT, undefined)).toMatchObject({ state: 'failed', transaction: '' });
      await expect(run({ name: 'show', id: `pay_${'0'.repeat(32)}` })).rejects.toThrow('there is no payment');
    });
  });
});
