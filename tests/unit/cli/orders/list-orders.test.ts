import { describe, expect, it } from 'vitest';
import { nameOf } from '../../../../src/administration/describe-orders.ts';
import { insightsCommand } from '../../../../src/cli/commands/insights.ts';
import { ordersCommand } from '../../../../src/cli/commands/orders.ts';
import type { InvoiceRequestRecord } from '../../../../src/gateway/commerce/orders/order-ports.ts';
import { d1InvoiceRequests } from '../../../../src/platform/d1/order-store.ts';
import { paidEvent, refundedEvent } from '../../../support/orders.ts';
import { runTask } from '../../../support/run-akg.ts';
import { HOSTILE, MINUTE, NOW, useOrdersDatabase } from './orders-database.ts';

const { database, handle, order, run, session } = useOrdersDatabase();
const INVOICE = `inv_${'ab'.repeat(16)}`;

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

describe('ordersCommand()', () => {
  it('uses the local database, or with --remote that at Cloudflare', async () => {
    const places: string[] = [];
    for (const words of [['counts'], ['counts', '--remote']])
      await ordersCommand(async (_task, place) => void places.push(place)).parseAsync(words, { from: 'user' });
    expect(places).toEqual(['local', 'remote']);
  });

  it.each([
    ['lists', "unknown command 'lists'"],
    ['show', "missing required argument 'id'"],
    ['show a b', 'too many arguments'],
    ['list x', 'too many arguments'],
    ['refund a 1 2', 'too many arguments'],
    [`invoice ${INVOICE} new`, 'Allowed choices are answered, closed'],
    ['invoice inv_1 closed', 'A receipt is inv_ (invoice request)'],
    ['payment pay_1 settled', '"settled" needs a transaction'],
    [`payment pay_1 unpaid 0x${'ab'.repeat(32)}`, '"unpaid" has none'],
    ['payment pay_1 settled 0x1', 'A transaction looks like'],
    ['list --all', "unknown option '--all'"],
    ...['0', '-5', '-1.5', '1e3', '$40', '1,50', ''].map(
      (amount) => [`refund a ${amount}`, 'An amount is a positive number'] satisfies [string, string],
    ),
    ...['0', 'x', '1.5', '10001', ''].map((limit) => [`list --limit=${limit}`, 'whole number from 1 to 10000'] satisfies [string, string]),
  ])('refuses %j', (line, reason) => expect(run(line)).rejects.toThrow(reason));
});

