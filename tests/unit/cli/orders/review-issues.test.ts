import { describe, expect, it } from 'vitest';
import { paymentReservations } from '../../../../src/platform/d1/payment-reservations.ts';
import { paidEvent, refundedEvent } from '../../../support/orders.ts';
import { testAuthorization } from '../../../support/payments.ts';
import { MINUTE, NOW, useOrdersDatabase } from './orders-database.ts';

const { database, handle, order, run, session } = useOrdersDatabase();

describe('npm run orders -- done', () => {
  it('needs no review once a payment without an order is fully refunded', async () => {
    const { sessionId } = await order();
    const listed = () => run('list');
    const show = (id: string) => run(`show ${id}`);
    await handle(paidEvent(sessionId, 24_000, { id: 'evt_2', reference: 'pi_B' }));
    expect(await show('pi_B')).toMatch(/^no order has the payment pi_B; its events:\nevt_2\n/);
    await handle(refundedEvent('pi_B', 4_000, 'evt_part'));
    expect(await listed()).toMatch(/evt_part .* \$40 was refunded, of a payment that never became an order \(evt_2\)/);
    expect(await listed()).toMatch(/evt_2 .*already paid; \$40 of it was refunded so far \(evt_part\)/);
    expect(await show('evt_part')).toContain('  to do     no order records it; npm run orders -- show evt_2 says what to do with the rest');
    expect(await show('evt_2')).toContain('  to do     refund it at Stripe\n');
    await handle(refundedEvent('pi_B', 24_000, 'evt_all'));
    expect(await listed()).not.toContain('needs review');
    expect(await show('evt_2')).toContain(
      '  refunded  $240 of it was refunded so far (evt_all, evt_part)\n  state     all of it was refunded; nothing to do',
    );
    expect(await show('evt_all')).toContain('a payment that never became an order (evt_2); nothing to do');
    await expect(run('done evt_2')).rejects.toThrow('evt_2 needs no review: all of it was refunded');
    expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 0 }]);
  });

  it('says that no order records the refund of a payment that was reviewed before', async () => {
    await handle(paidEvent('cs_none', 24_000, { id: 'evt_2', reference: 'pi_B' }));
    await run('done evt_2');
    await handle(refundedEvent('pi_B', 24_000, 'evt_all'));
    const shown = await run('show evt_all');
    expect(shown).toContain('  to do     nothing more: the whole payment was refunded, and no order records it');
    expect(shown).toContain('  then      npm run orders -- done evt_all');
    expect(shown).not.toContain('orders -- refund');
    expect(await run('show evt_2')).toContain('  refunded  $240 of it was refunded so far (evt_all)');
    await run('done evt_all');
    expect(await run('list')).toBe('there are no orders');
  });

  it('does not advise to refund a payment whose other event made an order', async () => {
    const id = await session();
    await handle(paidEvent(id, 900, { id: 'evt_A', reference: 'pi_1' }));
    await handle(paidEvent(id, 24_000, { id: 'evt_B', reference: 'pi_1' }));
    const [row] = database.look('SELECT id FROM orders');
    const orderId = String(row?.['id']);
    const shown = await run('show evt_A');
    expect(shown).toContain(`of the session; the same payment made ${orderId}\n`);
    expect(shown).toContain(`refund only what exceeds the price of ${orderId}\n`);
  });

  it('needs no review for a refund that arrived before its order', async () => {
    const id = await session();
    await handle(refundedEvent(`pi_${id}`, 4_000, 'evt_early'));
    expect(await run('list')).toContain('evt_early');
    await handle(paidEvent(id, 24_000));
    expect(await run('list')).not.toContain('evt_early');
  });

  it('shows an event that needs review, and unlists it once reviewed', async () => {
    const { sessionId } = await order();
    await handle(paidEvent(sessionId, 24_000, { id: 'evt_twice', reference: 'pi_twice', currency: 'EUR' }));
    await handle(refundedEvent(`pi_${sessionId}`, 5_000, 'evt_yen', 'JPY'));
    await handle(refundedEvent('pi_unknown', 100, 'evt_early'));
    expect(await run('list')).toMatch(/evt_yen .* ¥5,000 was refunded, not in the currency of the order/);
    const shown = await run('show evt_twice');
    expect(shown).toContain('  problem   €240 was paid for a session that is already paid\n  to do     refund it at Stripe\n');
    expect(shown).toContain('  then      npm run orders -- done evt_twice');
    for (const [index, id] of ['evt_twice', 'evt_yen', 'evt_early'].entries()) {
      expect(await run(`done ${id}`)).toBe(`${id} is marked as reviewed and no longer listed`);
      expect(await run(`done ${id}`, NOW + MINUTE)).toBe(`${id} was reviewed before, 2027-01-01 10:20Z; nothing was changed`);
      expect(await run('list')).not.toContain(id);
      expect(await run(`show ${id}`)).toContain('  state     reviewed 2027-01-01 10:20Z');
      expect(database.look("SELECT detail FROM order_log WHERE kind = 'message_looked_at'")).toHaveLength(index + 1);
    }
    expect(await run(`show ${sessionId}`)).toContain('message_looked_at  {"message":"evt_yen","reason":"currency_differs"}');
    expect(await run('show evt_early')).toContain('message_looked_at');
    await expect(run(`done evt_${sessionId}`)).rejects.toThrow('needs no review: it was applied');
    for (const name of ['show', 'done'] as const)
      await expect(run(`${name} evt_none`)).rejects.toThrow('there is no payment event "evt_none"');
  });

  it('counts a refund that was reviewed before its order was created', async () => {
    const id = await session();
    await handle(refundedEvent(`pi_${id}`, 24_000, 'evt_early'));
    await run('done evt_early');
    await handle(paidEvent(id, 24_000));
    expect(await run('list')).toContain('  refunded');
    expect(await run('counts')).toContain('refund');
  });

  it('says what to do with a payment that did not complete, and reopens its session', async () => {
    const id = await session();
    expect(await run(`show ${id}`)).toMatch(new RegExp(`^${id} {2}open\n`));
    database.look("UPDATE checkout_sessions SET state = 'charging' WHERE id = ?", id);
    await expect(run(`done ${id}`)).rejects.toThrow('began less than a minute ago');
    const later = NOW + 2 * MINUTE;
    const shown = await run(`show ${id}`, later);
    expect(shown).toContain('a payment began 2027-01-01 10:20Z, and its outcome is unknown');
    expect(shown).toContain(`npm run orders -- done ${id}`);
    expect(await run(`done ${id}`, later)).toContain('is recorded as not made');
    expect(await run(`done ${id}`, later)).toContain('no payment is in progress; nothing was changed');
    expect(await run('list', later)).toBe('there are no orders');
    expect(await run(`show ${id}`, later)).toContain('payment_declined  {"reason":"given_up_by_publisher"}');
    await handle(paidEvent(id, 24_000));
    await expect(run(`done ${id}`, later)).rejects.toThrow('it is paid, and its order is ord_');
    await expect(run('done cs_none')).rejects.toThrow('there is no payment event or session "cs_none"');
  });
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
  const reservations = () => paymentReservations(database.binding());
  const begin = async (more: Partial<typeof PAYMENT> = {}) => reservations().reserve({ ...PAYMENT, ...more }, NOW, NOW + MINUTE);

  it('lists unresolved payments, and unsettled ones after their time has passed', async () => {
    await begin();
    expect(await run('list', NOW + 5 * MINUTE)).toBe('there are no orders');
    const line = `  ${ID}  2027-01-01 10:20Z  0.05 USDC for one-thing may have been paid by ${PAYMENT.payer}: look it up on the network`;
    expect(await run('list', NOW + 7 * MINUTE)).toContain(`says what to do)\n${line}`);
    await reservations().unsettled(PAYMENT, 1, { state: 'unresolved' }, NOW);
    expect(await run('list', NOW)).toContain(line);
    await begin({ nonce: '0x2', fingerprint: 'cd'.repeat(32) });
    expect(await run('list --limit 1', NOW + 7 * MINUTE)).toContain('  and 1 more: npm run orders -- list --limit 1000');
  });

  it('shows how to find the outcome, and the transaction that the facilitator named', async () => {
    await begin();
    await reservations().unsettled(PAYMENT, 1, { state: 'unresolved', transaction: TX }, NOW);
    const shown = await run(`show ${ID}`);
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

  it('records a payment as settled, and refuses another outcome later', async () => {
    await begin();
    await reservations().unsettled(PAYMENT, 1, { state: 'unresolved' }, NOW);
    const settled = `payment ${ID} settled ${TX.toUpperCase().replace('0X', '0x')}`;
    expect(await run(settled)).toContain('is recorded as settled');
    expect(await reservations().find(PAYMENT, undefined)).toMatchObject({
      state: 'settled',
      transaction: TX,
      settledAtMs: NOW,
      reviewedAtMs: NOW,
    });
    expect(await run(settled)).toContain('nothing was changed');
    await expect(run(`payment ${ID} unpaid`)).rejects.toThrow(`settled by ${TX} before; nothing was changed`);
    expect(await run(`show ${ID}`)).not.toContain('to do');
    expect(await run('list', NOW + 7 * MINUTE)).toBe('there are no orders\n\nTexts sold: 1 by x402.');
  });

  it('shows how to find a payment by card, and records it', async () => {
    const card = { network: 'stripe', asset: 'usd', payer: '', nonce: 'id_of_the_challenge', amount: '150', signed: '{}' };
    await begin(card);
    expect(await run('list', NOW + 7 * MINUTE)).toContain(
      `${ID}  2027-01-01 10:20Z  $1.50 for one-thing may have been paid: find it at Stripe`,
    );
    const shown = await run(`show ${ID}`);
    for (const part of ['$1.50 by card', 'names mpp_challenge_id id_of_the_challenge', `payment ${ID} settled pi_…`])
      expect(shown).toContain(part);
    expect(shown).not.toContain('block explorer');
    expect(await run(`payment ${ID} settled pi_3Abc`, NOW + 2 * MINUTE)).toContain('is recorded as settled');
    expect(await reservations().find({ ...PAYMENT, ...card }, undefined)).toMatchObject({ state: 'settled', transaction: 'pi_3Abc' });
  });

  it('records a payment as unpaid, unless a request is settling it', async () => {
    await begin();
    const unpaid = `payment ${ID} unpaid`;
    await expect(run(unpaid)).rejects.toThrow('a request is settling');
    expect(await run(unpaid, NOW + 2 * MINUTE)).toContain('is recorded as unpaid');
    expect(await reservations().find(PAYMENT, undefined)).toMatchObject({ state: 'failed', transaction: '' });
    await expect(run(`show pay_${'0'.repeat(32)}`)).rejects.toThrow('there is no payment');
  });
});