describe('npm run orders', () => {
  it('prints a sentence for an empty list', async () => {
    expect(await run('list')).toBe('there are no orders');
    expect(await run('invoices')).toBe('there are no invoice requests and no messages');
    expect(await run('counts')).toBe('nothing has been counted yet');
    expect(await run('notices')).toBe('every webhook was delivered');
  });

  it('lists orders and shows one by any of its ids, with text of buyers escaped', async () => {
    const { id, sessionId, receipt } = await order();
    expect(await run('list')).toBe(`${id}  2027-01-01 10:20Z  $240  acp  review  "eve@buyer.example"  demo`);
    const shown = await run(`show ${id}`);
    expect(shown).toContain('  name      "Eve\\u001b[2J<U+202E>\\"x\\""');
    expect(shown).toContain('order_created');
    expect(shown).not.toMatch(/[\u001b\u202e]/);
    for (const name of [receipt, sessionId, `pi_${sessionId}`]) expect(await run(`show ${name}`)).toBe(shown);
    await expect(run(`show ${HOSTILE}`)).rejects.toThrow('there is no order "Eve<U+001B>[2J<U+202E>"x""');
  });

  it('lists what needs review: unmatched payment events and payments that did not complete', async () => {
    const { sessionId } = await order();
    await handle(paidEvent(sessionId, 24_000, { id: 'evt_twice', reference: 'pi_twice' }));
    await handle(paidEvent('cs_none', 100, { id: 'evt_none' }));
    await handle(refundedEvent('pi_unknown', 100, 'evt_early'));
    const stuck = await session();
    database.look("UPDATE checkout_sessions SET state = 'charging' WHERE id = ?", stuck);
    expect(await run('list')).not.toContain(stuck);
    const listed = await run('list', NOW + 2 * MINUTE);
    expect(listed).toContain('needs review:');
    expect(listed).toMatch(/evt_twice.*\$240 was paid for a session that is already paid/);
    expect(listed).toMatch(/evt_none.*no session/);
    expect(listed).toMatch(/evt_early.*no order has this payment/);
    expect(listed).toMatch(new RegExp(`${stuck}.*payment of \\$240 began.*find it at Stripe`));
    expect(listed).not.toContain(`evt_${sessionId}`);
  });

  it('says below every truncated list how many more there are', async () => {
    for (let made = 0; made < 3; made += 1) {
      const { sessionId } = await order();
      await handle(paidEvent(sessionId, 24_000, { id: `evt_${made}`, reference: `pi_${made}` }));
      database.look("UPDATE checkout_sessions SET state = 'charging' WHERE id = ?", await session());
      await d1InvoiceRequests(database.binding()).save(invoiceRequest(`inv_${String(made).repeat(32)}`));
      database.look(
        "INSERT INTO order_notices (order_id, url, kind, state, attempts, due_at_ms, created_at_ms) VALUES ('ord_1', 'https://shop.example/x', 'order_create', 'due', 1, 1, 1)",
      );
      database.look("INSERT INTO commerce_counts (day, event, offer_id, count) VALUES ('2026-12-31', 'order', ?, 1)", `offer-${made}`);
    }
    const more = (left: number, task: string): string => `and ${left} more: npm run orders -- ${task} --limit 1000`;
    const later = NOW + 2 * MINUTE;
    const listed = (await run('list --limit 2', later)).split('\n');
    expect(listed.filter((line) => line.includes('more'))).toEqual([more(1, 'list'), `  ${more(1, 'list')}`, `  ${more(1, 'list')}`]);
    expect(listed.indexOf(more(1, 'list'))).toBe(2);
    expect(await run('list --limit 3', later)).not.toContain('more');
    for (const name of ['invoices', 'notices'] as const) {
      expect((await run(`${name} --limit 1`)).split('\n').slice(1)).toEqual([more(2, name)]);
      expect(await run(name)).not.toContain('more');
    }
    expect((await run('counts --limit 1')).split('\n').slice(1)).toEqual([more(3, 'counts')]);
  });

  it('lists, shows and marks messages with them', async () => {
    const receipt = `msg_${'7'.repeat(32)}`;
    await d1InvoiceRequests(database.binding()).save({ ...invoiceRequest(receipt), items: [], totalMinor: 0, note: 'Line 1\nLine 2' });
    expect(await run('invoices')).toBe(`${receipt}  2027-01-01 10:20Z  new       a message  "eve@buyer.example"`);
    const shown = await run(`show ${receipt}`);
    expect(shown).toContain('  message\n  | Line 1\n  | Line 2');
    expect(shown).not.toContain('total');
    expect(await run(`invoice ${receipt} answered`, NOW + MINUTE)).toContain('answered');
  });

  it('lists, shows and marks invoice requests', async () => {
    await d1InvoiceRequests(database.binding()).save(invoiceRequest(INVOICE));
    expect(await run('invoices')).toBe(`${INVOICE}  2027-01-01 10:20Z  new       $480  2 review  "eve@buyer.example"`);
    expect(await run('list')).toContain('1 invoice request or message is waiting');
    expect(await run(`show ${INVOICE}`)).toContain('  | Street 1\n  | <U+001B>[31mTown');
    expect(await run(`invoice ${INVOICE} answered`, NOW + MINUTE)).toContain('answered');
    expect(await run('list')).toBe('there are no orders');
    const again = (state: 'answered' | 'closed') => run(`invoice ${INVOICE} ${state}`, NOW + 2 * MINUTE);
    expect(await again('answered')).toBe(`${INVOICE} was answered before, 2027-01-01 10:21Z; nothing was changed`);
    expect(await again('closed')).toContain('closed');
    expect(await again('closed')).toBe(`${INVOICE} was closed before, 2027-01-01 10:22Z; nothing was changed`);
    await expect(again('answered')).rejects.toThrow(`${INVOICE} was closed before, 2027-01-01 10:22Z; nothing was changed`);
    expect(await run(`show ${INVOICE}`)).toContain(`${INVOICE}  closed`);
    await expect(run(`invoice inv_${'0'.repeat(32)} closed`)).rejects.toThrow('there is no invoice request');
  });

  it('says which texts were sold in which way, and what is left of credit', async () => {
    const { id } = await order();
    const pass = (opens: string, credit: number | null, paidAtMs: number | null): unknown =>
      database.look('INSERT INTO passes VALUES (?, ?, ?, NULL, ?, ?)', id, opens, 'a'.repeat(16), credit, paidAtMs);
    for (const opens of ['all', 'capsule:oil', 'tag:tools']) pass(opens, null, null);
    pass('credit', 500, null);
    pass('capsule:chain', -120, NOW);
    for (const [nonce, network, identifier, isSecret] of [
      ['1', 'eip155:8453', null, 0],
      ['2', 'eip155:8453', 'mine', 1],
      ['3', 'eip155:8453', null, 1],
      ['4', 'stripe', null, 1],
    ] as const)
      database.look(
        "INSERT INTO payments VALUES (?, 'usd', '', ?, ?, '/', 'oil', '1.0.0', '100', '', ?, ?, '{}', 'settled', 1, 0, '', ?, ?, NULL)",
        ...[network, nonce, identifier, nonce, isSecret, NOW, NOW],
      );
    expect(await run('list')).toMatch(
      / {2}3\.80 USD of the credit left {2}demo\n\nTexts sold: 2 by x402, 1 by MPP evm, 1 by MPP stripe\.\nTexts of demonstrations, for nothing: 1 by checkout, 2 by pass, 1 by credit\.\nCredit of demonstrations, for nothing: 5\.00 USD given, 1\.20 USD spent, 3\.80 USD left\.$/,
    );
    expect(await run('counts')).toContain('1  all (demo) by pass');
    database.look("INSERT INTO insights (day_ms, kind, name, count) VALUES (?, 'request', 'page|browsers|200', 1)", NOW);
    expect(await runTask(insightsCommand, '--days 7', database.binding(), { nowMs: NOW })).toContain('All paid capsules (demo)');
    // What the demonstration of payments settled.
    database.look("UPDATE payments SET tx = 'pi_demo_1' WHERE nonce = '4'");
    database.look("UPDATE payments SET tx = '0x64656d6f6e7374726174696f6e01' WHERE nonce = '1'");
    expect(await run('list')).toMatch(
      /Texts sold: 1 by x402, 1 by MPP evm\.\nTexts of demonstrations, for nothing: 1 by x402, 1 by MPP stripe, 1 by checkout,/,
    );
    database.look("UPDATE payments SET tx = ''");
    // An order with a line that is sold is none.
    database.look(
      "UPDATE orders SET content = json_insert(content, '$.lines[#]', json_set(content -> '$.lines[0]', '$.demo', json('false')))",
    );
    expect(await run('list')).toMatch(
      /Texts sold: 2 by x402, 1 by MPP evm, 1 by MPP stripe, 1 by checkout, 2 by pass, 1 by credit\.\nCredit: 5\.00 USD sold,/,
    );
    database.look("UPDATE orders SET content = json_set(content, '$.lines[0].demo', json('false'))");
    expect(await run('counts')).toMatch(
      /2027-01-01 {2}text {12}1 {2}all by pass\n2027-01-01 {2}text {12}1 {2}chain by credit\n[\s\S]* {8}2 {2}oil by x402\n/,
    );
    // Half of it was refunded: 2.50 USD are left of it, less what was spent.
    database.look('UPDATE orders SET refunded_minor = total_minor / 2');
    expect(await run('list')).toContain('Credit: 5.00 USD sold, 1.20 USD spent, 1.30 USD left.');
    database.look('UPDATE orders SET withdrawn_at_ms = 1');
    expect(await run('list')).toMatch(/refunded\n\n.*by credit\.\nCredit: 5\.00 USD sold, 1\.20 USD spent, 0\.00 USD left\.$/);
    const report = await runTask(insightsCommand, '--days 7 --json', database.binding(), { nowMs: NOW });
    expect(JSON.parse(report)).toMatchObject({ counts: expect.arrayContaining([{ kind: 'text', name: 'tag:tools by pass', count: 1 }]) });
  });

  it('lists webhooks that were given up', async () => {
    database.look(
      "INSERT INTO order_notices (order_id, url, kind, state, attempts, due_at_ms, fault, created_at_ms) VALUES ('ord_1', 'https://shop.example/x', 'order_create', 'given_up', 12, 1, 'HTTP 500', 1)",
    );
    expect(await run('list')).toContain('1 webhook was given up');
    expect(await run('notices')).toBe('ord_1  order_create  given up after 12 attempts  "https://shop.example/x"  HTTP 500');
  });
});

it.each([
  [{ full_name: ' Ada Lovelace ', first_name: 'A' }, 'Ada Lovelace'],
  [{ full_name: ' ', first_name: 'Ada', last_name: 'Lovelace' }, 'Ada Lovelace'],
  [{ last_name: 'Lovelace' }, 'Lovelace'],
  [{ full_name: '', first_name: '' }, undefined],
])('the name of a buyer %j is %s', (buyer, name) => expect(nameOf(buyer)).toBe(name));
